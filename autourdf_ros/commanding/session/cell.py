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
        """Seconds; of the newest of the clouds."""


class Cell(Protocol):
    """What a session needs of the robot cell. Times are seconds of the clock of the stamps."""

    history: JointHistory

    def now(self) -> float:
        """Tell the time."""

    def wait(self, seconds: float) -> None:
        """Let time pass."""

    def send(self, trajectory: Trajectory) -> None:
        """Let the robot follow a trajectory from now on, in place of any other."""

    def answer(self) -> Answer:
        """What the controller says of the trajectory sent last."""

    def fault(self) -> str | None:
        """Why the robot has to stop (silent sensors, a request), or None."""

    def view(self, since: float) -> View | None:
        """Return clouds stamped after `since`, once every camera has one."""

    def missing_views(self, since: float) -> str:
        """Which cameras have none, and why, in a sentence; empty where nothing is missing."""

    def start_sequence(self, name: str) -> None:
        """Record what follows as a sequence."""

    def record(self, view: Any, joints: Positions) -> Future[Rejection | None]:
        """Record a frame; done when it is on disk, or with why it was rejected."""

    def note(self, event: str, **details: object) -> None:
        """Record that something happened."""
