"""The suites: robots, and how they are recorded."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from autourdf_ros.benchmark.cases.disturbance import NONE, Disturbance
from autourdf_ros.errors import InputError
from autourdf_ros.estimation.motion.network_options import NeuralOptions
from autourdf_ros.estimation.motion.reconstruction import Method, ReconstructionOptions
from autourdf_ros.simulation.cameras.noise import REAL_CAMERA
from autourdf_ros.simulation.random_motion import StepSize
from autourdf_ros.simulation.recordings.recorder import RecorderOptions
from autourdf_ros.simulation.simulated_cell import CellOptions

FULL = (
    "ur5_gripper", "ur10_robot", "panda", "xarm7", "kinova", "z1", "so101", "solo", "solo12",
    "bolt", "allegro_right_hand", "go2", "g1_29dof_rev_1_0",
)  # fmt: skip
QUICK = ("ur5_gripper", "solo", "so101")
HARD = ("ur5_gripper", "panda", "solo")
FEW = ("ur5_gripper", "panda", "solo12", "allegro_right_hand", "g1_29dof_rev_1_0")
SUITES = ("quick", "full", "hard", "cell", "few")
OBJECTS = tuple(sorted((Path(__file__).parent / "objects").glob("*.urdf")))
"""Everyday objects with one or two joints, and a linear axis with a gripper."""

SCALED, SCALE_LINKS = "so101", ("so101", "solo12", "allegro_right_hand", "g1_29dof_rev_1_0")
SCALE_FRAMES, SCALE_POINTS = (10, 20, 50, 100, 200, 500), (1000, 2000, 5000, 10000, 20000)
SCALE_BOTH = ((500, 20000),)

TURNED = Disturbance(turn=np.radians(3))
WALKING = Disturbance(turn=np.radians(3), shift=0.03, drift=True)
LOSING = Disturbance(lost_readings=0.3)

CAPTURED = 20000
"""Points of a frame that the capture node keeps by default (config/capture.yaml)."""
FOUR_CAMERAS = CellOptions(
    cameras=4,
    width=640,
    height=480,
    elevations=(15.0, 60.0),
    noise=REAL_CAMERA,
    ground=True,
    clutter=8,
)


@dataclass(frozen=True)
class Case:
    """One row of the table.

    Attributes:
        name: In the table.
        robot: Name in example-robot-data, URDF file, or the folder of a recording with truth.json.
        options: Of the recorder; None for an existing recording.
        use_readings: Whether the engine may use the joint readings.
        disturbance: Of the recording before its reconstruction.
        first: Number of the sequence that comes before all others.
        method: What reconstructs.
        neural: Options of AutoURDF's method.
        count_links: Whether the number of links is given.
        points: Of a frame, used by the engine; None: all that were simulated, or the engine's
            default of an existing recording.
    """

    name: str
    robot: str
    options: RecorderOptions | None
    use_readings: bool = False
    disturbance: Disturbance = NONE
    first: int = 0
    method: Method = "engine"
    neural: NeuralOptions = field(default_factory=NeuralOptions)
    count_links: bool = False
    points: int | None = None


def suite(
    name: str, sequences: int, robots: Sequence[str] = (), seeds: int = 1
) -> tuple[Case, ...]:
    """Return the cases of a suite.

    quick and full follow the protocol of AutoURDF (Lin et al., CVPR 2025): 20 views, 5,000 points
    by voxel thinning and farthest-point sampling, 10 frames of 4 to 8 degrees for every joint at
    once, whole frames shifted by 1 cm, 0.5 mm noise a point, sequences from one start
    configuration, without readings. hard adds the difficulties of real cells, one by one. cell is
    what the capture node records with four depth cameras as real ones, with readings and without.
    few is the paper's protocol with steps of 20 to 40 degrees.

    Args:
        name: One of SUITES.
        sequences: To record.
        robots: Instead of the suite's own.
        seeds: Recordings of every robot of cell and few, with seeds from 0.

    Raises:
        InputError: Another name.
    """
    paper = RecorderOptions(sequences=sequences)
    if name == "hard":
        objects = () if robots else (Case(path.stem, str(path), paper) for path in OBJECTS)
        return (*_hard(sequences, robots or HARD), *objects)
    if name == "cell":
        return _cell(sequences, robots or FULL, seeds)
    if name == "few":
        return _few(sequences, robots or FEW, seeds)
    if name not in SUITES:
        raise InputError(f"suite '{name}': accepted are {', '.join(SUITES)}")
    chosen = robots or (QUICK if name == "quick" else FULL)
    return tuple(
        Case(Path(robot).stem, robot, None if is_recording(Path(robot)) else paper)
        for robot in chosen
    )


def varied(cases: Sequence[Case], sequences: int, draws: int) -> tuple[Case, ...]:
    """Return each case with each sequence as the first and each of several random losses of points.

    Args:
        cases: To vary.
        sequences: Of each recording.
        draws: Number of random tenths of the points that are left out, one for each new case.
    """
    return tuple(
        replace(
            case,
            name=f"{case.name}, sequence {first} first, draw {draw}",
            disturbance=replace(case.disturbance, lost_points=0.1, seed=draw),
            first=first,
        )
        for case in cases
        for first in range(sequences)
        for draw in range(draws)
    )


def by_methods(cases: Sequence[Case], methods: Sequence[Method]) -> tuple[Case, ...]:
    """Return each case with each of the methods."""
    return tuple(replace(case, method=method) for case in cases for method in methods)


def scale(robots: Sequence[str] = ()) -> tuple[Case, ...]:
    """Return the cases that measure time and memory against the size of the recording.

    Frames and points vary with one robot, links with robots of 6 to 29 joints.
    """
    paper = RecorderOptions(sequences=1)
    cases = []
    for robot in robots or (SCALED,):
        name = Path(robot).stem
        cases += [
            Case(f"{name}, {frames} frames", robot, replace(paper, frames=frames))
            for frames in SCALE_FRAMES
        ]
        cases += [
            Case(f"{name}, {points} points", robot, replace(paper, points=points))
            for points in SCALE_POINTS
        ]
        cases += [
            Case(
                f"{name}, {frames} frames of {points} points",
                robot,
                replace(paper, frames=frames, points=points),
            )
            for frames, points in SCALE_BOTH
        ]
    return (*cases, *(() if robots else (Case(robot, robot, paper) for robot in SCALE_LINKS)))


def is_recording(path: Path) -> bool:
    """Return whether a path is the folder of a recording with its truth."""
    return (path / "truth.json").is_file()


def recordings_in(folder: Path) -> tuple[str, ...]:
    """Return the paths of all recordings with a truth.json that are subfolders of a folder.

    Raises:
        InputError: There are none.
    """
    found = tuple(str(path) for path in sorted(folder.glob("*/")) if is_recording(path))
    if not found:
        raise InputError(
            f"{folder}: contains no recording; accepted is a folder of CASE/, each a recording "
            "with a truth.json"
        )
    return found


def _cell(sequences: int, robots: Sequence[str], seeds: int) -> tuple[Case, ...]:
    """Return what the capture node records in a cell of real depth cameras, with its defaults."""
    return tuple(
        Case(
            f"{Path(robot).stem}, seed {seed}{', readings' * use_readings}",
            robot,
            replace(_captured(sequences), excitation="random", seed=seed, points=CAPTURED),
            use_readings,
            points=ReconstructionOptions.points,
        )
        for robot in robots
        for seed in range(seeds)
        for use_readings in (True, False)
    )


def _few(sequences: int, robots: Sequence[str], seeds: int) -> tuple[Case, ...]:
    """Return recordings of large steps."""
    steps = StepSize(low=np.radians(20), high=np.radians(40))
    options = RecorderOptions(sequences=sequences, step=steps)
    return tuple(
        Case(f"{Path(robot).stem}, seed {seed}", robot, replace(options, seed=seed))
        for robot in robots
        for seed in range(seeds)
    )


def _captured(sequences: int) -> RecorderOptions:
    """Return a recording of four depth cameras as real ones, cleaned as the capture node does."""
    return RecorderOptions(
        sequences=sequences, cell=FOUR_CAMERAS, clean=True, point_sigma=0.0, shift_sigma=0.0
    )


def _hard(sequences: int, robots: Sequence[str]) -> tuple[Case, ...]:
    """Return cases of one difficulty each, then those of a real cell together."""
    paper = RecorderOptions(sequences=sequences)
    real = _captured(sequences)
    steps = StepSize(low=np.radians(12), high=np.radians(18))
    cameras = replace(paper.cell, cameras=4, elevations=(15.0, 60.0))
    cases = []
    for robot in robots:
        name = Path(robot).stem
        cases += [
            Case(f"{name}, four views", robot, replace(paper, cell=cameras)),
            Case(f"{name}, 15° steps", robot, replace(paper, step=steps)),
            Case(f"{name}, 4 mm noise", robot, replace(paper, point_sigma=0.004)),
            Case(f"{name}, turned frames", robot, paper, disturbance=TURNED),
            Case(f"{name}, floating base", robot, paper, disturbance=WALKING),
            Case(f"{name}, readings lost", robot, paper, True, LOSING),
            Case(f"{name}, real cameras", robot, real),
            Case(f"{name}, real, readings", robot, real, True),
        ]
    return tuple(cases)
