"""A table that grows line by line while something is measured, and can be read at any time."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from autourdf_ros.errors import InputError


class RecordFile:
    """A CSV file with a header; `read_wrench_table` and `read_efforts` read such files.

    Attributes:
        path: Of the file.
        count: Of lines, without the header.
        failure: Why nothing can be written any more, or None.
    """

    def __init__(self, path: Path, columns: Sequence[str]) -> None:
        """Create the file. Raise InputError where that is not possible."""
        self.path, self.count = path, 0
        self.failure: str | None = None
        try:
            self._file = path.open("x", encoding="utf-8")
            self._file.write(",".join(columns) + "\n")
            self._file.flush()
        except OSError as error:
            raise InputError(f"{path}: cannot be written: {error.strerror}") from error

    def add(self, time: float, values: Iterable[float]) -> None:
        """Add a line: time (s) and the other columns; an error becomes `failure`."""
        line = [f"{time:.9f}", *(f"{value:.12g}" for value in values)]
        self._guarded(lambda: self._file.write(",".join(line) + "\n"))
        self.count += self.failure is None

    def flush(self) -> None:
        """Hand lines over to the system, so that a killed process loses none of them."""
        self._guarded(self._file.flush)

    def close(self) -> None:
        """Write everything to disk."""
        self._guarded(self._file.flush)
        self._guarded(self._sync)
        self._guarded(self._file.close)

    def _sync(self) -> None:
        os.fsync(self._file.fileno())

    def _guarded(self, work: Callable[[], Any]) -> None:
        if self.failure is not None:
            return
        try:
            work()
        except OSError as error:
            self.failure = f"{self.path}: cannot be written: {error.strerror}"
