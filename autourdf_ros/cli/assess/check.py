"""`autourdf check`: checks whether planners and simulators can use a URDF."""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict
from pathlib import Path

HELP = "check a result or any URDF: text, meshes, inertias, limits, collisions, loaders, simulation"

EPILOG = """exit codes: 0 no check fails, 1 one fails, 2 the input cannot be used"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.epilog = EPILOG
    parser.add_argument(
        "robot",
        type=Path,
        metavar="OUT|URDF",
        help="a result folder, or a URDF file; package:// is searched in the folders above it, "
        "AMENT_PREFIX_PATH and ROS_PACKAGE_PATH",
    )
    parser.add_argument("--json", action="store_true", help="print a list of findings as JSON")


def run(args: argparse.Namespace) -> int:
    """Print the findings of every check; return 1 when one fails, otherwise 0."""
    from autourdf_ros.assessment.checks.findings_table import table
    from autourdf_ros.assessment.checks.gate import failed, run_checks
    from autourdf_ros.assessment.checks.subject import open_subject
    from autourdf_ros.cli.terminal.progress_bar import progress_bar

    subject = open_subject(args.robot)
    if args.json:
        findings = run_checks(subject)
        print(json.dumps([asdict(finding) for finding in findings], indent=2))
    else:
        with progress_bar() as progress:
            findings = run_checks(subject, progress)
        print(table(findings))
    return 1 if failed(findings) else 0
