"""Imports the engine, waits for the arguments of one `autourdf reconstruct`, and does it.

The arguments come on standard input as one line of JSON; its end without a line ends the process.
"""

from __future__ import annotations

import json
import signal
import sys
from importlib import import_module

from autourdf_ros.cli.main import main as autourdf

_IMPORTED = (
    "autourdf_ros.data.load",
    "autourdf_ros.export.given_limits",
    "autourdf_ros.workflows.reconstruct",
)


def main() -> int:
    """Return the exit code of the command; 0 where none came."""
    python_handler = signal.signal(signal.SIGINT, signal.SIG_DFL)  # nothing to clean up yet
    for module in _IMPORTED:
        import_module(module)
    line = sys.stdin.readline()
    if not line:
        return 0
    signal.signal(signal.SIGINT, python_handler)
    return autourdf(json.loads(line))


if __name__ == "__main__":
    sys.exit(main())
