"""From an assembly's result folder and a recording to the confirmed model, as a new version."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from autourdf_ros.data.frame import Recording
from autourdf_ros.estimation.parts.confirmation.confirmation_options import ConfirmationOptions
from autourdf_ros.estimation.parts.confirmation.confirmation_result import Confirmation
from autourdf_ros.estimation.parts.confirmation.motion_confirmation import confirm_joints
from autourdf_ros.export.joint_replacement import replace_joints
from autourdf_ros.export.versions import write_version
from autourdf_ros.progress import Progress, part, silent
from autourdf_ros.workflows.assembled_result import read_assembled
from autourdf_ros.workflows.confirmed_document import confirmed_document, replaced_joints


def confirm_result(
    out: Path,
    recording: Recording,
    options: ConfirmationOptions = ConfirmationOptions(),  # noqa: B008  (frozen)
    progress: Progress = silent,
) -> Confirmation:
    """Confirm the joints of an assembly by a recording, and write a new version of its folder.

    Joints whose alternative motion decides get its type, axis and limits. All others stay.

    Args:
        out: Result folder of `autourdf assemble`.
        recording: In its first frame the parts stand about as given.
        options: Constants.
        progress: Is called with stage and fraction, and may raise to cancel.

    Raises:
        InputError: `out` is no such folder or is being written, or the recording is too short.
    """
    result = read_assembled(out)
    frames = recording.frames
    searching = part(progress, 0.0, 0.8)
    found = confirm_joints(result.assembly, result.root, result.joints, frames, options, searching)

    def edit(folder: Path, document: dict[str, Any]) -> dict[str, Any]:
        replaced = replaced_joints(found, result, document)
        replace_joints(folder, replaced)
        return confirmed_document(document, found, result, replaced, recording)

    write_version(out, edit, progress=part(progress, 0.8, 1.0))
    return found
