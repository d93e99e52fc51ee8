"""The result folder: written whole or not at all."""

from __future__ import annotations

from pathlib import Path

from autourdf_ros.description.atomic_folder import replacing
from autourdf_ros.description.document import to_document, to_text
from autourdf_ros.description.link_solids import link_solids
from autourdf_ros.description.report import write_report
from autourdf_ros.description.result_files import DOCUMENT, check_output
from autourdf_ros.description.urdf import (
    DEFAULTS,
    UrdfOptions,
    urdf_names,
    weighed,
    write_urdf,
)
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

    The folder is written beside and renamed, so that a kill at any moment leaves the old or the
    new whole. name: the robot's. recording: what it was reconstructed from.
    Raises InputError as `check_output` does.
    """
    out = check_output(out)
    names = urdf_names(reconstruction.model, name)
    model = reconstruction.model
    with replacing(out) as folder:
        solids = link_solids(model, options.visual_triangles, part(progress, 0.0, 0.5))
        options = weighed(options, solids)
        progress("description", 0.5)
        write_urdf(model, folder, name=name, options=options, solids=solids)
        document = to_document(reconstruction, names, recording, options, solids)
        (folder / DOCUMENT).write_text(to_text(document))
        progress("report", 0.6)
        write_report(
            reconstruction,
            document,
            recording,
            folder,
            progress=part(progress, 0.6, 1.0),
        )
    progress("written", 1.0)
    return out
