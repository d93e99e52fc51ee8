"""Simulates a whole recording: random motion, cameras around the robot, noise, merged clouds."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.errors import InputError
from autourdf_ros.recording.frame import Frame
from autourdf_ros.simulation import scene
from autourdf_ros.simulation.camera import Intrinsics, cameras_around
from autourdf_ros.simulation.motion import DEFAULT_STEP, StepSize, random_walk, start_configuration
from autourdf_ros.simulation.noise import PAPER, Noise, measured_depth, miscalibrated
from autourdf_ros.simulation.renderer import BACKGROUND, Renderer
from autourdf_ros.simulation.robot import SimulatedRobot
from autourdf_ros.simulation.surface_mesh import SurfaceMesh, merged
from autourdf_ros.simulation.thinning import thin
from autourdf_ros.simulation.truth import truth_of

FIELD_OF_VIEW = 58.0  # degrees, across the shorter side of the image


@dataclass(frozen=True)
class SimulationOptions:
    """What is recorded, and how.

    sequences, frames: how many sequences, all from one start configuration, of how many frames.
    cameras, width, height: depth cameras around the robot. elevations: from and to, degrees.
    points: kept of a frame's merged cloud. seed: of everything random.
    ground: whether the robot stands on the ground; clutter: things on it.
    """

    sequences: int = 5
    frames: int = 10
    cameras: int = 20
    width: int = 800
    height: int = 800
    elevations: tuple[float, float] = (-40.0, 70.0)
    points: int = 5000
    seed: int = 0
    noise: Noise = PAPER
    step: StepSize = DEFAULT_STEP
    ground: bool = False
    clutter: int = 0

    def __post_init__(self) -> None:
        """Raise InputError for a count that is not positive."""
        for name, least in (
            ("sequences", 1), ("frames", 1), ("cameras", 1), ("points", 1),
            ("width", 16), ("height", 16), ("clutter", 0), ("seed", 0),
        ):  # fmt: skip
            if getattr(self, name) < least:
                raise InputError(f"{name} is {getattr(self, name)}; accepted is {least} or more")


@dataclass(frozen=True)
class SimulatedFrame:
    """A frame with its truth.

    values: (J,) joint values. labels: (N,) body of every point, -1 for the scene.
    shift: (3,) by which the whole frame was moved, metres.
    """

    frame: Frame
    sequence: int
    values: NDArray[np.float64]
    labels: NDArray[np.int16]
    shift: NDArray[np.float64]


class Recorder:
    """A robot among its cameras; the same robot, options and seed give the same recording."""

    def __init__(self, robot: SimulatedRobot, options: SimulationOptions) -> None:
        """Plan the motion and place the cameras. Raises InputError where the robot cannot move."""
        self.robot, self.options = robot, options
        streams = np.random.SeedSequence(options.seed).spawn(3 + options.sequences * options.frames)
        self._frame_seeds = streams[3:]
        rng = np.random.default_rng(streams[0])
        self._ground = scene.ground_height(robot) if options.ground else -np.inf
        start = start_configuration(robot, self._is_free, rng)
        walk = (robot, start, options.frames, self._is_free, rng, options.step)
        self.paths = np.stack([random_walk(*walk) for _ in range(options.sequences)])
        center, radius = bounding_sphere(robot, self.paths.reshape(-1, len(start)))
        intrinsics = Intrinsics.from_field_of_view(options.width, options.height, FIELD_OF_VIEW)
        self.cameras = cameras_around(
            center, radius, options.cameras, intrinsics, options.elevations
        )
        rng = np.random.default_rng(streams[1])
        true_cameras = [miscalibrated(camera, options.noise, rng) for camera in self.cameras]
        background = self._background(center, radius, np.random.default_rng(streams[2]))
        self._renderer = Renderer(robot.surfaces, true_cameras, background)

    def frames(self) -> Iterator[SimulatedFrame]:
        """Yield the frames of all sequences in order."""
        count = self.options.frames
        for number, seed in enumerate(self._frame_seeds):
            sequence, index = divmod(number, count)
            yield self._frame(sequence, index, np.random.default_rng(seed))

    def truth(self, reference: SimulatedFrame) -> dict[str, Any]:
        """Return the truth of the recording whose first frame is `reference`."""
        truth = truth_of(self.robot, self.paths[0, 0])
        counts = np.bincount(
            reference.labels[reference.labels >= 0], minlength=len(truth["bodies"])
        )
        for body, points in zip(truth["bodies"], counts, strict=True):
            body["reference_points"] = int(points)
        return truth | {
            "seed": self.options.seed,
            "noise": asdict(self.options.noise),
            "reference_labels": reference.labels.tolist(),
        }

    def _frame(self, sequence: int, index: int, rng: np.random.Generator) -> SimulatedFrame:
        values, noise = self.paths[sequence, index], self.options.noise
        points, colors, labels = self._merged_cloud(values, rng)
        kept = thin(points, self.options.points)
        shift = rng.normal(0.0, noise.shift_sigma, 3) * (index > 0)
        points = points[kept] + rng.normal(0.0, noise.point_sigma, (len(kept), 3)) + shift
        driven = zip(self.robot.names, values, self.robot.driven, strict=True)
        frame = Frame(
            points.astype(np.float32),
            colors[kept],
            stamp=float(sequence * self.options.frames + index + 1),
            joint_positions={name: float(value) for name, value, motor in driven if motor},
        )
        return SimulatedFrame(frame, sequence, values, labels[kept], shift)

    def _merged_cloud(
        self, values: NDArray[np.float64], rng: np.random.Generator
    ) -> tuple[NDArray[np.float64], NDArray[np.uint8], NDArray[np.int16]]:
        poses = self.robot.body_poses(values)
        parts = []
        for index, camera in enumerate(self.cameras):
            view = self._renderer.render(poses, index)
            depth = measured_depth(view, self.options.noise, rng)
            seen = np.isfinite(depth)
            points = camera.intrinsics.deproject(depth)[seen].astype(np.float64)
            points = points @ camera.pose[:3, :3].T + camera.pose[:3, 3]
            parts.append((points, view.color[seen], view.body[seen]))
        points, colors, labels = (np.concatenate(column) for column in zip(*parts, strict=True))
        if len(points) == 0:
            raise InputError(f"{self.robot.urdf}: the cameras see nothing; has it visual meshes?")
        return points, colors, np.maximum(labels, BACKGROUND)

    def _is_free(self, values: NDArray[np.float64]) -> bool:
        if np.isfinite(self._ground) and not scene.is_above(self.robot, values, self._ground):
            return False
        return self.robot.colliding_links(values) is None

    def _background(
        self, center: NDArray[np.float64], radius: float, rng: np.random.Generator
    ) -> SurfaceMesh | None:
        if not self.options.ground:
            return None
        floor = scene.ground(center, radius, self._ground)
        things = scene.clutter(center, radius, self._ground, self.options.clutter, rng)
        return merged([floor] + ([] if things is None else [things]))


def bounding_sphere(
    robot: SimulatedRobot, configurations: NDArray[np.float64]
) -> tuple[NDArray[np.float64], float]:
    """((3,) centre, radius), metres, of a sphere around the robot in all (C, J) configurations."""
    corners = np.concatenate([robot.vertices(values) for values in configurations])
    center = (corners.min(axis=0) + corners.max(axis=0)) / 2
    return center, float(np.linalg.norm(corners - center, axis=1).max())
