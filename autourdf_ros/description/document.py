"""reconstruction.json: the machine-readable account of a reconstruction.

Version 1. Lengths in metres, angles in radians, unknown numbers null; names are the URDF's.
"""

from __future__ import annotations

import hashlib
import json
import math
import platform
import re
from collections.abc import Sequence as ListOf
from dataclasses import asdict
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import numpy as np

from autourdf_ros import __version__
from autourdf_ros.description.drive_limits import assumed_limits
from autourdf_ros.description.joint_limits import LIMIT_MARGIN
from autourdf_ros.description.link_solids import LinkSolid
from autourdf_ros.description.result_files import FORMAT, VERSION
from autourdf_ros.description.robot_model import Joint, JointEstimate, RobotModel
from autourdf_ros.description.urdf import BASE_LINK, UrdfNames, UrdfOptions
from autourdf_ros.kinematics.reconstruction import Reconstruction, SequenceMotion
from autourdf_ros.recording.frame import Recording, Sequence

_PACKAGES = ("numpy", "scipy", "open3d-cpu", "pin", "urchin", "trimesh", "manifold3d")


def to_document(
    reconstruction: Reconstruction,
    names: UrdfNames,
    recording: Recording,
    assumed: UrdfOptions,
    solids: ListOf[LinkSolid | None],
) -> dict[str, Any]:
    """Everything about a reconstruction but its meshes, as JSON values.

    solids: of the model's links; how much of each was never seen (`unseen_area_share`) is told.
    """
    model = reconstruction.model
    return _plain(
        {
            "format": FORMAT,
            "version": VERSION,
            "name": names.robot,
            "verdict": reconstruction.verdict,
            "warnings": list(reconstruction.warnings),
            "notes": list(reconstruction.notes),
            "base_link": BASE_LINK,
            "fixed_frame": recording.fixed_frame,
            "reference_configuration": {
                names.joints[name]: value for name, value in model.reference_configuration.items()
            },
            "reference_readings": _reference_readings(recording),
            "links": [
                {
                    "name": names.links[link.name],
                    "points": len(link.surface.points),
                    "cost": cost.fitted,
                    "held_out_cost": cost.held_out,
                    "unseen_area_share": None if solid is None else solid.unseen_area_share,
                }
                for link, cost, solid in zip(
                    model.links, reconstruction.link_costs, solids, strict=True
                )
            ],
            "limit_margin": LIMIT_MARGIN,
            "joints": _joints(model, names, reconstruction, assumed),
            "weak_directions": [
                {
                    "joints": [names.joints[name] for name in direction.joints],
                    "turns": direction.turns,
                    "shifts": direction.shifts,
                }
                for direction in reconstruction.weak_directions
            ],
            "loops": [
                {
                    **asdict(loop),
                    "links": [names.links[name] for name in loop.links],
                    "joints": [names.joints[name] for name in loop.joints],
                }
                for loop in reconstruction.loops
            ],
            "unexplained_patches": [
                {**asdict(patch), "link": names.links[patch.link]}
                for patch in reconstruction.patches
            ],
            "base": {"link": names.links[model.links[0].name], **asdict(reconstruction.base)},
            "noise": reconstruction.noise,
            "residuals": _residuals(reconstruction),
            "sequences": [
                _sequence(motion, sequence)
                for motion, sequence in zip(
                    reconstruction.motions, recording.sequences, strict=True
                )
            ],
            "model_order": [asdict(step) for step in reconstruction.model_order],
            "timings": dict(reconstruction.timings),
            "options": asdict(reconstruction.options),
            "assumed": asdict(assumed),
            "software": _software(),
            "input": {
                "source": None if recording.source is None else str(recording.source),
                "sha256": digest(recording),
                "sequences": len(recording.sequences),
                "frames": len(recording.frames),
            },
        }
    )


def observed_ranges(reconstruction: Reconstruction) -> np.ndarray:
    """(J, 2) smallest and largest value of every joint in the used frames, NaN where none."""
    values = np.vstack([motion.joint_values[motion.used] for motion in reconstruction.motions])
    if not len(values):
        return np.full((len(reconstruction.model.joints), 2), np.nan)
    return np.column_stack([values.min(0), values.max(0)])


