"""What happens to a watched robot, its cameras or its surroundings in the suite of the monitor."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import trimesh
from numpy.typing import NDArray
from scipy.spatial import cKDTree

from autourdf_ros.benchmark.monitoring.watched_cell import CELL, WatchedCell
from autourdf_ros.geometry.rigid_motion import inverse, transform
from autourdf_ros.geometry.triangle_mesh import SurfaceMesh, from_trimesh, merged
from autourdf_ros.model.urdf.simulated_robot import SimulatedRobot
from autourdf_ros.monitoring.observing.watched_model import WatchedModel
from autourdf_ros.simulation import damage
from autourdf_ros.simulation.cameras.pinhole_camera import Camera
from autourdf_ros.simulation.damage import DamagedRobot
from autourdf_ros.simulation.simulated_cell import workspace_of

LEAST_LENGTH = 0.06  # m, of a link that is bent
NEAREST_BOX = 0.04  # m, from the robot
_SAMPLES = 400  # of a body's surface
_SUNK = 0.005  # m, of a tool into what holds it
_STEP = 1e-4  # rad, of a derivative
BOX_COLOR = np.array([160, 120, 60], dtype=np.uint8)


@dataclass(frozen=True)
class Fault:
    """A change of the robot, a camera or the scene.

    Attributes:
        robot: As it truly is.
        truths: Kind and subject of each change that happens; one of them is to be named.
        unnamed: Whether something changes that has no name: the cause is to stay undecided.
        cameras: True cameras, as in `WatchedCell.observations`.
        beside: New object in the scene.
        lost: By camera, pixels that measure nothing.
    """

    robot: DamagedRobot
    truths: tuple[tuple[str, str], ...] = ()
    unnamed: bool = False
    cameras: Sequence[Sequence[Camera]] | None = None
    beside: SurfaceMesh | None = None
    lost: Mapping[int, NDArray[np.bool_]] | None = None

    @property
    def changes(self) -> bool:
        """Whether anything is to be reported."""
        return bool(self.truths) or self.unnamed


@dataclass(frozen=True, eq=False)
class SaggingRobot(DamagedRobot):
    """A robot whose turning joints yield to the weight of what its last link holds.

    Attributes:
        last: Number of the body that holds it.
        most: (J,) turn of each joint from which the load is `reach` away on the level (rad).
        reach: m.
    """

    last: int = 0
    most: NDArray[np.float64] = field(default_factory=lambda: np.zeros(0))
    reach: float = 1.0

    def body_poses(self, readings: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the true poses (B, 4, 4); a joint turns with the fall of the load by its turn."""
        sag = np.zeros(len(readings))
        for joint, kind in enumerate(one.kind for one in self.robot.joints):
            if kind != "prismatic":
                step = np.zeros(len(readings))
                step[joint] = _STEP
                rise = self._height(readings + step) - self._height(readings - step)
                sag[joint] = -self.most[joint] * rise / (2 * _STEP * self.reach)
        return self.robot.body_poses(readings + sag)

    def _height(self, values: NDArray[np.float64]) -> float:
        surface = self.robot.surfaces[self.last]
        assert surface is not None
        pose = self.robot.body_poses(values)[self.last]
        middle = (surface.hull.min(axis=0) + surface.hull.max(axis=0)) / 2
        return float(transform(pose, middle)[2])


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
        self._joint = turning[seed % len(turning)]
        parents = {robot.joints[place].parent for place in turning}
        last = [place + 1 for place in turning if place + 1 not in parents]
        self._last = last[seed % len(last)]
        self._sign = float(rng.choice([-1.0, 1.0]))
        long = [body for body in range(1, len(robot.surfaces)) if _can_bend(robot, body)]
        self._body = long[seed % len(long)] if long else None
        self._way, self._share = rng.uniform(0.0, 2 * np.pi), rng.uniform(0.3, 0.7)
        self._camera = seed % CELL.cameras
        axis = rng.normal(size=3)
        self._turn = axis / np.linalg.norm(axis)
        shares = np.random.default_rng([seed, 8]).uniform(0.5, 1.5, len(robot.joints))
        self._yields = np.radians(0.5) * shares

    def fault(self, name: str) -> Fault | None:
        """Return the fault of this name; None where the robot has nothing that it can happen to."""
        return _FAULTS[name](self)

    def none(self) -> Fault:
        """Nothing happens."""
        return Fault(damage.undamaged(self._robot))

    def joint_zero(self) -> Fault:
        """A zero slips by a degree."""
        joint = self._joint
        slipped = damage.with_zero_off(self._robot, joint, self._sign * np.radians(1.0))
        return Fault(slipped, (("joint_zero", self._robot.names[joint]),))

    def bent(self) -> Fault | None:
        """A link is bent by three degrees."""
        turn = np.radians(3.0) * np.array([np.cos(self._way), np.sin(self._way), 0.0])
        return self._of_link(np.concatenate([turn, np.zeros(3)]))

    def shortened(self) -> Fault | None:
        """A link is 1 cm shorter."""
        return self._of_link(np.array([0.0, 0.0, 0.0, 0.0, 0.0, -0.01]))

    def tool(self) -> Fault:
        """A tool of 10 cm is on a last link."""
        tool = with_tool(self._robot, self._last, 0.1)
        return Fault(tool, (("attachment", self._link(self._last)),))

    def camera(self) -> Fault:
        """A camera is turned by a degree."""
        turned = self._turned(np.radians(1.0))
        return Fault(damage.undamaged(self._robot), (self._camera_pose,), cameras=[turned])

    def box(self) -> Fault:
        """A box stands on the ground beside the robot."""
        box = box_beside(self._cell, self._rows, self._rng)
        return Fault(damage.undamaged(self._robot), (("object", ""),), beside=box)

    def two(self) -> Fault:
        """A zero slips by a degree, and a camera is turned by one."""
        slipped = self.joint_zero()
        turned = self._turned(np.radians(1.0))
        return Fault(slipped.robot, (*slipped.truths, self._camera_pose), cameras=[turned])

    def shaking(self) -> Fault:
        """A camera is loose and shakes by half a degree."""
        angles = np.radians(0.5) * np.array([1.0, -0.7, 0.4, -1.0, 0.8, -0.2, -0.5])
        cameras = [self._turned(float(angle)) for angle in angles]
        return Fault(damage.undamaged(self._robot), (self._camera_pose,), cameras=cameras)

    def dirty(self) -> Fault:
        """Drops on a camera's lens hide round parts of the image: nothing is wrong of the robot."""
        rng = np.random.default_rng(self._rows.start + self._camera)
        rows, columns = np.mgrid[: CELL.height, : CELL.width]
        lost = np.zeros((CELL.height, CELL.width), bool)
        for _ in range(6):
            row, column = rng.uniform(0, CELL.height), rng.uniform(0, CELL.width)
            size = rng.uniform(0.02, 0.06) * CELL.width
            lost |= (rows - row) ** 2 + (columns - column) ** 2 < size**2
        return Fault(damage.undamaged(self._robot), lost={self._camera: lost})

    def sag(self) -> Fault:
        """All joints yield to a load, by 0.25 to 0.75 degrees at full reach.

        To name the load is right. So is to name nothing: joints yield unequally.
        """
        robot = self._robot
        reach = float(np.linalg.norm(robot.vertices(robot.neutral), axis=1).max())
        whole = damage.undamaged(robot)
        sagging = SaggingRobot(
            robot, whole.surfaces, whole.zeros, {}, self._last, self._yields, reach
        )
        return Fault(sagging, (("sag", self._link(self._last)),), unnamed=True)

    @property
    def _camera_pose(self) -> tuple[str, str]:
        return "camera_pose", f"camera_{self._camera}"

    def _of_link(self, twist: NDArray[np.float64]) -> Fault | None:
        if self._body is None:
            return None
        robot = damage.bent(self._robot, self._body, self._share, twist)
        return Fault(robot, (("link_shape", self._link(self._body)),))

    def _turned(self, angle: float) -> list[Camera]:
        cameras = list(self._cell.cell.true_cameras)
        moved = cameras[self._camera].perturbed(np.zeros(3), angle * self._turn)
        cameras[self._camera] = moved
        return cameras

    def _link(self, body: int) -> str:
        """Return the model's link that moves as a body; without a motor, that of its parent."""
        # The model's joints may have other names than the robot's, which are its motors'.
        while body and self._robot.names[body - 1] not in self._model.motors:
            body = self._robot.joints[body - 1].parent
        return self._model.moved_by(self._robot.names[body - 1]) if body else self._model.links[0]


