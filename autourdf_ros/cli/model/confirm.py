"""`autourdf confirm`: lets a recording decide between the alternatives of an assembly's joints."""

from __future__ import annotations

import argparse
from pathlib import Path

HELP = "let a recording of the moving parts decide between the alternatives of their joints"

EPILOG = """The recording shows the parts in three or more frames, in which the joints stand
differently; in the first one they stand about as given. OUT is replaced whole or not at all;
'autourdf rollback' brings the version before back.
exit codes: 0 every joint is confirmed, 1 written but some joint is not, 2 unusable input"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.epilog = EPILOG
    parser.add_argument("result", type=Path, metavar="OUT", help="result folder of 'assemble'")
    parser.add_argument(
        "recording", type=Path, metavar="RECORDING", help="bag or folder of point clouds"
    )


def run(args: argparse.Namespace) -> int:
    """Confirm the assembly; return 0 where every joint is confirmed, otherwise 1."""
    from autourdf_ros.cli.terminal.progress_bar import progress_bar
    from autourdf_ros.cli.terminal.termination import let_terminate_clean_up
    from autourdf_ros.model.result_files import REPORT, URDF, result_document

    result_document(args.result)
    from autourdf_ros.data.load import load_recording
    from autourdf_ros.workflows.confirm import confirm_result

    let_terminate_clean_up()
    recording = load_recording(args.recording)
    with progress_bar() as progress:
        found = confirm_result(args.result, recording, progress=progress)
    for one in found.joints:
        print(f"{one.status:12s}  {one.reason}")
    print(f"\nverdict: {found.verdict}")
    for reason in found.reasons:
        print(f"  ! {reason}")
    print(f"\nURDF    {args.result / URDF}\nreport  {args.result / REPORT}")
    return 0 if found.verdict == "confirmed" else 1