def digest(recording: Recording) -> str:
    """SHA-256 of all points and joint readings of a recording, in order."""
    total = hashlib.sha256()
    for frame in recording.frames:
        total.update(np.ascontiguousarray(frame.points).tobytes())
        total.update(repr(sorted((frame.joint_positions or {}).items())).encode())
    return total.hexdigest()


def _reference_readings(recording: Recording) -> dict[str, float] | None:
    readings = recording.frames[0].joint_positions if recording.frames else None
    return None if readings is None else {name: float(value) for name, value in readings.items()}


def _joints(
    model: RobotModel, names: UrdfNames, reconstruction: Reconstruction, assumed: UrdfOptions
) -> list[dict[str, Any]]:
    ranges = observed_ranges(reconstruction)
    return [
        {
            "name": names.joints[joint.name],
            "type": joint.type,
            "parent": names.links[joint.parent],
            "child": names.links[joint.child],
            "axis": joint.axis,
            "point": joint.point,
            "lower": joint.lower,
            "upper": joint.upper,
            "limits": "given" if joint.name in assumed.drives else "observed",
            "drive": _drive(joint, assumed),
            "mimic": _mimic(joint, names),
            "reference": joint.reference,
            "observed": observed,
            **_estimate(joint, joint.estimate),
        }
        for joint, observed in zip(model.joints, ranges, strict=True)
    ]


def _drive(joint: Joint, assumed: UrdfOptions) -> dict[str, float] | None:
    if joint.type == "fixed":
        return None
    return asdict(assumed.drives.get(joint.name) or assumed_limits(joint))


def _mimic(joint: Joint, names: UrdfNames) -> dict[str, Any] | None:
    if joint.mimic is None:
        return None
    return asdict(joint.mimic) | {"joint": names.joints[joint.mimic.joint]}


def _estimate(joint: Joint, estimate: JointEstimate | None) -> dict[str, Any]:
    if estimate is None:
        return {}
    return {
        "axis_std": estimate.axis_std,
        "line_std": None if joint.type == "prismatic" else estimate.line_std,
        "covariance": estimate.covariance,
        "across": estimate.across,
        "confidence": estimate.confidence.total,
        "probabilities": asdict(estimate.confidence),
        "motor": None if estimate.motor is None else asdict(estimate.motor),
    }


def _sequence(motion: SequenceMotion, sequence: Sequence) -> dict[str, Any]:
    return {
        "name": sequence.name,
        "stamps": [frame.stamp for frame in sequence.frames],
        "joint_values": motion.joint_values,
        "joint_stds": motion.joint_stds,
        "base_poses": motion.base_poses,
        "residuals": motion.residuals,
        "used": motion.used,
        "held_out": motion.held_out,
    }


def _residuals(reconstruction: Reconstruction) -> dict[str, float | None]:
    """Medians over the frames that the model was adjusted to, and those that were held out."""
    motions = reconstruction.motions
    residuals = np.concatenate([motion.residuals for motion in motions])
    held_out = np.concatenate([motion.held_out for motion in motions])
    known = np.isfinite(residuals)
    parts = {"fitted": residuals[known & ~held_out], "held_out": residuals[known & held_out]}
    return {name: float(np.median(part)) if len(part) else None for name, part in parts.items()}


def _software() -> dict[str, str]:
    found = {"autourdf_ros": __version__, "python": platform.python_version()}
    for package in _PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found


def to_text(document: dict[str, Any]) -> str:
    """JSON with one line for each list of numbers. Raises ValueError on NaN."""
    text = json.dumps(document, indent=1, allow_nan=False)
    flat = re.sub(r'\[([^\[\]{}"]*)\]', lambda match: f"[{' '.join(match[1].split())}]", text)
    return flat + "\n"


def _plain(value: Any) -> Any:
    """JSON values only: arrays as lists, numbers that are not finite as null."""
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, np.ndarray):
        return _plain(value.tolist())
    if isinstance(value, np.generic):
        return _plain(value.item())
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value
