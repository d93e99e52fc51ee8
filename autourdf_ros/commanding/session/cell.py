"""What a session needs of the robot cell."""

from __future__ import annotations

from concurrent.futures import Future
from typing import Any, Protocol

from autourdf_ros.commanding.controller_answer import Answer
from autourdf_ros.commanding.trajectory import Positions, Trajectory
from autourdf_ros.data.joint_history import JointHistory
from autourdf_ros.data.rejection import Rejection


class View(Protocol):
    """Clouds of all cameras, taken while the robot stood still."""

    @property
    def stamp(self) -> float:
        """Stamp (s) of the newest of the clouds."""


class Cell(Protocol):
    """What a session needs of the robot cell. All times are seconds of the clock of the stamps.

    Attributes:
        history: readings of the joints that are commanded.
    """

    history: JointHistory

    def now(self) -> float:
        """Return the time (s)."""

    def wait(self, seconds: float) -> None:
        """Let time pass (s)."""

    def send(self, trajectory: Trajectory) -> None:
        """Let the robot follow a trajectory from now on, in place of any other."""

    def answer(self) -> Answer:
        """Return the controller's report about the trajectory sent last."""

    def fault(self) -> str | None:
        """Return why the robot has to stop (silent sensors, a request), or None."""

    def view(self, since: float) -> View | None:
        """Return clouds stamped after `since` (s), or None until every camera has one."""

    def missing_views(self, since: float) -> str:
        """Return which cameras have no cloud since then, and why; empty where none is missing."""

    def start_sequence(self, name: str) -> None:
        """Record what follows as a sequence."""

    def record(self, view: Any, joints: Positions) -> Future[Rejection | None]:
        """Record a frame.

        Returns:
            A future that is done when the frame is on disk (None), or when it was rejected.
        """

    def note(self, event: str, **details: object) -> None:
        """Record that something happened."""
