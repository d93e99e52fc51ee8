"""The `autourdf` command: runs a subcommand; an error becomes one line and an exit code."""

from __future__ import annotations

import argparse
import importlib
import os
import sys
import traceback
from collections.abc import Sequence

from autourdf_ros import __version__
from autourdf_ros.cli.terminal.termination import cancellation_asked, interrupts_remembered
from autourdf_ros.errors import AutourdfError, CancelledError

# No command renders with MuJoCo, whose window library would start a Python process at each import.
os.environ.setdefault("MUJOCO_GL", "disabled")

COMMANDS = {
    "demo": "machine",
    "simulate": "data",
    "extract": "data",
    "extrinsics": "model",
    "inspect": "data",
    "repair": "data",
    "reconstruct": "model",
    "assemble": "model",
    "confirm": "model",
    "mechanism": "video",
    "forecast": "video",
    "payload": "model",
    "repose": "model",
    "inertia": "model",
    "dynamics": "model",
    "cameras": "appearance",
    "splat": "appearance",
    "render": "appearance",
    "pose": "appearance",
    "view": "model",
    "upgrade": "model",
    "rollback": "model",
    "check": "assess",
    "compare": "assess",
    "evaluate": "assess",
    "benchmark": "assess",
    "batch": "fleet",
    "doctor": "machine",
}
"""Folder of every command's module, which has `HELP`, `add_arguments` and `run`."""


def build_parser() -> argparse.ArgumentParser:
    """Return the parser of all commands. Their modules import heavy parts only when run."""
    parser = argparse.ArgumentParser(
        prog="autourdf",
        description="Writes a robot's description from its motion: point clouds in, URDF out.",
        epilog="'autourdf COMMAND --help' describes a command.",
    )
    parser.add_argument("--version", action="version", version=f"autourdf {__version__}")
    subparsers = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for name, folder in COMMANDS.items():
        module = importlib.import_module(f"autourdf_ros.cli.{folder}.{name}")
        subparser = subparsers.add_parser(name, help=module.HELP, description=module.HELP)
        subparser.add_argument(
            "-v", "--verbose", action="store_true", help="print the traceback of an error"
        )
        module.add_arguments(subparser)
        subparser.set_defaults(run=module.run)
    return parser


def main(argv: Sequence[str] | None = None, **known: object) -> int:
    """Run a command. Return 0 success, 1 failure, 2 unusable input or arguments, 130 cancelled.

    Args:
        argv: Its arguments; None: those of the process.
        known: What its `run` finds beside them, from a program that calls it.
    """
    arguments = argparse.Namespace(command="", verbose=False, **known)
    try:
        with interrupts_remembered():
            build_parser().parse_args(argv, arguments)
            return int(arguments.run(arguments))
    except (KeyboardInterrupt, Exception) as caught:
        if isinstance(caught, CancelledError):
            error: AutourdfError = caught
        elif isinstance(caught, KeyboardInterrupt) or cancellation_asked():
            error = CancelledError("cancelled")
            error.__cause__ = caught
        elif isinstance(caught, AutourdfError):
            error = caught
        else:
            raise
    if arguments.verbose:
        traceback.print_exception(error)
    print(f"{f'autourdf {arguments.command}'.rstrip()}: {error}", file=sys.stderr)
    return error.exit_code
