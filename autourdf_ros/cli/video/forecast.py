"""`autourdf forecast`: what a mechanism will do after its video."""

from __future__ import annotations

import argparse
from pathlib import Path

from autourdf_ros.cli.number_arguments import above_zero, whole_number

HELP = "forecast joint values, with a band, and depth images of a mechanism from a video"

EPILOG = """OUT is a result of 'autourdf mechanism' with dynamics. FOLDER gets states.csv (every
joint with the ends of its band) and frames/NNNN.png (16-bit depth in mm, 0 where none).
exit codes: 0 success, 2 unusable input"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.epilog = EPILOG
    parser.add_argument("result", type=Path, metavar="OUT", help="result folder of a video")
    parser.add_argument(
        "--seconds",
        type=above_zero("s"),
        default=5.0,
        metavar="S",
        help="how far ahead (default: 5)",
    )
    parser.add_argument(
        "-o", "--out", type=Path, metavar="FOLDER", help="also write states and depth images"
    )
    parser.add_argument(
        "--samples",
        type=whole_number,
        default=50,
        metavar="N",
        help="of the posterior, for the band (default: 50)",
    )
    parser.add_argument("--seed", type=whole_number, default=0, help="of the draw (default: 0)")


def run(args: argparse.Namespace) -> int:
    """Run the command."""
    from autourdf_ros.cli.terminal.progress_bar import progress_bar
    from autourdf_ros.errors import InputError
    from autourdf_ros.estimation.dynamics.forecast.state_forecast import ForecastOptions
    from autourdf_ros.workflows.mechanisms.mechanism_forecast import (
        AheadOptions,
        forecast_result,
        write_forecast,
    )

    if args.samples < 1:
        raise InputError(f"--samples: is {args.samples}; accepted is 1 or more")
    options = AheadOptions(
        args.seconds,
        ForecastOptions(samples=args.samples, seed=args.seed),
        frames=args.out is not None,
    )
    with progress_bar() as progress:
        found = forecast_result(args.result, options, progress)
        folder = None if args.out is None else write_forecast(found, args.out, progress)
    states = found.states
    last = len(states.stamps) - 1
    print(f"from {states.stamps[0]:.2f} to {states.stamps[last]:.2f} s; then, with 95 % bands:")
    for number, joint in enumerate(states.joints):
        value, low, high = (
            float(array[last, number]) for array in (states.positions, states.lower, states.upper)
        )
        print(f"{joint}: {value:.4g} ({low:.4g} .. {high:.4g})")
    if folder is not None:
        print(f"\nstates  {folder / 'states.csv'}")
        without = "none: the video has no depth"
        print(f"frames  {without if found.depth is None else folder / 'frames'}")
    return 0
