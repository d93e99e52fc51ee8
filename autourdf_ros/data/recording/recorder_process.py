"""Runs a frame recorder in a separate process."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from autourdf_ros.data.recording.frame_recorder import (
    FrameOptions,
    FrameOutcome,
    FrameRecorder,
    SerializedView,
)
from autourdf_ros.data.recording.resuming import Setup
from autourdf_ros.errors import AutourdfError


class RecorderProcess:
    """A FrameRecorder in a separate process, so that its work does not block this one.

    When this process dies, the other one finishes its frame and ends the recording. Every method
    waits for the other process, and raises what FrameRecorder raises, or AutourdfError when that
    process is gone.

    Attributes:
        sequences: number of sequences that the recording holds at the start.
    """

    def __init__(
        self, folder: Path, setup: Setup, options: FrameOptions, resume: bool = False
    ) -> None:
        self._connection, theirs = Pipe()
        self._process = subprocess.Popen(
            [sys.executable, "-m", __name__, str(theirs.fileno())],
            pass_fds=[theirs.fileno()],
            # Ctrl-C on a terminal is for the node, which then ends the recording.
            start_new_session=True,
        )
        theirs.close()
        try:
            self.sequences: int = self._call(folder, setup, options, resume)
        except BaseException:
            self._end()
            raise

    @property
    def is_gone(self) -> bool:
        """Whether the process has ended, which it never does by itself."""
        return self._process.poll() is not None

    def start_sequence(self, name: str) -> None:
        """Begin a sequence."""
        self._call("start_sequence", name)

    def send_view(self, view: SerializedView, joints: Mapping[str, float]) -> FrameOutcome:
        """Have a view recorded (`FrameRecorder.record_view`); it is on disk on return."""
        outcome: FrameOutcome = self._call("record_view", view, dict(joints))
        return outcome

    def event(self, event: str, details: Mapping[str, Any]) -> None:
        """Add an event, written with the next frame. details: JSON values."""
        self._call("event", event, dict(details))

    def close(self) -> None:
        """End the recording and the process."""
        try:
            self._call("close")
        finally:
            self._end()

    def _end(self) -> None:
        self._connection.close()
        self._process.wait()

    def _call(self, *request: Any) -> Any:
        try:
            self._connection.send(request)
            error, answer = self._connection.recv()
        except (EOFError, OSError) as broken:
            raise AutourdfError("the recording process is gone") from broken
        if error is not None:
            raise error
        return answer


def _serve(connection: Connection) -> None:
    """Serve the requests of the other end until it closes or dies."""
    recorder = None
    try:
        while True:
            request = connection.recv()
            error = answer = None
            try:
                if recorder is None:
                    recorder = FrameRecorder(*request)
                    answer = recorder.sequences
                else:
                    answer = getattr(recorder, request[0])(*request[1:])
            except Exception as caught:
                error = caught if isinstance(caught, AutourdfError) else _described(caught)
            connection.send((error, answer))
    except (EOFError, OSError):
        if recorder is not None:
            recorder.close()


def _described(error: Exception) -> AutourdfError:
    """Return an error that can be sent, in place of one of any type."""
    return AutourdfError(f"{type(error).__name__}: {error}")


if __name__ == "__main__":
    _serve(Connection(int(sys.argv[1])))
