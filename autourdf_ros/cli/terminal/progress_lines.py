"""Progress for programs: one JSON object a line."""

from __future__ import annotations

import json
import os
import select
import signal
import threading
from typing import TextIO

from autourdf_ros.cli.terminal.termination import ignore_termination, raise_if_cancelled
from autourdf_ros.errors import CancelledError


class ProgressLines:
    """A `Progress` that writes {"stage": ..., "fraction": ...} whenever either has changed.

    Raises:
        CancelledError: the stream has no reader, since the program that started the work is gone,
            or a signal asked to cancel.
    """

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._last = ""

    def __call__(self, stage: str, fraction: float) -> None:
        """Write the line."""
        raise_if_cancelled()
        line = json.dumps({"stage": stage, "fraction": round(fraction, 3)})
        if line != self._last:
            self._last = line
            self.write(line)

    def write(self, line: str) -> None:
        """Write any line."""
        try:
            print(line, file=self._stream, flush=True)
        except OSError as error:
            ignore_termination()  # `terminate_without_reader` notices the same, maybe later
            raise CancelledError("cancelled: the progress has no reader") from error


def terminate_without_reader(stream: TextIO) -> None:
    """Send this process SIGTERM as soon as the pipe that `stream` writes to has no reader.

    Long computations that seldom report then do not outlive the program that started them.
    """
    poll = select.poll()
    poll.register(stream.fileno(), 0)

    def watch() -> None:
        if any(event & (select.POLLERR | select.POLLHUP) for _, event in poll.poll()):
            os.kill(os.getpid(), signal.SIGTERM)

    threading.Thread(target=watch, name="reader watch", daemon=True).start()
