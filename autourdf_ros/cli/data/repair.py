"""`autourdf repair`: a whole bag of what is left of one."""

from __future__ import annotations

import argparse
from pathlib import Path

HELP = "mend an MCAP bag that was cut off, as by a power cut; the input stays as it is"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument(
        "file", type=Path, metavar="FILE", help="an .mcap file, or a rosbag2 folder of such"
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
        print("nothing was amiss; it is a copy")
    print(args.out)
    return 0
