"""The events that the demo's observer reports: progress and completions."""

from __future__ import annotations

import json
import queue
import subprocess
import threading
from typing import Any


class Events:
    """The observer's JSON lines, read in the background.

    Attributes:
        completed: paths of complete captures and reconstructions, by node.
    """

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        """Read the standard output of `process`."""
        self.completed: dict[str, str] = {}
        self._status: dict[str, dict[str, Any]] = {}
        self._queue: queue.Queue[dict[str, Any]] = queue.Queue()
        self._process = process
        threading.Thread(target=self._read, daemon=True, name="events").start()

    def update(self) -> None:
        """Process the events that have arrived."""
        while not self._queue.empty():
            event = self._queue.get()
            if event["event"] == "completed":
                self.completed[event["name"]] = event["path"]
            else:
                self._status[event["name"].strip("/").partition(":")[0]] = event

    def message(self, node: str) -> str:
        """Return the node's latest diagnostic message; empty before the first."""
        return str(self._status.get(node, {}).get("message", ""))

    def is_error(self, node: str) -> bool:
        """Return whether the node's latest diagnostic is an error."""
        return int(self._status.get(node, {}).get("level", 0)) == 2

    def progress(self, node: str) -> float | None:
        """Return the node's progress in [0, 1], or None where it reports none."""
        values = self._status.get(node, {}).get("values", {})
        try:
            return float(values["progress"])
        except (KeyError, ValueError):
            return None

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            try:
                self._queue.put(json.loads(line))
            except ValueError:  # cut off when the observer ended
                continue
