"""reconstruction.json: the machine-readable account of an estimate.

Version 2. Lengths in metres, angles in radians, unknown numbers null; names are the URDF's.
"""

from __future__ import annotations

import json
import platform
import re
from collections.abc import Mapping
from collections.abc import Sequence as ListOf
from dataclasses import asdict
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from autourdf_ros import __version__
from autourdf_ros.export.formats.urdf import BASE_LINK
from autourdf_ros.export.result_content import ResultContent
from autourdf_ros.model.document.layer_entries import layers_document
from autourdf_ros.model.document.urdf_layers import synchronised
from autourdf_ros.model.document_migration import VERSION
from autourdf_ros.model.layers.kinematics import JointEstimate
from autourdf_ros.model.layers.layer import plain_values
from autourdf_ros.model.limits.drive_limits import DriveLimits, assumed_limits
from autourdf_ros.model.limits.joint_limits import LIMIT_MARGIN
from autourdf_ros.model.result_files import FORMAT, URDF
from autourdf_ros.model.self_model import Joint
from autourdf_ros.model.urdf.urdf_reading import read_description
from autourdf_ros.shape.collision.collision_pairs import DisabledPair, notes_on_pairs

_PACKAGES = ("numpy", "scipy", "open3d-cpu", "pin", "urchin", "trimesh", "manifold3d")

NOT_ESTIMATED: Mapping[str, Any] = {
    "reference_readings": None,
    "weak_directions": [],
    "loops": [],
    "unexplained_patches": [],
    "base": {"turn": None, "shift": None, "smoothness": None, "beside": None},
    "camera_poses": [],
    "common_error": None,
    "noise": None,
    "residuals": {"fitted": None, "held_out": None},
    "sequences": [],
    "model_order": [],
    "decisions": [],
}
"""Entries of what only some estimators know, as those have them that do not."""


def to_document(
    content: ResultContent, pairs: ListOf[DisabledPair], folder: Path
) -> dict[str, Any]:
    """Return everything about an estimate but its meshes, as JSON values.

    Args:
        content: What the result is written from.
        pairs: Of links that are not checked for collisions.
        folder: With the URDF, which names the mesh files.
    """
    account = content.account
    own = {**NOT_ESTIMATED, **account.sections}
    model = synchronised(content.named_model, read_description(folder / URDF))
    return plain_values(
        {
            **_summary(content, pairs),
            "reference_readings": own.pop("reference_readings"),
            "links": _links(content),
            "limit_margin": LIMIT_MARGIN if account.limits == "observed" else None,
            "joints": _joints(content),
            **{key: own.pop(key) for key in ("weak_directions", "loops", "unexplained_patches")},
            "base": {"link": model.tree.root, "kind": account.base, **own.pop("base")},
            **{key: own.pop(key) for key in ("camera_poses", "common_error", "noise", "residuals")},
            "disabled_pairs": [asdict(pair) for pair in pairs],
            **{key: own.pop(key) for key in ("sequences", "model_order", "decisions")},
            "timings": dict(account.timings),
            "options": {
                **account.options,
                "limits": None if content.limits is None else str(content.limits),
                "usd": content.usd,
            },
            "assumed": asdict(content.options),
            "software": _software(),
            "input": dict(account.input),
            "layers": layers_document(model),
            **own,
        }
    )


def _summary(content: ResultContent, pairs: ListOf[DisabledPair]) -> dict[str, Any]:
    """What it is, and the verdict in words."""
    account = content.account
    return {
        "format": FORMAT,
        "version": VERSION,
        "name": content.names.robot,
        "verdict": account.verdict,
        "warnings": list(account.warnings),
        "notes": [*account.notes, *notes_on_pairs(pairs)],
        "base_link": BASE_LINK,
        "fixed_frame": account.fixed_frame,
        "reference_configuration": content.named_model.reference_configuration,
    }


def _links(content: ResultContent) -> list[dict[str, Any]]:
    return [
        {
            "name": link.name,
            "points": len(link.surface.points),
            "cost": None,
            "held_out_cost": None,
            **figures,
            "unseen_area_share": None if solid is None else solid.unseen_area_share,
        }
        for link, figures, solid in zip(
            content.named_model.links, content.account.links, content.solids, strict=True
        )
    ]


def _joints(content: ResultContent) -> list[dict[str, Any]]:
    account, assumed = content.account, content.options
    return [
        {
            "name": joint.name,
            "type": joint.type,
            "parent": joint.parent,
            "child": joint.child,
            "axis": joint.axis,
            "point": joint.point,
            "lower": joint.lower,
            "upper": joint.upper,
            "limits": "given" if known in assumed.drives else account.limits,
            "drive": _drive(joint, assumed.drives.get(known)),
            "mimic": None if joint.mimic is None else asdict(joint.mimic),
            "reference": joint.reference,
            "observed": observed,
            **_estimate(joint, joint.estimate),
            **own,
        }
        for joint, known, observed, own in zip(
            content.named_model.joints,
            content.model.tree.joint_names,
            account.observed_ranges,
            account.joints,
            strict=True,
        )
    ]


def _drive(joint: Joint, given: DriveLimits | None) -> dict[str, float] | None:
    if joint.type == "fixed":
        return None
    return asdict(given or assumed_limits(joint))


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
