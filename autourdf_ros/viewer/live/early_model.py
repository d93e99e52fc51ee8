"""The model of a recording that goes on, from the frames that it has so far."""

from __future__ import annotations

import os
import subprocess
import sys
from collections import deque
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Thread
from types import TracebackType

from autourdf_ros.data.frame import Recording
from autourdf_ros.model.result_files import DOCUMENT
from autourdf_ros.parallel import THREADS

_LEAST = 19
"""Niceness: what records, and what reconstructs the whole recording, comes first."""

_FIRST = 6
"""Frames of the first model: with fewer hardly any joint is known."""

_MORE = 1.5
"""Times as many frames for each newer one."""


class EarlyModel:
    """Reconstructs by a process of its own, on one core, whenever there are so many more frames.

    Leaving the context ends it and removes what it wrote.
    """

    def __init__(self) -> None:
        self._folder = TemporaryDirectory(prefix="autourdf_early_")
        self._process: subprocess.Popen[bytes] | None = None
        self._out, self._source = Path(), Path()
        self._began: dict[Path, int] = {}  # with how many frames

    def __enter__(self) -> EarlyModel:
        """Begin without a recording."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """End the process."""
        self.stop()
        self._folder.cleanup()

    def follow(self, recording: Recording) -> None:
        """Begin with a recording, where it has enough frames more than when this began last."""
        source, frames = recording.source, len(recording.frames)
        if source is None or self._process is not None:
            return
        if frames < max(_FIRST, _MORE * self._began.get(source, 0)):
            return
        self._began[source], self._source = frames, source
        self._out = Path(self._folder.name) / f"{source.name}_{frames}"
        command = [sys.executable, "-m", "autourdf_ros", "reconstruct", str(source)]
        self._process = subprocess.Popen(
            [*command, "-o", str(self._out), "--name", source.name, "--progress", "json"],
            env={**os.environ, THREADS: "1"},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,  # it ends when nobody reads that any more
            stderr=subprocess.DEVNULL,  # the whole recording is reconstructed all the same
        )
        with suppress(ProcessLookupError):  # it may have ended already
            os.setpriority(os.PRIO_PROCESS, self._process.pid, _LEAST)
        Thread(target=deque, args=(self._process.stdout, 0), daemon=True).start()

    def news(self) -> tuple[Path, Path] | None:
        """Return a recording and the result folder of its frames that was written, once."""
        if self._process is None or self._process.poll() is None:
            return None
        self._process = None
        return (self._source, self._out) if (self._out / DOCUMENT).is_file() else None

    def stop(self) -> None:
        """End the process, where one runs; the whole recording has its result."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None
