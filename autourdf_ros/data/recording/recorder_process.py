"""A frame recorder in a process of its own."""

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
    """A FrameRecorder in a process of its own, so that its work holds up nothing else.

    sequences: number of those that are there already.
    When this process dies, the other one finishes its frame and ends the recording.
    Every method waits until it is done, and raises what the FrameRecorder raises, or AutourdfError
    when the process is gone.
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
        """Whether the process has ended, which it does not by itself."""
        return self._process.poll() is not None

    def start_sequence(self, name: str) -> None:
        """Begin a sequence."""
        self._call("start_sequence", name)

    def send_view(self, view: SerializedView, joints: Mapping[str, float]) -> FrameOutcome:
        """Write a frame if it passes its checks; it is on disk when this returns."""
        outcome: FrameOutcome = self._call("record_view", view, dict(joints))
        return outcome

    def event(self, event: str, details: Mapping[str, Any]) -> None:
        """Note something that happened."""
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
    """Do what the other end asks for, until it closes or dies."""
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
    """Describe an error of any kind by one that can be sent."""
    return AutourdfError(f"{type(error).__name__}: {error}")


if __name__ == "__main__":
    _serve(Connection(int(sys.argv[1])))
