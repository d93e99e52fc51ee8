"""Starts a node by the name of its executable; the entry point of all nodes.

A node imports for a second or more. Until it can listen to signals itself, Ctrl-C ends it at once
and without a traceback. Python's own handler would print one, or lose the interrupt where it comes
in a callback of an import. A launch that is gone meanwhile ends it, too.
"""

from __future__ import annotations

import signal
import sys
from importlib import import_module
from pathlib import Path

from autourdf_ros.ros.common.launch_process import ended_with_launch

SUFFIX = "_node"


def main() -> int:
    """Run the node that this program is called after, as `capture_node`; return its exit code."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    executable = Path(sys.argv[0]).name
    folder = executable.removesuffix(SUFFIX)
    with ended_with_launch():
        module = import_module(f"autourdf_ros.ros.{folder}.{executable}")
    return int(module.main())


if __name__ == "__main__":
    sys.exit(main())
