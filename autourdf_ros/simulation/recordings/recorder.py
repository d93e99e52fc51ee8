"""Simulates a recording: motion before a cell's cameras, merged and thinned clouds."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import KDTree

from autourdf_ros.commanding.targets.excitation import ExcitationName
from autourdf_ros.data.cleaning import Box, CleaningOptions, Ground, clean
from autourdf_ros.data.frame import Frame
from autourdf_ros.errors import InputError
from autourdf_ros.geometry.rigid_motion import from_translation
from autourdf_ros.model.urdf.simulated_robot import SimulatedRobot
from autourdf_ros.simulation.random_motion import (
    DEFAULT_STEP,
    StepSize,
    random_walk,
    start_configuration,
)
from autourdf_ros.simulation.recordings.captured_motion import captured_paths
from autourdf_ros.simulation.recordings.thinning import thin
from autourdf_ros.simulation.simulated_cell import Cell, CellOptions, workspace_of
from autourdf_ros.simulation.truth_file import truth_of
from autourdf_ros.simulation.workspace import Workspace

_PAPER_CELL = CellOptions()
_BOX_MARGIN = 0.03  # m
_GROUND_MARGIN = 0.015  # m, of the ground's noise at a few metres
_GAP = 0.05  # m, between the robot and other objects


@dataclass(frozen=True)
class RecorderOptions:
    """Contents of a simulated recording.

    Attributes:
        sequences: number of sequences, all from one start configuration.
        frames: number of frames of a sequence.
        points: kept of a frame's merged cloud.
        seed: of all randomness.
        point_sigma: isotropic noise of every point (m), as in Lin et al.: "AutoURDF", CVPR 2025.
        shift_sigma: shift per axis of every whole frame but the first of a sequence (m), as in the
            same paper.
        clean: whether clouds are cleaned as by the capture node: cropped to where the robot moves,
            ground and outliers removed.
        cell: cameras and scene.
        step: of `random_walk`.
        excitation: which joints move, as drawn by the capture; None: all joints, by `random_walk`.
    """

    sequences: int = 5
    frames: int = 10
    points: int = 5000
    seed: int = 0
    point_sigma: float = 0.0005
    shift_sigma: float = 0.01
    clean: bool = False
    cell: CellOptions = _PAPER_CELL
    step: StepSize = DEFAULT_STEP
    excitation: ExcitationName | None = None

    def __post_init__(self) -> None:
        """Raise InputError naming a value out of its range."""
        for name, least in (
            ("sequences", 1),
            ("frames", 1),
            ("points", 1),
            ("seed", 0),
            ("point_sigma", 0),
            ("shift_sigma", 0),
        ):
            if not getattr(self, name) >= least:
                raise InputError(f"{name} is {getattr(self, name)}; accepted is {least} or more")


@dataclass(frozen=True)
class SimulatedFrame:
    """A frame with its truth.

    Attributes:
        frame: as recorded.
        sequence: its number.
        values: (J,) joint values (rad or m).
        labels: (N,) body of every point, -1 for points that are not on the robot.
        shift: (3,) translation added to the whole frame, metres.
    """

    frame: Frame
    sequence: int
    values: NDArray[np.float64]
    labels: NDArray[np.int16]
    shift: NDArray[np.float64]


class Recorder:
    """A robot among its cameras; the same robot, options and seed give the same recording."""

    def __init__(
        self, robot: SimulatedRobot, options: RecorderOptions, cell: Cell | None = None
    ) -> None:
        """Plan the motion and place the cameras.

        Args:
            robot: The robot.
            options: Of the recording.
            cell: Of an earlier recording, whose cameras are to stand as they did there; None to
                place them.

        Raises:
            InputError: The robot cannot move.
        """
        self.robot, self.options = robot, options
        streams = np.random.SeedSequence(options.seed).spawn(2 + options.sequences * options.frames)
        self._frame_seeds = streams[2:]
        rng = np.random.default_rng(streams[0])
        workspace = workspace_of(robot, options.cell)
        start = start_configuration(workspace, rng)
        self.paths = _paths(workspace, start, options, rng)
        everywhere = self.paths.reshape(-1, len(start))
        placing = np.random.default_rng(streams[1])
        self.cell = Cell(workspace, everywhere, options.cell, placing) if cell is None else cell
        self._poses = np.stack([camera.pose for camera in self.cell.cameras])
        self._cleaning = _cleaning(workspace, everywhere, options.points) if options.clean else None

    @property
    def count(self) -> int:
        """Number of frames of all sequences."""
        return len(self._frame_seeds)

    def frames(self) -> Iterator[SimulatedFrame]:
        """Yield the frames of all sequences in order."""
        return map(self.frame, range(self.count))

    def frame(self, number: int) -> SimulatedFrame:
        """Return a frame, which does not depend on the frames taken before."""
        sequence, index = divmod(number, self.options.frames)
        return self._frame(sequence, index, np.random.default_rng(self._frame_seeds[number]))

    def truth(self, reference: SimulatedFrame) -> dict[str, Any]:
        """Return the truth of the recording whose first frame is `reference`.

        It adds to `truth_of` the seed, the noise, the number of the reference frame's points on
        every body, and the body of each of its points.
        """
        truth = truth_of(self.robot, self.paths[0, 0])
        labels = reference.labels
        counts = np.bincount(labels[labels >= 0], minlength=len(truth["bodies"]))
        for body, points in zip(truth["bodies"], counts, strict=True):
            body["reference_points"] = int(points)
        return truth | {
            "seed": self.options.seed,
            "noise": asdict(self.options.cell.noise)
            | {"point_sigma": self.options.point_sigma, "shift_sigma": self.options.shift_sigma},
            "reference_labels": labels.tolist(),
        }

    def _frame(self, sequence: int, index: int, rng: np.random.Generator) -> SimulatedFrame:
        values, options = self.paths[sequence, index], self.options
        cloud = self._cloud(values, rng)
        shift = rng.normal(0.0, options.shift_sigma, 3) * (index > 0)
        noise = rng.normal(0.0, options.point_sigma, cloud.points.shape)
        driven = zip(self.robot.names, values, self.robot.driven, strict=True)
        frame = Frame(
            (cloud.points + noise + shift).astype(np.float32),
            cloud.colors,
            stamp=float(sequence * options.frames + index + 1),
            joint_positions={name: float(value) for name, value, motor in driven if motor},
            cameras=cloud.cameras,
            camera_poses=None if cloud.cameras is None else from_translation(shift) @ self._poses,
        )
        return SimulatedFrame(frame, sequence, values, cloud.body, shift)

    def _cloud(self, values: NDArray[np.float64], rng: np.random.Generator) -> _FrameCloud:
        clouds = self.cell.clouds(values, rng)
        points = np.concatenate([cloud.points for cloud in clouds])
        body = np.concatenate([cloud.body for cloud in clouds])
        if self._cleaning is None:
            kept = thin(points, self.options.points)
            colors = np.concatenate([cloud.colors for cloud in clouds])
            return _FrameCloud(points[kept], colors[kept], body[kept])
        pairs = [(cloud.points, cloud.colors) for cloud in clouds]
        cleaned, cleaned_colors, cameras = clean(pairs, self._cleaning)
        if len(cleaned) == 0 or cleaned_colors is None:
            raise InputError(f"{self.robot.urdf}: cleaning left nothing of the cameras' clouds")
        # A cleaned point is the mean of a voxel: it belongs to the nearest measured one.
        near = np.all(np.abs(points - cleaned.mean(axis=0)) <= 2 * np.ptp(cleaned, axis=0), axis=1)
        nearest = KDTree(points[near]).query(cleaned)[1]
        return _FrameCloud(cleaned, cleaned_colors, body[near][nearest], cameras)


def _paths(
    workspace: Workspace,
    start: NDArray[np.float64],
    options: RecorderOptions,
    rng: np.random.Generator,
) -> NDArray[np.float64]:
    """Return the configurations (sequences, frames, J)."""
    sequences, frames = options.sequences, options.frames
    if options.excitation is not None:
        return captured_paths(
            workspace,
            start,
            sequences,
            frames,
            excitation=options.excitation,
            seed=options.seed,
        )
    walks = [random_walk(workspace, start, frames, rng, options.step) for _ in range(sequences)]
    return np.stack(walks)


@dataclass(frozen=True)
class _FrameCloud:
    """Points (N, 3), colours (N, 3), body (N,) of each, and its camera (N,) where known."""

    points: NDArray[np.floating]
    colors: NDArray[np.uint8]
    body: NDArray[np.int16]
    cameras: NDArray[np.uint8] | None = None


def _cleaning(
    workspace: Workspace, configurations: NDArray[np.float64], points: int
) -> CleaningOptions:
    """Return what a user would configure for this cell: the robot's box, the ground."""
    hulls = np.concatenate([workspace.robot.vertices(values) for values in configurations])
    lower, upper = hulls.min(axis=0) - _BOX_MARGIN, hulls.max(axis=0) + _BOX_MARGIN
    height = workspace.ground
    ground = None if height is None else Ground(height, margin=_GROUND_MARGIN)
    return CleaningOptions(Box(tuple(lower), tuple(upper)), ground, gap=_GAP, points=points)
