"""`autourdf compare`: the changes between two robots."""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict
from pathlib import Path

HELP = "report what changed between two results or URDFs, in mm and degrees"

EPILOG = """exit codes: 0 no significant change, 1 something changed, 2 an input cannot be used.
A difference of two estimates is significant beyond 4 of their standard deviations. A shift of the
whole robot is reported, but is no change. The limits of two results are no change, either: they are
the ranges that each recording showed."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.epilog = EPILOG
    parser.add_argument("first", type=Path, metavar="A", help="a result folder or a URDF file")
    parser.add_argument(
        "second",
        type=Path,
        metavar="B",
        help="the same, later: without joint readings it must begin in about the same pose",
    )
    parser.add_argument("--json", action="store_true", help="print it as JSON: m, rad and kg")


def run(args: argparse.Namespace) -> int:
    """Print the comparison; return 1 when something changed, otherwise 0."""
    from autourdf_ros.assessment.comparison.changes_table import sentence, table
    from autourdf_ros.assessment.comparison.compared_robot import open_robot
    from autourdf_ros.assessment.comparison.comparison import compare

    comparison = compare(open_robot(args.first), open_robot(args.second))
    if args.json:
        content = asdict(comparison) | {
            "shift": comparison.shift.tolist(),
            "changed": comparison.changed,
            "summary": sentence(comparison),
        }
        print(json.dumps(content, indent=2))
    else:
        print(table(comparison))
    return 1 if comparison.changed else 0
