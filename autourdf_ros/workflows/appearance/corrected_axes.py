"""A result folder's model with its axes as images see them."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

from autourdf_ros.estimation.appearance.axis_correction import AxisCorrection
from autourdf_ros.estimation.appearance.joints.image_joints import ImageJoints
from autourdf_ros.estimation.common.estimator import provenance
from autourdf_ros.export.moved_axes import move_axes
from autourdf_ros.export.revision import Edit
from autourdf_ros.geometry.arrays import Array
from autourdf_ros.model.layers.layer import plain_values
from autourdf_ros.model.result_files import URDF
from autourdf_ros.model.self_model import SelfModel

METHOD = "appearance/axes"


def axis_priors(model: SelfModel, joints: ImageJoints) -> Array:
    """Return the covariances (J, 4, 4) of the model's axes in the images' components, or NaN."""
    found = np.full((len(joints.tree.joints), 4, 4), np.nan)
    estimates = {} if model.kinematics is None else model.kinematics.joints
    for number, joint in enumerate(joints.tree.joints):
        if joint.name in estimates:
            own = estimates[joint.name]
            turn = np.kron(np.eye(2), joints.across[number] @ own.across.T)
            slides = joint.type == "prismatic"
            known = np.where(np.isfinite(own.covariance), own.covariance, 0.0)
            found[number] = turn @ known @ turn.T
            if slides:
                found[number, 2:], found[number, :, 2:] = np.nan, np.nan
    return found


def corrected_axes(
    model: SelfModel, joints: ImageJoints, correction: AxisCorrection, digest: str
) -> Edit:
    """Return what changes URDF and document of a result folder: axes, covariances, and why.

    Args:
        model: As it is.
        joints: Of the images.
        correction: That is accepted.
        digest: Of the images.
    """
    after = joints.corrected(correction.corrections)

    def edit(folder: Path, document: dict[str, Any]) -> dict[str, Any]:
        move_axes(folder / URDF, model.tree, after)
        new = copy.deepcopy(document)
        entries = {entry["name"]: entry for entry in new["joints"]}
        for number in np.flatnonzero(correction.moved):
            joint, entry = after.joints[number], entries[after.joints[number].name]
            entry |= plain_values({"axis": joint.axis, "point": joint.point})
            if "covariance" in entry:
                entry |= _uncertainty(joint.type == "prismatic", correction, joints, int(number))
        if "kinematics" in new["layers"]:
            origin = provenance(METHOD, digest)
            new["layers"]["kinematics"] |= {"method": METHOD, "created": origin.created}
        new["notes"] = [*new["notes"], correction_text(correction, model.tree.joint_names)]
        return new

    return edit


def _uncertainty(
    slides: bool, correction: AxisCorrection, joints: ImageJoints, number: int
) -> dict[str, Any]:
    """Return the entries of a joint: its covariance, in the components turned with the axis."""
    covariance = correction.covariances[number]
    across = joints.across[number]
    turn = Rotation.from_rotvec(correction.corrections.turns[number] @ across)
    return {
        "axis_std": float(np.sqrt(np.trace(covariance[:2, :2]) / 2)),
        "line_std": None if slides else float(np.sqrt(np.trace(covariance[2:, 2:]) / 2)),
        "covariance": [
            [None if slides and max(r, c) > 1 else float(v) for c, v in enumerate(row)]
            for r, row in enumerate(covariance)
        ],
        "across": turn.apply(across).tolist(),
    }


def correction_text(correction: AxisCorrection, names: tuple[str, ...]) -> str:
    """Return what was corrected and why, or why not, as a sentence."""
    mean, error = correction.gain
    proof = (
        f"the mean squared error of the robot's pixels in {len(correction.gains)} held-out images "
        f"is smaller by {mean:.2e} +- {error:.1e}"
    )
    if not correction.accepted:
        return f"axes are not corrected by images: {proof}, which is not sure"
    turns = np.degrees(np.linalg.norm(correction.corrections.turns, axis=1))
    shifts = 1e3 * np.linalg.norm(correction.corrections.shifts, axis=1)
    each = ", ".join(
        f"{names[n]} by {turns[n]:.2f} degrees and {shifts[n]:.1f} mm"
        for n in np.flatnonzero(correction.moved)
    )
    return f"axes are corrected by images: {each}; {proof}"
