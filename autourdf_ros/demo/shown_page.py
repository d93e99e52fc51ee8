"""The page on which a demo is watched: a process that follows the demo's folder."""

from __future__ import annotations

import os
import re
import sys
import webbrowser
from pathlib import Path

from autourdf_ros.demo.processes import ProcessGroups
from autourdf_ros.parallel import thread_count

VIEW = "view"
"""Name of the process."""

PATIENCE = 60.0
"""Seconds in which it has to listen, on a machine that starts four nodes as well."""

BUSY_CORES = 2
"""What the nodes and the engine use while the robot moves. On no more, a model of the first frames
came only after that of all."""

_ADDRESS = re.compile(r"^(http://\S+:\d+) ", re.MULTILINE)


def start_page(output: Path, processes: ProcessGroups) -> None:
    """Start the process, on a free port of this machine only.

    It reconstructs what is recorded so far as well, where a core is left for that.
    """
    command = [sys.executable, "-m", "autourdf_ros", "view", str(output), "--live", "--port", "0"]
    early = ["--early-model"] if thread_count() > BUSY_CORES else []
    processes.start(VIEW, [*command, *early])


def page_address(processes: ProcessGroups) -> str:
    """Return the page's URL; empty until the process listens."""
    found = _ADDRESS.search(processes.log(VIEW).read_text(errors="replace"))
    return found[1] if found else ""


def open_in_browser(address: str) -> None:
    """Open a page where there is a screen; a browser of text would take the terminal."""
    if os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"):
        webbrowser.open(address)
