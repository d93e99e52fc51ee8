"""`autourdf simulate`: record a simulated robot or mechanism, with the truth beside it."""

from __future__ import annotations

import argparse
import shlex
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from autourdf_ros.cli.data.simulate_images import (
    add_image_arguments,
    refuse_without_images,
    simulate_images,
)
from autourdf_ros.cli.data.simulate_mechanism import add_mechanism_arguments, simulate_mechanism
from autourdf_ros.cli.number_arguments import number, whole_number
from autourdf_ros.commanding.targets.excitation import BLIND
from autourdf_ros.errors import InputError

if TYPE_CHECKING:
    from autourdf_ros.simulation.recordings.recorder import RecorderOptions

HELP = "record a simulated robot or mechanism before depth or colour cameras, with its truth"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument(
        "robot",
        metavar="ROBOT",
        nargs="?",
        help="a URDF file, or a name of example-robot-data, for example ur5_gripper",
    )
    parser.add_argument(
        "-o", "--out", type=Path, required=True, metavar="RECORDING", help="new folder to write"
    )
    parser.add_argument(
        "--sequences",
        type=whole_number,
        help="number of sequences, all from one start configuration (default: 5)",
    )
    parser.add_argument(
        "--frames",
        type=whole_number,
        help="number of frames of a sequence (default: 10; with --mechanism 200)",
    )
    parser.add_argument(
        "--cameras",
        type=whole_number,
        help="number of depth cameras around the robot (default: 20; with --noise real 4)",
    )
    parser.add_argument(
        "--points",
        type=whole_number,
        help="number of points kept of a frame (default: 5000; with --noise real 20000)",
    )
    parser.add_argument("--seed", type=whole_number, help="of all randomness (default: 0)")
    parser.add_argument(
        "--excitation",
        choices=BLIND,
        help="draw targets as the capture node: some joints at a time, or each alone "
        "and then every two; default: all joints move in every frame, as in the paper",
    )
    parser.add_argument(
        "--noise",
        choices=("paper", "real", "none"),
        help="paper: as in the AutoURDF paper (20 views, 0.5 mm a point, frames shifted by 1 cm); "
        "real: of 4 depth cameras, or with --images of camera, calibration, masks and encoders; "
        "none (default: paper; with --mechanism real, with --images none)",
    )
    parser.add_argument(
        "--shift",
        type=number,
        metavar="METRES",
        help="standard deviation of the shift of whole frames, per axis (default: 0.01 with "
        "--noise paper, otherwise 0)",
    )
    parser.add_argument(
        "--scene",
        action="store_true",
        help="add ground and clutter, and remove them from the clouds",
    )
    parser.add_argument(
        "--format",
        choices=("bag", "folder"),
        default="bag",
        help="bag: rosbag2 (MCAP); folder: SEQUENCE/FRAME/robot.ply and joint_cfg.txt "
        "(default: bag)",
    )
    add_image_arguments(parser)
    add_mechanism_arguments(parser)


def run(args: argparse.Namespace) -> int:
    """Run the command."""
    from autourdf_ros.cli.terminal.progress_bar import progress_bar
    from autourdf_ros.cli.terminal.termination import let_terminate_clean_up
    from autourdf_ros.files.writer_lock import lock_beside
    from autourdf_ros.model.urdf.robot_library import find_urdf
    from autourdf_ros.model.urdf.simulated_robot import SimulatedRobot
    from autourdf_ros.simulation.recordings.recorder import Recorder
    from autourdf_ros.simulation.recordings.write_recording import write_recording
    from autourdf_ros.simulation.truth_file import TRUTH_FILE

    if args.images is not None:
        return simulate_images(args)
    refuse_without_images(args)
    if args.mechanism is not None:
        return simulate_mechanism(args)
    if args.robot is None:
        raise InputError("neither ROBOT nor --mechanism NAME is given; accepted is one")
    robot = SimulatedRobot(find_urdf(args.robot))
    recorder = Recorder(robot, _options(args))
    let_terminate_clean_up()
    with lock_beside(args.out), progress_bar() as progress:
        write_recording(recorder, args.out, args.format, progress)
    print(args.out)
    print(
        f"truth: {args.out / TRUTH_FILE}\n"
        f"next: autourdf reconstruct {shlex.quote(str(args.out))} -o OUT",
        file=sys.stderr,
    )
    return 0


def _options(args: argparse.Namespace) -> RecorderOptions:
    from autourdf_ros.simulation.cameras.noise import REAL_CAMERA
    from autourdf_ros.simulation.recordings.recorder import RecorderOptions
    from autourdf_ros.simulation.simulated_cell import CellOptions

    _check_numbers(args)
    cell, options = CellOptions(), RecorderOptions()
    if args.noise in ("real", "none"):
        options = replace(options, point_sigma=0.0, shift_sigma=0.0)
    if args.noise == "real":
        cell = CellOptions(4, 640, 480, elevations=(10.0, 60.0), noise=REAL_CAMERA)
        options = replace(options, points=20000, clean=True)
    if args.scene:
        cell = replace(cell, ground=True, clutter=8, elevations=(15.0, 60.0))
        options = replace(options, clean=True)
    if args.cameras is not None:
        cell = replace(cell, cameras=args.cameras)
    if args.shift is not None:
        options = replace(options, shift_sigma=args.shift)
    given = ("sequences", "frames", "points", "seed", "excitation")
    chosen = {name: getattr(args, name) for name in given if getattr(args, name) is not None}
    return replace(options, cell=cell, **chosen)


def _check_numbers(args: argparse.Namespace) -> None:
    """Raise InputError naming an option whose value is out of its range."""
    least = {"sequences": 1, "frames": 1, "cameras": 1, "points": 1, "seed": 0, "shift": 0}
    for name, lowest in least.items():
        value = getattr(args, name)
        if value is not None and not value >= lowest:
            unit = " m" if name == "shift" else ""
            raise InputError(f"--{name} is {value}{unit}; accepted is {lowest} or more")
