"""Learns a model during a session, in a process of its own."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from multiprocessing import Pipe
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from autourdf_ros.commanding.trajectory import Positions
from autourdf_ros.errors import AutourdfError

if TYPE_CHECKING:  # the engine takes seconds to import, which only the other process needs
    from autourdf_ros.estimation.motion.streaming import LiveEstimate


class Learner(Protocol):
    """Estimates a model from the frames recorded so far."""

    def ask(self, frames: int) -> None:
        """Request an estimate from that many frames, as soon as they are recorded."""

    def answer(self) -> LiveEstimate | None:
        """Return the estimate, or None until it is there. Raise AutourdfError where it fails."""

    def obstacle(self, waypoints: Sequence[Positions]) -> str | None:
        """Return why the robot would touch itself on straight lines, by the latest model, or None.

        Args:
            waypoints: positions of the motors (rad or m); the robot stands at the first.

        Returns:
            The reason in words; None where the lines are free, and while there is no model.
        """


class LearningProcess:
    """A model that is learnt in a process of its own, from the frames of a recording on disk.

    It blocks only callers that wait for an answer, and uses only frames that were kept. It ends by
    itself when the process that started it is gone.
    """

    def __init__(self, recording: Path, fixed_frame: str) -> None:
        self._connection, theirs = Pipe()
        learned_model = "autourdf_ros.commanding.learning.learned_model"
        self._process = subprocess.Popen(
            [
                sys.executable,
                "-m",
                learned_model,
                str(theirs.fileno()),
            ],
            pass_fds=[theirs.fileno()],
            start_new_session=True,  # Ctrl-C on a terminal is for the node
        )
        theirs.close()
        self._shapes = tempfile.TemporaryDirectory(prefix="autourdf_learned_")
        self._connection.send((recording, fixed_frame, Path(self._shapes.name)))

    def ask(self, frames: int) -> None:
        """Request an estimate; see `Learner`. Raise AutourdfError where the process is gone."""
        with _connected():
            self._connection.send(frames)

    def answer(self) -> LiveEstimate | None:
        """Return the estimate, if it is there; see `Learner`."""
        with _connected():
            waits = not self._connection.poll()
        return None if waits else self._received()

    def obstacle(self, waypoints: Sequence[Positions]) -> str | None:
        """Return the obstacle on a path; see `Learner`. Raise AutourdfError where it fails."""
        with _connected():
            self._connection.send([dict(positions) for positions in waypoints])
        reason: str | None = self._received()
        return reason

    def _received(self) -> Any:
        with _connected():
            answer = self._connection.recv()
        if isinstance(answer, AutourdfError):
            raise AutourdfError(f"learning failed: {answer}")
        return answer

    def close(self) -> None:
        """End the process at once."""
        self._connection.close()
        self._process.terminate()
        self._process.wait()
        self._shapes.cleanup()


@contextmanager
def _connected() -> Iterator[None]:
    """Raise AutourdfError where the other process is gone."""
    try:
        yield
    except (EOFError, OSError) as broken:
        raise AutourdfError("the learning process is gone") from broken
