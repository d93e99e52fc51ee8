"""What is drawn of a model: its joints' axes and its links' shapes, in frames that move along."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.errors import InputError
from autourdf_ros.model.joint_grading import Grade, judge_joints
from autourdf_ros.model.palette import UNKNOWN, link_color
from autourdf_ros.model.result_files import DOCUMENT
from autourdf_ros.model.urdf.live_model import LiveModel


@dataclass(frozen=True)
class AxisMark:
    """The axis of a joint, in the frame of its child link, whose origin is on it.

    Attributes:
        axis: (3,) unit.
        across: (2, 3) as in `JointEstimate`, NaN where unknown.
        covariance: (4, 4) as in `JointEstimate`, NaN where unknown.
        grade: As the report has it; None where nothing was estimated.
    """

    joint: str
    frame: str
    axis: NDArray[np.float64]
    across: NDArray[np.float64]
    covariance: NDArray[np.float64]
    grade: Grade | None


@dataclass(frozen=True)
class ShapeMark:
    """A visual shape of a link.

    Attributes:
        frame: Its link.
        pose: (4, 4) in it.
        kind: Mesh, box, cylinder or sphere.
        size: (3,) of its bounding box (m), of a mesh its scale.
        mesh: Its file as the URDF names it, or empty.
        color: (3,) RGB in [0, 1], the link's in figures and tables.
    """

    frame: str
    pose: NDArray[np.float64]
    kind: str
    size: NDArray[np.float64]
    mesh: str
    color: NDArray[np.float64]


def axis_marks(model: LiveModel) -> list[AxisMark]:
    """Return marks of all joints that move.

    Raises InputError where reconstruction.json lacks a joint's axis.
    """
    poses = _reference_poses(model)
    try:
        judgements = judge_joints(model.document)
        return [
            _axis_mark(
                joint,
                poses[joint["child"]][:3, :3],
                judgements[joint["name"]].grade if "confidence" in joint else None,
            )
            for joint in model.document["joints"]
            if joint["type"] != "fixed"
        ]
    except (KeyError, TypeError, ValueError) as error:
        raise InputError(f"{model.folder / DOCUMENT}: is damaged: {error!r}") from error


def _axis_mark(joint: Mapping, rotation: NDArray[np.float64], grade: Grade | None) -> AxisMark:
    # The document speaks of the base frame at reference: v @ rotation is v in the link's frame.
    return AxisMark(
        joint["name"],
        joint["child"],
        np.array(joint["axis"], float) @ rotation,
        _array(joint.get("across"), (2, 3)) @ rotation,
        _array(joint.get("covariance"), (4, 4)),
        grade,
    )


def shape_marks(model: LiveModel) -> list[ShapeMark]:
    """Return marks of all links that have a visual shape."""
    names = [link["name"] for link in model.document.get("links", [])]
    marks = []
    for link, visual in model.visuals():
        color = link_color(names.index(link)) if link in names else UNKNOWN
        geometry, pose = visual.geometry, np.asarray(visual.origin, float)
        if geometry.mesh is not None:
            scale = geometry.mesh.scale
            kind, size = "mesh", np.ones(3) if scale is None else np.asarray(scale, float)
        elif geometry.box is not None:
            kind, size = "box", np.asarray(geometry.box.size, float)
        elif geometry.cylinder is not None:
            width = 2 * geometry.cylinder.radius
            kind, size = "cylinder", np.array([width, width, geometry.cylinder.length])
        else:
            kind, size = "sphere", np.full(3, 2 * geometry.sphere.radius)
        mesh = geometry.mesh.filename if kind == "mesh" else ""
        marks.append(ShapeMark(link, pose, kind, size, mesh, color))
    return marks


def model_size(model: LiveModel) -> float:
    """Return the extent (m) of the links' frames at reference, at least 0.1."""
    origins = np.array([pose[:3, 3] for pose in _reference_poses(model).values()])
    return max(float(np.ptp(origins, axis=0).max()), 0.1)


def _reference_poses(model: LiveModel) -> dict[str, NDArray[np.float64]]:
    """(4, 4) of every link in the root."""
    transforms = model.fixed_transforms() + model.moving_transforms(model.joint_values({}))
    waiting = {item.child: item for item in transforms}
    poses = {model.root: np.eye(4)}

    def pose(link: str) -> NDArray[np.float64]:
        if link not in poses:
            poses[link] = pose(waiting[link].parent) @ waiting[link].matrix
        return poses[link]

    for link in waiting:
        pose(link)
    return poses


def _array(value: list | None, shape: tuple[int, int]) -> NDArray[np.float64]:
    return np.full(shape, np.nan) if value is None else np.array(value, float)
