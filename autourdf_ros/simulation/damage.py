"""Simulated damage of a robot: a shifted encoder zero, a bent body, a new tool."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
import trimesh
from numpy.typing import NDArray

from autourdf_ros.geometry.rigid_motion import exp_se3, inverse, transform
from autourdf_ros.geometry.triangle_mesh import SurfaceMesh, from_trimesh, merged
from autourdf_ros.model.urdf.simulated_robot import SimulatedRobot

_TOOL_COLOR = np.array([90, 60, 40], dtype=np.uint8)


@dataclass(frozen=True, eq=False)
class DamagedRobot:
    """A robot that differs from its description.

    Attributes:
        robot: as described.
        surfaces: of the bodies as they are.
        zeros: (J,) true joint values minus readings (rad or m).
        bent: by body, the motion (4, 4) in its frame of the bodies attached to it.
    """

    robot: SimulatedRobot
    surfaces: tuple[SurfaceMesh | None, ...]
    zeros: NDArray[np.float64]
    bent: dict[int, NDArray[np.float64]] = field(default_factory=dict)

    def body_poses(self, readings: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the true poses (B, 4, 4) of the bodies in the fixed frame at readings (J,)."""
        poses = self.robot.body_poses(readings + self.zeros)
        for body, motion in self.bent.items():
            moved = poses[body] @ motion @ inverse(poses[body])
            for other in _attached(self.robot, body):
                poses[other] = moved @ poses[other]
        return poses


def undamaged(robot: SimulatedRobot) -> DamagedRobot:
    """Return the robot as described."""
    return DamagedRobot(robot, tuple(robot.surfaces), np.zeros(len(robot.joints)))


def with_zero_off(robot: SimulatedRobot, joint: int, by: float) -> DamagedRobot:
    """Return the robot with joint number `joint` standing `by` (rad or m) beyond its reading."""
    whole = undamaged(robot)
    zeros = whole.zeros.copy()
    zeros[joint] = by
    return replace(whole, zeros=robot.follow_mimics(zeros) if by else zeros)


def bent(
    robot: SimulatedRobot, body: int, share: float, twist: NDArray[np.float64]
) -> DamagedRobot:
    """Return the robot with a body that is bent at `share` of the way to its next joints.

    Args:
        twist: (6,) rotation (rad) about the place of the bend and translation (m), in axes of which
            the third points along the body.
    """
    whole = undamaged(robot)
    start, way = body_way(robot, body)
    length = float(np.linalg.norm(way))
    axes = np.linalg.svd(way[None] / length)[2].T[:, [1, 2, 0]]
    axes[:, 2] = way / length
    axes[:, 0] = np.cross(axes[:, 1], axes[:, 2])
    frame = np.eye(4)
    frame[:3, :3], frame[:3, 3] = axes, start + share * way
    motion = frame @ exp_se3(twist) @ inverse(frame)
    surface = whole.surfaces[body]
    assert surface is not None
    beyond = (surface.vertices - frame[:3, 3]) @ axes[:, 2] > 0
    vertices = surface.vertices.astype(float)
    vertices[beyond] = transform(motion, vertices[beyond])
    surfaces = list(whole.surfaces)
    surfaces[body] = replace(surface, vertices=vertices.astype(np.float32))
    return replace(whole, surfaces=tuple(surfaces), bent={body: motion})


def with_tool(robot: SimulatedRobot, body: int, length: float) -> DamagedRobot:
    """Return the robot with a box on the far end of a body, `length` (m) long, a third wide."""
    whole = undamaged(robot)
    surface = whole.surfaces[body]
    assert surface is not None
    middle = (surface.hull.min(axis=0) + surface.hull.max(axis=0)) / 2
    start = body_way(robot, body)[0]
    way = (middle - start) / np.linalg.norm(middle - start)
    reach = float(((surface.hull - middle) @ way).max())
    frame = trimesh.geometry.align_vectors([0, 0, 1], way)
    frame[:3, 3] = middle + (reach + length / 2 - 0.005) * way
    box = trimesh.creation.box((length / 3, length / 3, length), transform=frame)
    surfaces = list(whole.surfaces)
    surfaces[body] = merged([surface, from_trimesh(box, _TOOL_COLOR)])
    return replace(whole, surfaces=tuple(surfaces))


def body_way(robot: SimulatedRobot, body: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the start (3,) of a body and the way (3,) to its next joints, in its frame (m).

    The way of the last body leads to the middle of its surface.
    """
    poses = robot.body_poses(robot.neutral)
    places = [
        poses[number + 1][:3, 3]
        for number, joint in enumerate(robot.joints)
        if joint.parent == body
    ]
    if not places:
        surface = robot.surfaces[body]
        assert surface is not None
        return np.zeros(3), (surface.hull.min(axis=0) + surface.hull.max(axis=0)) / 2
    return np.zeros(3), transform(inverse(poses[body]), np.mean(places, axis=0))


def _attached(robot: SimulatedRobot, body: int) -> list[int]:
    """Return the numbers of all bodies attached to `body`, directly or through others."""
    found = [body]
    for number, joint in enumerate(robot.joints):
        if joint.parent in found:
            found.append(number + 1)
    return found[1:]
