"""The result folder: written whole or not at all."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

from autourdf_ros.checking.gate import check_result, failed
from autourdf_ros.description.atomic_folder import replacing
from autourdf_ros.description.document import to_document, to_text
from autourdf_ros.description.report import write_report
from autourdf_ros.description.result_files import DOCUMENT, check_output
from autourdf_ros.description.urdf import DEFAULTS, UrdfOptions, urdf_names, write_urdf
from autourdf_ros.kinematics.reconstruction import Reconstruction
from autourdf_ros.progress import Progress, part, silent
from autourdf_ros.recording.frame import Recording


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

    What the checks of `autourdf check` find is recorded, and those that fail are warnings: the
    result is written all the same.
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
        findings = check_result(folder, document, part(progress, 0.6, 0.7))
        document["checks"] = [asdict(finding) for finding in findings]
        document["warnings"] += [f"{bad.check}: {bad.message}" for bad in failed(findings)]
        (folder / DOCUMENT).write_text(to_text(document))
        progress("report", 0.7)
        write_report(
            reconstruction,
            document,
            recording,
            folder,
            progress=part(progress, 0.7, 1.0),
        )
    progress("written", 1.0)
    return out
