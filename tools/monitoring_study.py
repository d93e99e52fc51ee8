"""Whether the monitor names what happened to a simulated robot: `tools/monitoring_study.py FOLDER`.

FOLDER/ROBOT is the robot's model, as `autourdf reconstruct` made it; it is made by a simulated
recording where it is missing. Then two depth cameras with real-like noise look at the robot at
work, five times a second: some seconds as it was, of which the monitor learns the usual, then, for
`--seconds`, with one thing changed. FOLDER/runs.jsonl gets one line for every run; runs that it
holds are not made again. Then a table of it is printed.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.monitoring.observation import Observation
from autourdf_ros.monitoring.watched_model import WatchedModel, load_watched_model
from autourdf_ros.kinematics.rigid_motion import transform
from autourdf_ros.recording.background import Background
from autourdf_ros.simulation import damage, scene
from autourdf_ros.simulation.camera import Camera
from autourdf_ros.simulation.cell import Cell, CellOptions, workspace_of
from autourdf_ros.simulation.damage import DamagedRobot
from autourdf_ros.simulation.motion import DEFAULT_STEP, random_walk, start_configuration
from autourdf_ros.simulation.noise import REAL_CAMERA, measured_depth
from autourdf_ros.simulation.renderer import Renderer
from autourdf_ros.simulation.robot import SimulatedRobot
from autourdf_ros.simulation.robot_library import find_urdf
from autourdf_ros.simulation.surface_mesh import SurfaceMesh, from_trimesh, merged

RATE = 5.0  # observations of a camera a second
ENCODER_NOISE = 1e-4  # rad or m
FAULTS = ("none", "joint_zero", "bent", "shortened", "tool", "camera", "box")
CELL = CellOptions(2, 640, 480, elevations=(10.0, 60.0), noise=REAL_CAMERA, ground=True)
CLUTTER = 3
VOXEL = 0.012  # m, of the empty scene


@dataclass(frozen=True)
class WatchedCell:
    """A robot at work before cameras.

    cell: gives the cameras. path: (F, J) its joints' values, one row a look. surroundings: what
    else stands there.
    """

    robot: SimulatedRobot
    cell: Cell
    path: NDArray[np.float64]
    surroundings: SurfaceMesh

    def looks(
        self,
        rows: range,
        robot: DamagedRobot,
        rng: np.random.Generator,
        *,
        cameras: Sequence[Camera] | None = None,
        beside: SurfaceMesh | None = None,
    ) -> Iterator[Observation]:
        """What the cameras see, which truly stand at `cameras`; `beside`: what is new there."""
        things = [self.surroundings] if beside is None else [self.surroundings, beside]
        renderer = Renderer(robot.surfaces, cameras or self.cell.true_cameras, merged(things))
        for row in rows:
            values = self.path[row]
            poses = robot.body_poses(values)
            read = values + rng.normal(0.0, ENCODER_NOISE, len(values))
            readings = dict(zip(self.robot.names, read.tolist(), strict=True))
            for number, camera in enumerate(self.cell.cameras):
                points = cloud(renderer, poses, number, camera, rng)
                name = f"camera_{number}"
                yield Observation(name, row / RATE, points, camera.pose, readings)

    def background(self, rng: np.random.Generator) -> Background:
        """What the cameras see without the robot, one point a voxel."""
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
    """A robot that moves all its joints at once, in small steps, all of it seen."""
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
    things = [scene.ground(centre, radius, workspace.ground)]
    things += scene.clutter(centre, radius, workspace.ground, CLUTTER, clutter)
    together = merged(things)
    assert together is not None
    return WatchedCell(robot, cell, path, together)


def cloud(
    renderer: Renderer,
    poses: NDArray[np.float64],
    number: int,
    camera: Camera,
    rng: np.random.Generator,
) -> NDArray[np.float32]:
    """(N, 3) what the camera of this number measures, in its optical frame."""
    depth = measured_depth(renderer.render(poses, number), REAL_CAMERA, rng)
    return camera.intrinsics.deproject(depth).reshape(-1, 3)
