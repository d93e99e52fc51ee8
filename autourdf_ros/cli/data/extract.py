"""`autourdf extract`: make a recording of a bag of `ros2 bag record`."""

from __future__ import annotations

import argparse
import math
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from autourdf_ros.data.cleaning import CleaningOptions
    from autourdf_ros.data.extraction.extraction import Extraction

HELP = "find the moments of stillness in a bag of ros2 bag record and write them as a recording"

EPILOG = """The bag must contain sensor_msgs/PointCloud2, and TF from the fixed frame to the clouds'
frames, unless they are the same. Without sensor_msgs/JointState the clouds determine when nothing
moved, which is less reliable. Clocks must agree, as where one machine stamps everything."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.epilog = EPILOG
    parser.add_argument(
        "bag", type=Path, metavar="BAG", help="a rosbag2 folder, or its .mcap or .db3 file"
    )
    parser.add_argument(
        "-o", "--out", type=Path, required=True, metavar="RECORDING", help="new folder to write"
    )
    parser.add_argument(
        "--clouds",
        nargs="+",
        default=[],
        metavar="TOPIC",
        help="clouds, one topic a camera (default: all)",
    )
    parser.add_argument(
        "--joint-states",
        nargs="+",
        default=[],
        metavar="TOPIC",
        help="measured joint states (default: /joint_states, or all topics with that ending)",
    )
    parser.add_argument(
        "--fixed-frame",
        metavar="FRAME",
        help="frame of all points, z up (default: base_link, or else the topmost above all clouds)",
    )
    parser.add_argument(
        "--still-time",
        type=_above_zero,
        metavar="SECONDS",
        help="how long the robot must stand still (default: 0.25, or six joint readings if longer; "
        "0.5 without readings)",
    )
    parser.add_argument(
        "--still-velocity",
        type=_above_zero,
        default=0.02,
        metavar="RAD_PER_S",
        help="a slower joint rests (default: 0.02; m/s for a linear joint)",
    )
    parser.add_argument(
        "--crop",
        nargs=6,
        type=float,
        metavar=("X0", "Y0", "Z0", "X1", "Y1", "Z1"),
        help="corners of the box outside which points are removed, in the fixed frame, metres "
        "(default: -1.5 -1.5 -0.1 1.5 1.5 2)",
    )
    ground = parser.add_mutually_exclusive_group()
    ground.add_argument(
        "--ground",
        type=float,
        default=0.0,
        metavar="Z",
        help="height of the ground to remove, in the fixed frame, metres (default: 0)",
    )
    ground.add_argument("--keep-ground", action="store_true", help="do not remove the ground")
    parser.add_argument(
        "--background",
        type=Path,
        metavar="RECORDING",
        help="recording of the scene without the robot (~/record_background), which is removed",
    )
    parser.add_argument(
        "--background-tolerance",
        type=_above_zero,
        default=0.02,
        metavar="METRES",
        help="remove points nearer than this to the background (default: 0.02)",
    )
    parser.add_argument(
        "--gap",
        type=float,
        metavar="METRES",
        help="remove points farther from the largest connected part (default: 0.05; 0: off)",
    )
    parser.add_argument(
        "--cloud-scale",
        nargs="+",
        type=_above_zero,
        default=[1.0],
        metavar="S",
        help="metres in a unit of the clouds, 0.001 for millimetres; one number, or "
        "one a topic (default: 1)",
    )
    parser.add_argument(
        "--points",
        type=int,
        metavar="N",
        help="largest number of points of a frame (default: 20000)",
    )


def run(args: argparse.Namespace) -> int:
    """Run the command."""
    from autourdf_ros.cli.terminal.progress_bar import progress_bar
    from autourdf_ros.cli.terminal.termination import let_terminate_clean_up
    from autourdf_ros.data.extraction.extraction import extract
    from autourdf_ros.data.extraction.extraction_options import ExtractionOptions
    from autourdf_ros.files.writer_lock import lock_beside

    options = ExtractionOptions(
        clouds=tuple(args.clouds),
        joint_states=tuple(args.joint_states),
        fixed_frame=args.fixed_frame,
        still_time=args.still_time,
        still_velocity=args.still_velocity,
        cleaning=_cleaning(args),
        cloud_scale=tuple(args.cloud_scale),
        background=args.background,
        background_tolerance=args.background_tolerance,
    )
    let_terminate_clean_up()
    with lock_beside(args.out), progress_bar() as progress:
        extraction = extract(args.bag, args.out, options, progress)
    _print(extraction)
    print(args.out)
    return 0


def _cleaning(args: argparse.Namespace) -> CleaningOptions:
    from dataclasses import replace

    from autourdf_ros.data.cleaning import Box, Ground
    from autourdf_ros.data.extraction.extraction_options import CLEANING
    from autourdf_ros.errors import InputError

    cleaning = CLEANING
    if args.crop is not None:
        try:
            cleaning = replace(cleaning, box=Box(tuple(args.crop[:3]), tuple(args.crop[3:])))
        except ValueError as error:
            raise InputError(f"--crop: {error}") from error
    if args.points is not None and args.points < 500:
        raise InputError(f"--points: is {args.points}; accepted is 500 or more")
    if args.gap is not None and not 0 <= args.gap < math.inf:
        raise InputError(f"--gap: is {args.gap}; accepted is 0 or more")
    if not math.isfinite(args.ground):
        raise InputError(f"--ground: is {args.ground}; accepted is a finite number")
    return replace(
        cleaning,
        ground=None if args.keep_ground else Ground(args.ground),
        gap=cleaning.gap if args.gap is None else args.gap,
        points=cleaning.points if args.points is None else args.points,
    )


def _print(extraction: Extraction) -> None:
    frames = " + ".join(map(str, extraction.frames))
    readings = ", ".join(extraction.joint_states) or "none: stillness was found in the clouds"
    print(
        f"{frames} frames of {', '.join(extraction.clouds)} in {extraction.fixed_frame}; joint "
        f"readings: {readings}"
    )
    for topic, count in extraction.unmeasured.items():
        if count:
            print(f"{count} points of {topic} without depth were dropped")
    for reason, times in extraction.left_out.items():
        print(f"warning: {times} frame(s) left out: {reason}", file=sys.stderr)


def _above_zero(text: str) -> float:
    value = float(text)
    if not 0 < value < math.inf:
        raise argparse.ArgumentTypeError(f"is {text}; accepted is a number above 0")
    return value