_FAULTS: dict[str, Callable[[FaultDrawer], Fault | None]] = {
    "none": FaultDrawer.none,
    "joint_zero": FaultDrawer.joint_zero,
    "bent": FaultDrawer.bent,
    "shortened": FaultDrawer.shortened,
    "tool": FaultDrawer.tool,
    "camera": FaultDrawer.camera,
    "box": FaultDrawer.box,
    "two": FaultDrawer.two,
    "shaking": FaultDrawer.shaking,
    "dirty": FaultDrawer.dirty,
    "sag": FaultDrawer.sag,
}
FAULTS = tuple(_FAULTS)


def with_tool(robot: SimulatedRobot, body: int, length: float) -> DamagedRobot:
    """Return the robot with a box on a body, on the side that is farthest from all other bodies.

    Args:
        robot: As described.
        body: Number of the body.
        length: Of the box (m), which is a third as wide.
    """
    whole = damage.undamaged(robot)
    surface = whole.surfaces[body]
    assert surface is not None
    poses = robot.body_poses(robot.neutral)
    others = [
        transform(inverse(poses[body]) @ pose, _samples(other))
        for number, (other, pose) in enumerate(zip(whole.surfaces, poses, strict=True))
        if other is not None and number != body
    ]
    tree, middle = cKDTree(np.concatenate(others)), surface.hull.mean(axis=0)
    ways = np.concatenate([np.eye(3), -np.eye(3)])
    reaches = ((surface.hull - middle) @ ways.T).max(axis=0)
    ends = middle + (reaches + length)[:, None] * ways
    best = int(tree.query(ends)[0].argmax())
    frame = trimesh.geometry.align_vectors([0, 0, 1], ways[best])
    frame[:3, 3] = middle + (reaches[best] + length / 2 - _SUNK) * ways[best]
    box = trimesh.creation.box((length / 3, length / 3, length), transform=frame)
    surfaces = list(whole.surfaces)
    surfaces[body] = merged([surface, from_trimesh(box, BOX_COLOR)])
    return replace(whole, surfaces=tuple(surfaces))


def _samples(surface: SurfaceMesh) -> NDArray[np.float64]:
    """(N, 3) points spread over a surface (m)."""
    mesh = trimesh.Trimesh(surface.vertices, surface.triangles, process=False)
    return np.asarray(trimesh.sample.sample_surface(mesh, _SAMPLES, seed=0)[0], float)


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
