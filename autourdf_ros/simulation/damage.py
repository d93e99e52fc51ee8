"""What can happen to a robot after its model was made: its bodies and how they stand then."""

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
    """surfaces: of the bodies, as they are now. zeros: (J,) true values minus readings (rad or m).

    bent: body, and the (4, 4) motion in its frame of the bodies that it carries.
    """

    robot: SimulatedRobot
    surfaces: tuple[SurfaceMesh | None, ...]
    zeros: NDArray[np.float64]
    bent: dict[int, NDArray[np.float64]] = field(default_factory=dict)

    def body_poses(self, readings: NDArray[np.float64]) -> NDArray[np.float64]:
        """(B, 4, 4) true poses of the bodies, fixed frame, when the encoders read (J,)."""
        poses = self.robot.body_poses(readings + self.zeros)
        for body, motion in self.bent.items():
            moved = poses[body] @ motion @ inverse(poses[body])
            for other in _carried(self.robot, body):
                poses[other] = moved @ poses[other]
        return poses


def undamaged(robot: SimulatedRobot) -> DamagedRobot:
    """The robot as it is described."""
    return DamagedRobot(robot, tuple(robot.surfaces), np.zeros(len(robot.joints)))


def with_zero_off(robot: SimulatedRobot, joint: int, by: float) -> DamagedRobot:
    """The joint of this number stands `by` (rad or m) beyond what its encoder reads."""
    whole = undamaged(robot)
    zeros = whole.zeros.copy()
    zeros[joint] = by
    return replace(whole, zeros=robot.follow_mimics(zeros) if by else zeros)


def bent(
    robot: SimulatedRobot, body: int, share: float, twist: NDArray[np.float64]
) -> DamagedRobot:
    """The body moved along `twist` (6,) from `share` of the way to its next joints on.

    twist: turn (rad) about the place of the bend and shift (m), in axes of which the third goes
    along the body.
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
    """A box of this length (m) and a third of it wide, on the far end of the body."""
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
    """((3,) begin, (3,) way to the joints that it carries), in a body's own frame (m).

    The way of the last body goes to the middle of its surface.
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


def _carried(robot: SimulatedRobot, body: int) -> list[int]:
    """Numbers of the bodies that `body` carries, at whatever distance."""
    found = [body]
    for number, joint in enumerate(robot.joints):
        if joint.parent in found:
            found.append(number + 1)
    return found[1:]
