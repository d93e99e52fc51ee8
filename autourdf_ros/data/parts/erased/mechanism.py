"""Bodies that stand in one pose, with the joints that connect them: what a model says."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
import trimesh
from numpy.typing import NDArray

MovingType = Literal["revolute", "prismatic"]


@dataclass(frozen=True)
class BodyJoint:
    """The joint between a body and its parent, in the common frame.

    Attributes:
        name: In the model.
        type: Revolute stands for continuous joints too.
        axis: (3,) unit vector.
        point: (3,) the joint's origin, which is on the axis (m).
        lower: Least value, less the value of the pose (rad or m); -inf without a limit.
        upper: Greatest, likewise.
        mimic: Name of the joint that it follows; empty without one.
    """

    name: str
    type: MovingType
    axis: NDArray[np.float64]
    point: NDArray[np.float64]
    lower: float = -np.inf
    upper: float = np.inf
    mimic: str = ""


@dataclass(frozen=True)
class Body:
    """What moves as one.

    Attributes:
        name: In the model.
        parent: Number of the parent body; -1 for the fixed world.
        joints: To the parent; one, or several that act together; none where the body floats.
        mesh: Of all its visual geometry in the common frame (m); None without any.
    """

    name: str
    parent: int
    joints: tuple[BodyJoint, ...]
    mesh: trimesh.Trimesh | None


@dataclass(frozen=True)
class Mechanism:
    """A model in a pose.

    Attributes:
        name: Of the model.
        bodies: Parents before their children; the first is the fixed world.
        notes: Sentences about what could not be read.
    """

    name: str
    bodies: tuple[Body, ...]
    notes: tuple[str, ...] = field(default=())


def bare_mesh(vertices: NDArray[np.generic], triangles: NDArray[np.generic]) -> trimesh.Trimesh:
    """Return a mesh without colours in which vertices at one place are one."""
    mesh = trimesh.Trimesh(
        np.asarray(vertices, dtype=np.float64), np.asarray(triangles, np.int64), process=False
    )
    mesh.merge_vertices(merge_tex=True, merge_norm=True)
    mesh.update_faces(mesh.nondegenerate_faces())
    mesh.remove_unreferenced_vertices()
    return mesh


def joined_meshes(meshes: Sequence[trimesh.Trimesh]) -> trimesh.Trimesh | None:
    """Return meshes as one, None where there are none."""
    if not meshes:
        return None
    starts = np.cumsum([0, *(len(mesh.vertices) for mesh in meshes[:-1])])
    return trimesh.Trimesh(
        np.vstack([mesh.vertices for mesh in meshes]),
        np.vstack([mesh.faces + start for mesh, start in zip(meshes, starts, strict=True)]),
        process=False,
    )
