"""A case of the benchmark as a folder: part meshes and `truth.json`."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from autourdf_ros.data.parts.erased.erasing import ErasedModel, TrueJoint, erase_joints
from autourdf_ros.data.parts.erased.mechanism import Mechanism


def read_mechanism(
    path: Path,
    pose: Mapping[str, float] | None = None,
    keep: tuple[str, ...] = (),
    drop: tuple[str, ...] = (),
    up_axis: bool = False,
) -> Mechanism:
    """Read a URDF or an MJCF, by its root element.

    Args:
        path: The file.
        pose: Values of joints by name (rad or m).
        keep: Bodies of an MJCF that are used, with what hangs on them; empty for all.
        drop: Bodies of an MJCF that are left out, likewise.
        up_axis: Whether the up axis of a URDF's Collada files counts.

    Raises:
        InputError: It cannot be read.
    """
    if path.suffix.lower() == ".urdf":
        from autourdf_ros.data.parts.erased.urdf_mechanism import urdf_mechanism

        return urdf_mechanism(path, pose, up_axis)
    from autourdf_ros.data.parts.erased.mjcf_mechanism import mjcf_mechanism

    return mjcf_mechanism(path, pose, keep, drop)


def write_case(mechanism: Mechanism, folder: Path, seed: int = 0) -> ErasedModel:
    """Write `parts/part_NN.ply` and `truth.json` into a folder, and return what they say."""
    model = erase_joints(mechanism, seed)
    parts = folder / "parts"
    parts.mkdir(parents=True, exist_ok=True)
    for number, mesh in enumerate(model.meshes):
        mesh.export(parts / f"part_{number:02d}.ply")
    text = json.dumps(_truth(model), indent=1)
    (folder / "truth.json").write_text(text + "\n", encoding="utf-8")
    return model


def _truth(model: ErasedModel) -> dict[str, Any]:
    return {
        "name": model.name,
        "root": model.root,
        "parts": len(model.meshes),
        "size": model.size,
        "joints": [_joint(one) for one in model.joints],
        "links": list(model.links),
        "notes": list(model.notes),
    }


def _joint(one: TrueJoint) -> dict[str, Any]:
    joint = one.joint
    return {
        "type": joint.type,
        "axis": [float(value) for value in joint.axis],
        "point": [float(value) for value in joint.point],
        "parent": one.parent,
        "child": one.child,
        "name": joint.name,
        "lower": joint.lower if math.isfinite(joint.lower) else None,
        "upper": joint.upper if math.isfinite(joint.upper) else None,
        "mimic": joint.mimic or None,
    }
