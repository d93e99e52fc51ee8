"""`autourdf doctor`: checks what this machine has and advises on what it lacks."""

from __future__ import annotations

import argparse

HELP = "check Python, ROS 2, DDS and the libraries, and say what to do about what is wrong"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare no arguments: everything is checked."""


def run(args: argparse.Namespace) -> int:
    """Print a line for every check; return 1 when something required fails, otherwise 0."""
    from autourdf_ros.doctor import libraries, middleware
    from autourdf_ros.doctor.machine_finding import Status

    checks = (
        libraries.check_interpreter,
        libraries.check_open3d,
        libraries.check_pinocchio,
        libraries.check_torch,
        middleware.check_ros,
        middleware.check_packages,
        middleware.check_round_trip,
        middleware.check_topics,
    )
    failed = 0
    for check in checks:
        finding = check()
        print(finding, flush=True)
        failed += finding.status is Status.BAD
    if failed:
        print(f"{failed} of {len(checks)} checks failed.")
    return 1 if failed else 0
