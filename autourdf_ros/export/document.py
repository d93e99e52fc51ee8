"""reconstruction.json: the machine-readable account of a reconstruction.

Version 2. Lengths in metres, angles in radians, unknown numbers null; names are the URDF's.
"""

from __future__ import annotations

import json
import platform
import re
from collections.abc import Sequence as ListOf
from dataclasses import asdict
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import numpy as np

from autourdf_ros import __version__
from autourdf_ros.data.frame import Recording
from autourdf_ros.data.recording_digest import recording_digest
from autourdf_ros.estimation.motion.reconstruction import Loop, Reconstruction
from autourdf_ros.export.formats.urdf import BASE_LINK, UrdfNames
from autourdf_ros.export.result_content import ResultContent
from autourdf_ros.model.document.layer_entries import layers_document
from autourdf_ros.model.document.urdf_layers import synchronised
from autourdf_ros.model.document_migration import VERSION
from autourdf_ros.model.layers.kinematics import JointEstimate
from autourdf_ros.model.layers.layer import plain_values
from autourdf_ros.model.limits.drive_limits import assumed_limits
from autourdf_ros.model.limits.joint_limits import LIMIT_MARGIN
from autourdf_ros.model.result_files import FORMAT, URDF
from autourdf_ros.model.self_model import Joint, SelfModel
from autourdf_ros.model.urdf.urdf_reading import read_description
from autourdf_ros.shape.collision.collision_pairs import DisabledPair, notes_on_pairs
from autourdf_ros.shape.urdf_options import UrdfOptions
from autourdf_ros.shape.visual.link_solids import LinkSolid

_OF_MOTIONS = ("joint_values", "joint_stds", "base_poses", "residuals", "used", "held_out")
_PACKAGES = ("numpy", "scipy", "open3d-cpu", "pin", "urchin", "trimesh", "manifold3d")


def to_document(
    content: ResultContent, pairs: ListOf[DisabledPair], folder: Path
) -> dict[str, Any]:
    """Return everything about a reconstruction but its meshes, as JSON values.

    Args:
        content: What the result is written from.
        pairs: Of links that are not checked for collisions.
        folder: With the URDF, which names the mesh files.
    """
    reconstruction, names, recording = content.reconstruction, content.names, content.recording
    assumed = content.options
    model = synchronised(content.named_model, read_description(folder / URDF))
    return plain_values(
        {
            **_summary(reconstruction, names, recording, pairs),
            "links": _links(reconstruction, names, content.solids),
            "limit_margin": LIMIT_MARGIN,
            "joints": _joints(reconstruction.model, names, reconstruction, assumed),
            **_doubts(reconstruction, names),
            "disabled_pairs": [asdict(pair) for pair in pairs],
            "sequences": _sequences(reconstruction, recording),
            "model_order": [asdict(step) for step in reconstruction.model_order],
            "timings": dict(reconstruction.timings),
            "options": _options(content),
            "assumed": asdict(assumed),
            "software": _software(),
            "input": _input(recording),
            "layers": layers_document(model),
        }
    )


def _options(content: ResultContent) -> dict[str, Any]:
    chosen = asdict(content.reconstruction.options)
    return {**chosen, "limits": _path(content.limits), "usd": content.usd}


def _summary(
    reconstruction: Reconstruction,
    names: UrdfNames,
    recording: Recording,
    pairs: ListOf[DisabledPair],
) -> dict[str, Any]:
    """What it is, and the verdict in words."""
    reference = reconstruction.model.reference_configuration
    return {
        "format": FORMAT,
        "version": VERSION,
        "name": names.robot,
        "verdict": reconstruction.verdict,
        "warnings": list(reconstruction.warnings),
        "notes": [*reconstruction.notes, *notes_on_pairs(pairs)],
        "base_link": BASE_LINK,
        "fixed_frame": recording.fixed_frame,
        "reference_configuration": {names.joints[name]: reference[name] for name in reference},
        "reference_readings": _reference_readings(recording),
    }


def _links(
    reconstruction: Reconstruction, names: UrdfNames, solids: ListOf[LinkSolid | None]
) -> list[dict[str, Any]]:
    return [
        {
            "name": names.links[link.name],
            "points": len(link.surface.points),
            "cost": cost.fitted,
            "held_out_cost": cost.held_out,
            "unseen_area_share": None if solid is None else solid.unseen_area_share,
        }
        for link, cost, solid in zip(
            reconstruction.model.links, reconstruction.link_costs, solids, strict=True
        )
    ]


def _loop(loop: Loop) -> dict[str, Any]:
    entry = asdict(loop)
    entry["misfit"] = entry.pop("cost")  # its key since version 1
    return entry


def _doubts(reconstruction: Reconstruction, names: UrdfNames) -> dict[str, Any]:
    """What limits the trust beside the joints' own uncertainty."""
    root = reconstruction.model.links[0].name
    return {
        "weak_directions": [
            {**asdict(direction), "joints": [names.joints[name] for name in direction.joints]}
            for direction in reconstruction.weak_directions
        ],
        "loops": [
            {
                **_loop(loop),
                "links": [names.links[name] for name in loop.links],
                "joints": [names.joints[name] for name in loop.joints],
            }
            for loop in reconstruction.loops
        ],
        "unexplained_patches": [
            {**asdict(patch), "link": names.links[patch.link]} for patch in reconstruction.patches
        ],
        "base": {"link": names.links[root], **asdict(reconstruction.base)},
        "noise": reconstruction.noise,
        "residuals": _residuals(reconstruction),
    }


def _input(recording: Recording) -> dict[str, Any]:
    return {
        "source": _path(recording.source),
        "sha256": recording_digest(recording),
        "sequences": len(recording.sequences),
        "frames": len(recording.frames),
    }


def _path(path: Path | None) -> str | None:
    return None if path is None else str(path)


def observed_ranges(reconstruction: Reconstruction) -> np.ndarray:
    """Return the (J, 2) smallest and largest values of the joints in the used frames, or NaN."""
    values = np.vstack([motion.joint_values[motion.used] for motion in reconstruction.motions])
    if not len(values):
        return np.full((len(reconstruction.model.joints), 2), np.nan)
    return np.column_stack([values.min(0), values.max(0)])


def _reference_readings(recording: Recording) -> dict[str, float] | None:
    readings = recording.frames[0].joint_positions if recording.frames else None
    return None if readings is None else {name: float(value) for name, value in readings.items()}


def _joints(
    model: SelfModel, names: UrdfNames, reconstruction: Reconstruction, assumed: UrdfOptions
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


def _sequences(reconstruction: Reconstruction, recording: Recording) -> list[dict[str, Any]]:
    return [
        {
            "name": sequence.name,
            "stamps": [frame.stamp for frame in sequence.frames],
            **{key: getattr(motion, key) for key in _OF_MOTIONS},
        }
        for motion, sequence in zip(reconstruction.motions, recording.sequences, strict=True)
    ]


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
    """Return JSON with one line for each list of numbers. Raises ValueError on NaN."""
    text = json.dumps(document, indent=1, allow_nan=False)
    flat = re.sub(r'\[([^\[\]{}"]*)\]', lambda match: f"[{' '.join(match[1].split())}]", text)
    return flat + "\n"
