"""`autourdf simulate --mechanism`: the video of a simulated mechanism."""

from __future__ import annotations

import argparse
import shlex
import sys
from typing import TYPE_CHECKING

from autourdf_ros.cli.number_arguments import above_zero
from autourdf_ros.errors import InputError

if TYPE_CHECKING:
    from autourdf_ros.simulation.mechanisms.mechanism_recording import VideoOptions

_OF_ROBOTS = ("robot", "sequences", "cameras", "points", "excitation", "shift")


def add_mechanism_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of a mechanism's video."""
    group = parser.add_argument_group("video of a mechanism instead of a robot")
    group.add_argument(
        "--mechanism",
        metavar="NAME",
        help="cart_pole, driven_cart_pole, rott_pendulum, three_links, drawer or door; --seed "
        "varies its parameters, start and motion",
    )
    group.add_argument(
        "--colors", action="store_true", help="add colour images to the depth images"
    )
    group.add_argument(
        "--period",
        type=above_zero("s"),
        default=1 / 30,
        metavar="SECONDS",
        help="time between images; need not be whole steps of the simulator (default: 1/30)",
    )


def simulate_mechanism(args: argparse.Namespace) -> int:
    """Write the video with shapes, forces and truth."""
    from autourdf_ros.cli.terminal.progress_bar import progress_bar
    from autourdf_ros.cli.terminal.termination import let_terminate_clean_up
    from autourdf_ros.files.writer_lock import lock_beside
    from autourdf_ros.simulation.mechanisms.mechanism_files import write_mechanism_video
    from autourdf_ros.simulation.mechanisms.mechanism_library import mechanism_scene
    from autourdf_ros.simulation.mechanisms.mechanism_recording import record
    from autourdf_ros.simulation.mechanisms.mechanism_truth import MECHANISM_TRUTH_FILE

    seed, options = args.seed or 0, _options(args)
    scene = mechanism_scene(args.mechanism).sample(seed)
    let_terminate_clean_up()
    with lock_beside(args.out), progress_bar() as progress:
        video, truth = record(scene, seed, options, progress)
        write_mechanism_video(scene, video, truth, args.out, seed)
    out = shlex.quote(str(args.out))
    print(args.out)
    print(f"truth: {args.out / MECHANISM_TRUTH_FILE}", file=sys.stderr)
    print(f"next: autourdf mechanism {out} --shapes {out}/shapes -o OUT", file=sys.stderr)
    return 0


def _options(args: argparse.Namespace) -> VideoOptions:
    from dataclasses import replace

    from autourdf_ros.simulation.cameras.noise import NO_NOISE
    from autourdf_ros.simulation.mechanisms.mechanism_recording import VideoOptions

    for name in _OF_ROBOTS:
        if getattr(args, name) is not None:
            given = "ROBOT" if name == "robot" else f"--{name}"
            raise InputError(f"{given} with --mechanism; accepted is one of both")
    if args.noise == "paper":
        raise InputError("--noise is paper; accepted with --mechanism are real and none")
    if args.seed is not None and args.seed < 0:
        raise InputError(f"--seed is {args.seed}; accepted is 0 or more")
    options = VideoOptions(frame_period=args.period, with_colors=args.colors)
    if args.frames is not None:
        options = replace(options, frames=args.frames)
    return options if args.noise != "none" else replace(options, noise=NO_NOISE)
