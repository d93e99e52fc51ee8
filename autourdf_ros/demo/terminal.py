"""The terminal output of the demo."""

from __future__ import annotations

import sys
import time
from typing import TextIO

BAR_WIDTH = 30


class Terminal:
    """Lines with the time since the start and, on a terminal, one line of live progress."""

    def __init__(self, stream: TextIO = sys.stdout) -> None:
        """Write to `stream`."""
        self._stream = stream
        self._live = stream.isatty()
        self._start = time.monotonic()
        self._said: set[str] = set()

    def line(self, text: str) -> None:
        """Print a permanent line."""
        self._clear()
        self._stream.write(f"[{time.monotonic() - self._start:6.1f} s] {text}\n")
        self._stream.flush()

    def block(self, text: str) -> None:
        """Print text unchanged."""
        self._clear()
        self._stream.write(f"{text}\n")
        self._stream.flush()

    def progress(self, text: str, fraction: float | None = None) -> None:
        """Replace the progress line, with a share in [0, 1]; print it once without a terminal."""
        if self._live:
            bar = "" if fraction is None else f" {_bar(fraction)} {100 * fraction:3.0f} %"
            self._clear()
            self._stream.write(f"           {text}{bar}"[:100])
            self._stream.flush()
        elif text not in self._said:
            self.line(f"  {text}")
            self._said.add(text)

    def _clear(self) -> None:
        if self._live:
            self._stream.write("\r\x1b[K")


def _bar(fraction: float) -> str:
    filled = round(BAR_WIDTH * min(max(fraction, 0.0), 1.0))
    return f"[{'#' * filled}{'.' * (BAR_WIDTH - filled)}]"
