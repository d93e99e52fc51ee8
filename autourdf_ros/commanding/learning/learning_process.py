"""Learning a model while a session goes on, in a process of its own."""

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
    """Tells what a model of the frames recorded so far knows."""

    def ask(self, frames: int) -> None:
        """Look at that many frames, as soon as they are there."""

    def answer(self) -> LiveEstimate | None:
        """What is known of them, or None until then. Raises AutourdfError where it never will."""

    def obstacle(self, waypoints: Sequence[Positions]) -> str | None:
        """Why, by the latest model, the robot would touch itself on straight lines, or None.

        None, too, while there is no model. waypoints: positions, in the first of which it stands.
        """


class LearningProcess:
    """A model that grows in a process of its own, from the frames of a recording on disk.

    So it holds up nothing but who waits for it, and takes only frames that were kept. It ends by
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
        self._shapes = tempfile.TemporaryDirectory(prefix="autourdf_grown_")
        self._connection.send((recording, fixed_frame, Path(self._shapes.name)))

    def ask(self, frames: int) -> None:
        """See `Learner`. Raises AutourdfError where the process is gone."""
        with _there():
            self._connection.send(frames)

    def answer(self) -> LiveEstimate | None:
        """See `Learner`."""
        with _there():
            waits = not self._connection.poll()
        return None if waits else self._received()

    def obstacle(self, waypoints: Sequence[Positions]) -> str | None:
        """See `Learner`. Raises AutourdfError where the process is gone, or fails."""
        with _there():
            self._connection.send([dict(positions) for positions in waypoints])
        told: str | None = self._received()
        return told

    def _received(self) -> Any:
        with _there():
            told = self._connection.recv()
        if isinstance(told, AutourdfError):
            raise AutourdfError(f"learning failed: {told}")
        return told

    def close(self) -> None:
        """End the process, whatever it does."""
        self._connection.close()
        self._process.terminate()
        self._process.wait()
        self._shapes.cleanup()


@contextmanager
def _there() -> Iterator[None]:
    """Say that the other process is gone where it does not listen."""
    try:
        yield
    except (EOFError, OSError) as broken:
        raise AutourdfError("the learning process is gone") from broken
