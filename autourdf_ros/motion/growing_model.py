"""A model that grows with the recording that it is made of; run as a process by `learning`."""

from __future__ import annotations

import contextlib
import sys
import time
from multiprocessing.connection import Connection
from pathlib import Path

from autourdf_ros.errors import AutourdfError, InputError
from autourdf_ros.kinematics.streaming import LiveEstimate, StreamingReconstruction
from autourdf_ros.recording.frame import Frame
from autourdf_ros.recording.load import load_recording

_POLL = 0.1  # s
_PATIENCE = 30.0  # s until a frame that was recorded is on disk


class GrowingModel:
    """Feeds the frames of a recording that is still written to the streaming engine."""

    def __init__(self, recording: Path, fixed_frame: str) -> None:
        self._recording = recording
        self._engine = StreamingReconstruction(fixed_frame=fixed_frame)
        self._sequence: str | None = None
        self._taken = 0

    def learn(self, frames: int) -> LiveEstimate:
        """Take the frames that are new, until there are so many.

        Raises InputError where they do not come, or the last of them cannot be used.
        """
        end = time.monotonic() + _PATIENCE
        new = self._new_frames()
        while self._taken + len(new) < frames:
            if time.monotonic() > end:
                raise InputError(
                    f"{self._recording}: has {self._taken + len(new)} of {frames} frames"
                )
            time.sleep(_POLL)
            new = self._new_frames()
        estimate = None
        for name, frame in new:
            if name != self._sequence:
                self._engine.begin_sequence(name)
                self._sequence = name
            self._taken += 1
            estimate = self._engine.update(frame)
        if estimate is None:
            raise InputError(f"{self._recording}: has no frame that is new")
        return estimate

    def _new_frames(self) -> list[tuple[str, Frame]]:
        try:
            sequences = load_recording(self._recording).sequences
        except InputError:  # it is being written
            return []
        return [(s.name, frame) for s in sequences for frame in s.frames][self._taken :]


def _serve(connection: Connection) -> None:
    """Answer until the other end closes or dies."""
    with contextlib.suppress(EOFError, OSError):
        model = GrowingModel(*connection.recv())
        while True:
            frames = connection.recv()
            try:
                told: LiveEstimate | str = model.learn(frames)
            except AutourdfError as error:
                told = str(error)
            connection.send(told)


if __name__ == "__main__":
    _serve(Connection(int(sys.argv[1])))
