"""`autourdf repair`: write a whole bag from the readable part of a damaged one."""

from __future__ import annotations

import argparse
from pathlib import Path

HELP = "repair an MCAP bag that was cut off, as by a power cut; the input is not changed"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument(
        "file", type=Path, metavar="FILE", help="an .mcap file, or a rosbag2 folder of .mcap files"
    )
    parser.add_argument(
        "-o", "--out", type=Path, required=True, metavar="OUT", help="new rosbag2 folder to write"
    )


def run(args: argparse.Namespace) -> int:
    """Run the command."""
    from autourdf_ros.cli.terminal.progress_bar import progress_bar
    from autourdf_ros.cli.terminal.termination import let_terminate_clean_up
    from autourdf_ros.data.bags.bag_repair import repair
    from autourdf_ros.files.writer_lock import lock_beside

    let_terminate_clean_up()
    with lock_beside(args.out), progress_bar() as progress:
        found = repair(args.file, args.out, progress)
    for topic, count in found.messages.items():
        print(f"{count:8} messages on {topic}")
    if found.cut:
        print(f"cut off: {', '.join(found.cut)}")
    if found.lost:
        print(f"{found.lost} bytes could not be read")
    if not found.cut and not found.lost:
        print("no damage was found; the output is a copy")
    print(args.out)
    return 0
