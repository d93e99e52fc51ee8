"""The result folder: written whole or not at all."""

from __future__ import annotations

import os
from pathlib import Path

from autourdf_ros.description.atomic_folder import replacing
from autourdf_ros.description.document import to_document, to_text
from autourdf_ros.description.report import write_report
from autourdf_ros.description.result_files import (
    DOCUMENT,
    FIGURES,
    MESHES,
    REPORT,
    URDF,
    is_result,
)
from autourdf_ros.description.urdf import DEFAULTS, UrdfOptions, urdf_names, write_urdf
from autourdf_ros.errors import InputError
from autourdf_ros.kinematics.reconstruction import Reconstruction
from autourdf_ros.progress import Progress, part, silent
from autourdf_ros.recording.frame import Recording

_OWN = {URDF, DOCUMENT, REPORT, MESHES, FIGURES}


def write_result(
    reconstruction: Reconstruction,
    out: Path,
    *,
    name: str,
    recording: Recording,
    options: UrdfOptions = DEFAULTS,
    progress: Progress = silent,
) -> Path:
    """Write a reconstruction's result folder at `out`; returns its absolute path.

    The folder is written beside and renamed, so that a kill at any moment leaves the old or the
    new whole. name: the robot's. recording: what it was reconstructed from.
    Raises InputError as `check_output` does.
    """
    out = check_output(out)
    names = urdf_names(reconstruction.model, name)
    with replacing(out) as folder:
        write_urdf(
            reconstruction.model,
            folder,
            name=name,
            options=options,
            progress=part(progress, 0.0, 0.6),
        )
        document = to_document(reconstruction, names, recording, options)
        (folder / DOCUMENT).write_text(to_text(document))
        progress("report", 0.6)
        write_report(
            reconstruction,
            document,
            folder,
            progress=part(progress, 0.6, 1.0),
        )
    progress("written", 1.0)
    return out


def check_output(out: Path) -> Path:
    """Absolute path of a result folder that may be written at `out`.

    Raises InputError where something else is there that would be lost, or where no folder can be
    made. Long work calls it first.
    """
    out = out.expanduser().resolve()
    if out.exists() and not out.is_dir():
        raise InputError(f"{out}: is a file; give a new or empty folder, or an earlier result")
    if out.is_dir():
        there = {path.name for path in out.iterdir()}
        if there and not is_result(out):
            raise InputError(
                f"{out}: holds something that is no result of autourdf ({min(there)}); give a new "
                "or empty folder, or an earlier result"
            )
        if foreign := there - _OWN:
            raise InputError(
                f"{out}: holds {min(foreign)} beside an earlier result, which would be lost; "
                "move it away or give another folder"
            )
    existing = next(path for path in out.parents if path.exists())
    if not (existing.is_dir() and os.access(existing, os.W_OK | os.X_OK)):
        raise InputError(f"{out}: cannot be made: {existing} is not a writable folder")
    return out
