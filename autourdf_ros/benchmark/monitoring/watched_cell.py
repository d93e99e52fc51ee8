"""A simulated robot at work before depth cameras that the monitor watches."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.data.background import Background
from autourdf_ros.geometry.rigid_motion import transform
from autourdf_ros.geometry.triangle_mesh import SurfaceMesh, merged
from autourdf_ros.model.urdf.robot_library import find_urdf
from autourdf_ros.model.urdf.simulated_robot import SimulatedRobot
from autourdf_ros.monitoring.observing.observation import Observation
from autourdf_ros.simulation.cameras import scene
from autourdf_ros.simulation.cameras.noise import REAL_CAMERA, measured_depth
from autourdf_ros.simulation.cameras.pinhole_camera import Camera
from autourdf_ros.simulation.cameras.renderer import Renderer
from autourdf_ros.simulation.damage import DamagedRobot
from autourdf_ros.simulation.random_motion import DEFAULT_STEP, random_walk, start_configuration
from autourdf_ros.simulation.simulated_cell import Cell, CellOptions, workspace_of

RATE = 5.0  # observations of a camera a second
ENCODER_NOISE = 1e-4  # rad or m
CELL = CellOptions(2, 640, 480, elevations=(10.0, 60.0), noise=REAL_CAMERA, ground=True)
CLUTTER = 3
VOXEL = 0.012  # m, of the empty scene


@dataclass(frozen=True)
class WatchedCell:
    """A robot at work before cameras.

    Attributes:
        robot: The simulated robot.
        cell: Holds the cameras.
        path: (F, J) joint values, one row an observation (rad or m).
        surroundings: Everything else in the scene.
    """

    robot: SimulatedRobot
    cell: Cell
    path: NDArray[np.float64]
    surroundings: SurfaceMesh

    def observations(
        self,
        rows: range,
        robot: DamagedRobot,
        rng: np.random.Generator,
        *,
        cameras: Sequence[Sequence[Camera]] | None = None,
        beside: SurfaceMesh | None = None,
        lost: Mapping[int, NDArray[np.bool_]] | None = None,
    ) -> Iterator[Observation]:
        """Yield what the cameras see.

        Args:
            rows: Of the path.
            robot: As it truly is.
            rng: Of the noise.
            cameras: True cameras, of one row after the other, from the first again after the last;
                None: always those of the cell.
            beside: New object in the scene.
            lost: By camera, (height, width) pixels that measure nothing.
        """
        objects = [self.surroundings] if beside is None else [self.surroundings, beside]
        scenery = merged(objects)
        renderers = [
            Renderer(robot.surfaces, seen, scenery) for seen in cameras or [self.cell.true_cameras]
        ]
        for row in rows:
            renderer = renderers[row % len(renderers)]
            values = self.path[row]
            poses = robot.body_poses(values)
            read = values + rng.normal(0.0, ENCODER_NOISE, len(values))
            readings = dict(zip(self.robot.names, read.tolist(), strict=True))
            for number, camera in enumerate(self.cell.cameras):
                points = cloud(renderer, poses, number, camera, rng)
                if lost is not None and number in lost:
                    points[lost[number].reshape(-1)] = np.nan
                name = f"camera_{number}"
                yield Observation(name, row / RATE, points, camera.pose, readings)

    def background(self, rng: np.random.Generator) -> Background:
        """Return what the cameras see without the robot, one point a voxel."""
        nothing = [None] * len(self.robot.surfaces)
        renderer = Renderer(nothing, self.cell.true_cameras, self.surroundings)
        poses = self.robot.body_poses(self.path[0])
        seen = []
        for number, camera in enumerate(self.cell.cameras):
            points = cloud(renderer, poses, number, camera, rng)
            points = points[np.isfinite(points).all(axis=1)]
            seen.append(transform(camera.pose, points.astype(float)))
        points = np.concatenate(seen)
        voxels = np.unique(np.floor(points / VOXEL).astype(int), axis=0, return_index=True)[1]
        return Background(points[voxels].astype(np.float32))


def watched_cell(name: str, frames: int, seed: int) -> WatchedCell:
    """Return a robot that moves all its joints at once, in small steps, fully in view."""
    motion, placing, clutter = map(np.random.default_rng, np.random.SeedSequence(seed).spawn(3))
    robot = SimulatedRobot(find_urdf(name))
    workspace = workspace_of(robot, CELL)
    start = start_configuration(workspace, motion)
    path = random_walk(workspace, start, frames, motion, DEFAULT_STEP)
    cell = Cell(workspace, path[:: max(1, frames // 100)], CELL, placing)
    points = np.concatenate([robot.vertices(values) for values in path[::10]])
    centre = (points.min(axis=0) + points.max(axis=0)) / 2
    radius = float(np.linalg.norm(points - centre, axis=1).max())
    assert workspace.ground is not None
    objects = [scene.ground(centre, radius, workspace.ground)]
    objects += scene.clutter(centre, radius, workspace.ground, CLUTTER, clutter)
    together = merged(objects)
    assert together is not None
    return WatchedCell(robot, cell, path, together)


def cloud(
    renderer: Renderer,
    poses: NDArray[np.float64],
    number: int,
    camera: Camera,
    rng: np.random.Generator,
) -> NDArray[np.float32]:
    """Return (N, 3) points that the camera of this number measures, in its optical frame (m)."""
    depth = measured_depth(renderer.render(poses, number), REAL_CAMERA, rng)
    return camera.intrinsics.deproject(depth).reshape(-1, 3)
