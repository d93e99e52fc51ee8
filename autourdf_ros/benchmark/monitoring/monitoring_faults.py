"""What happens to a watched robot, its cameras or its surroundings in the suite of the monitor."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import trimesh
from numpy.typing import NDArray

from autourdf_ros.benchmark.monitoring.watched_cell import CELL, WatchedCell
from autourdf_ros.geometry.rigid_motion import transform
from autourdf_ros.geometry.triangle_mesh import SurfaceMesh, from_trimesh
from autourdf_ros.model.urdf.simulated_robot import SimulatedRobot
from autourdf_ros.monitoring.observing.watched_model import WatchedModel
from autourdf_ros.simulation import damage
from autourdf_ros.simulation.cameras.pinhole_camera import Camera
from autourdf_ros.simulation.damage import DamagedRobot
from autourdf_ros.simulation.simulated_cell import workspace_of

LEAST_LENGTH = 0.06  # m, of a link that is bent
NEAREST_BOX = 0.04  # m, from the robot
BOX_COLOR = np.array([160, 120, 60], dtype=np.uint8)


@dataclass(frozen=True)
class Fault:
    """A change of the robot, a camera or the scene.

    Attributes:
        truth: Kind and subject of the change to name; None without a change.
        robot: As it truly is.
        cameras: True cameras; None: of the cell.
        beside: New object in the scene.
    """

    truth: tuple[str, str] | None
    robot: DamagedRobot
    cameras: Sequence[Camera] | None = None
    beside: SurfaceMesh | None = None


class FaultDrawer:
    """Draws the faults of a seed; joints, links and cameras alternate with the seeds."""

    def __init__(self, cell: WatchedCell, model: WatchedModel, rows: range, seed: int) -> None:
        """Draw all sizes and directions.

        Args:
            cell: The robot at work.
            model: Gives the links' names.
            rows: Of the path while a fault lasts.
            seed: Of everything that is drawn.
        """
        rng = np.random.default_rng([seed, 7])
        self._cell, self._model, self._rows, self._rng = cell, model, rows, rng
        robot = self._robot = cell.robot
        turning = [place for place, joint in enumerate(robot.joints) if joint.kind != "prismatic"]
        self._joint, self._last = turning[seed % len(turning)], turning[-1] + 1
        self._sign = float(rng.choice([-1.0, 1.0]))
        long = [body for body in range(1, len(robot.surfaces)) if _can_bend(robot, body)]
        self._body = long[seed % len(long)] if long else None
        self._way, self._share = rng.uniform(0.0, 2 * np.pi), rng.uniform(0.3, 0.7)
        self._camera = seed % CELL.cameras
        axis = rng.normal(size=3)
        self._turn = axis / np.linalg.norm(axis)

    def fault(self, name: str) -> Fault | None:
        """Return the fault of this name; None where the robot has nothing that it can happen to."""
        return _FAULTS[name](self)

    def none(self) -> Fault:
        """Nothing happens."""
        return Fault(None, damage.undamaged(self._robot))

    def joint_zero(self) -> Fault:
        """A zero slips by a degree."""
        joint = self._joint
        slipped = damage.with_zero_off(self._robot, joint, self._sign * np.radians(1.0))
        return Fault(("joint_zero", self._robot.names[joint]), slipped)

    def bent(self) -> Fault | None:
        """A link is bent by three degrees."""
        turn = np.radians(3.0) * np.array([np.cos(self._way), np.sin(self._way), 0.0])
        return self._of_link(np.concatenate([turn, np.zeros(3)]))

    def shortened(self) -> Fault | None:
        """A link is 1 cm shorter."""
        return self._of_link(np.array([0.0, 0.0, 0.0, 0.0, 0.0, -0.01]))

    def _of_link(self, twist: NDArray[np.float64]) -> Fault | None:
        if self._body is None:
            return None
        robot = damage.bent(self._robot, self._body, self._share, twist)
        return Fault(("link_shape", self._link(self._body)), robot)

    def tool(self) -> Fault:
        """A tool of 10 cm is on the last link."""
        tool = damage.with_tool(self._robot, self._last, 0.1)
        return Fault(("attachment", self._link(self._last)), tool)

    def camera(self) -> Fault:
        """A camera is turned by a degree."""
        return Fault(
            ("camera_pose", f"camera_{self._camera}"),
            damage.undamaged(self._robot),
            self._knocked(np.radians(1.0) * self._turn),
        )

    def box(self) -> Fault:
        """A box stands on the ground beside the robot."""
        box = box_beside(self._cell, self._rows, self._rng)
        return Fault(("object", ""), damage.undamaged(self._robot), beside=box)

    def _knocked(self, turn: NDArray[np.float64]) -> list[Camera]:
        cameras = list(self._cell.cell.true_cameras)
        cameras[self._camera] = cameras[self._camera].perturbed(np.zeros(3), turn)
        return cameras

    def _link(self, body: int) -> str:
        return self._model.links[1 + self._model.joints.index(self._robot.names[body - 1])]


_FAULTS: dict[str, Callable[[FaultDrawer], Fault | None]] = {
    "none": FaultDrawer.none,
    "joint_zero": FaultDrawer.joint_zero,
    "bent": FaultDrawer.bent,
    "shortened": FaultDrawer.shortened,
    "tool": FaultDrawer.tool,
    "camera": FaultDrawer.camera,
    "box": FaultDrawer.box,
}
FAULTS = tuple(_FAULTS)


def _can_bend(robot: SimulatedRobot, body: int) -> bool:
    """Whether a body is turned by a joint and long enough."""
    if robot.surfaces[body] is None or robot.joints[body - 1].kind == "prismatic":
        return False
    return float(np.linalg.norm(damage.body_way(robot, body)[1])) > LEAST_LENGTH


def box_beside(cell: WatchedCell, rows: range, rng: np.random.Generator) -> SurfaceMesh:
    """Return a box on the ground that the moving robot comes near to and does not touch."""
    robot = cell.robot
    points = []
    for row in rows[::3]:
        poses = robot.body_poses(cell.path[row])
        for surface, pose in zip(robot.surfaces[1:], poses[1:], strict=True):
            if surface is not None:
                points.append(transform(pose, surface.vertices[::20].astype(float)))
    arm = np.concatenate(points)
    ground = workspace_of(robot, CELL).ground
    middle = arm[:, :2].mean(axis=0)
    best, gap = np.zeros(3), np.inf
    size = np.array([0.15, 0.15, 0.35])
    for _ in range(500):
        place = np.array([*(middle + rng.uniform(-0.8, 0.8, 2)), ground + size[2] / 2])
        outside = np.maximum(np.abs(arm - place) - size / 2, 0.0)
        near = float(np.linalg.norm(outside, axis=1).min())
        from_base = np.abs(place[:2]).max()
        if near > NEAREST_BOX and from_base > 0.25 and near < gap:
            best, gap = place, near
    box = trimesh.creation.box(size)
    box.apply_translation(best)
    return from_trimesh(box, BOX_COLOR)
