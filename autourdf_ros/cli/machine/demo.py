"""`autourdf demo`: the whole chain on a simulated cell."""

from __future__ import annotations

import argparse
from pathlib import Path

from autourdf_ros.cli.number_arguments import at_least

HELP = "let a simulated robot cell describe itself, end to end, and check what comes out"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument(
        "--robot",
        default="ur5_gripper",
        help="a URDF file, or a name of example-robot-data (default: ur5_gripper)",
    )
    parser.add_argument(
        "--output",
        type=Path,
        metavar="OUT",
        help="folder to write; where it holds something, OUT_2 (default: demo_out/ROBOT)",
    )
    parser.add_argument("--seed", type=at_least(0), default=0, help="of everything random")
    parser.add_argument("--sequences", type=at_least(1), default=2, help="to record (default: 2)")
    parser.add_argument("--frames", type=at_least(2), default=10, help="a sequence (default: 10)")
    parser.add_argument("--cameras", type=at_least(1), default=4, help="depth cameras (default: 4)")
    parser.add_argument(
        "--domain", type=at_least(0), help="ROS_DOMAIN_ID (default: a free one, by chance)"
    )
    parser.add_argument(
        "--stay", action="store_true", help="keep the graph alive afterwards, to inspect it in RViz"
    )
    parser.add_argument(
        "--view",
        action="store_true",
        help="show on a page of this machine what is recorded, and the model; the page stays until "
        "Ctrl-C",
    )


def run(args: argparse.Namespace) -> int:
    """Run the command."""
    from autourdf_ros.demo.parameters import DemoOptions
    from autourdf_ros.demo.run import run_demo
    from autourdf_ros.demo.terminal import Terminal

    options = DemoOptions(args.robot, args.seed, args.sequences, args.frames, args.cameras)
    output = args.output or Path("demo_out") / Path(args.robot).stem
    run_demo(options, output, args.domain, args.stay, args.view, Terminal())
    return 0
