"""A model that is updated while its recording is written; `LearningProcess` runs it."""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Sequence
from multiprocessing.connection import Connection
from pathlib import Path

from autourdf_ros.commanding.learning.learned_screen import LearnedScreen
from autourdf_ros.commanding.trajectory import Positions
from autourdf_ros.data.frame import Frame
from autourdf_ros.data.load import load_recording
from autourdf_ros.errors import AutourdfError, InputError
from autourdf_ros.estimation.motion.reconstruction import Reconstruction
from autourdf_ros.estimation.motion.streaming import LiveEstimate, StreamingReconstruction

_POLL = 0.1  # s
_PATIENCE = 30.0  # s until a frame that was recorded is on disk


class LearnedModel:
    """Feeds the frames of a recording that is still written to the streaming engine."""

    def __init__(self, recording: Path, fixed_frame: str, shapes: Path) -> None:
        """Create it; shapes is the folder for the shapes of the latest model."""
        self._recording = recording
        self._shapes = shapes
        self._engine = StreamingReconstruction(fixed_frame=fixed_frame)
        self._sequence: str | None = None
        self._taken = 0
        self._model: Reconstruction | None = None
        self._screen: LearnedScreen | None = None

    def learn(self, frames: int) -> LiveEstimate:
        """Take the new frames, at least one, until `frames` of them are taken.

        There may be more than `frames`, as a resumed recording has frames from before.

        Raises:
            InputError: the frames do not come, or the last of them cannot be used.
        """
        end = time.monotonic() + _PATIENCE
        new = self._new_frames()
        while not new or self._taken + len(new) < frames:
            if time.monotonic() > end:
                raise InputError(
                    f"{self._recording}: has {self._taken + len(new)} of {frames} frames"
                )
            time.sleep(_POLL)
            new = self._new_frames()
        for name, frame in new:
            if name != self._sequence:
                self._engine.begin_sequence(name)
                self._sequence = name
            self._taken += 1
            estimate = self._engine.update(frame)
        self._learn_shapes(estimate)
        return estimate

    def obstacle(self, waypoints: Sequence[Positions]) -> str | None:
        """Return the obstacle on a path; see `Learner`."""
        return None if self._screen is None else self._screen.reason(waypoints)

    def _learn_shapes(self, estimate: LiveEstimate) -> None:
        """Screen by the latest model, unless its verdict is failed."""
        found = estimate.reconstruction
        if found is None or found is self._model:
            return
        self._model, self._screen = found, None
        if found.verdict != "failed":
            self._screen = LearnedScreen(found, self._shapes)

    def _new_frames(self) -> list[tuple[str, Frame]]:
        try:
            sequences = load_recording(self._recording).sequences
        except InputError:  # it is being written
            return []
        return [(s.name, frame) for s in sequences for frame in s.frames][self._taken :]


def _serve(connection: Connection) -> None:
    """Answer until the other end closes or dies."""
    with contextlib.suppress(EOFError, OSError):
        model = LearnedModel(*connection.recv())
        while True:
            asked = connection.recv()
            answer: LiveEstimate | str | AutourdfError | None
            try:
                answer = model.learn(asked) if isinstance(asked, int) else model.obstacle(asked)
            except AutourdfError as error:
                answer = error
            connection.send(answer)


if __name__ == "__main__":
    _serve(Connection(int(sys.argv[1])))
