"""The policies by which a capture chooses its targets."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, Protocol, runtime_checkable

from autourdf_ros.commanding.trajectory import Positions

if TYPE_CHECKING:
    from autourdf_ros.estimation.motion.streaming import LiveEstimate

ExcitationName = Literal["random", "one_joint", "informative"]
BLIND: tuple[ExcitationName, ...] = ("random", "one_joint")
"""Policies that need no model."""
EXCITATIONS: tuple[ExcitationName, ...] = (*BLIND, "informative")


class Excitation(Protocol):
    """Draws the targets of one capture, one after the other, within the limits of the joints."""

    def start_sequence(self) -> None:
        """Begin a sequence: the robot is back at its start."""

    def turn(self, refusals: int) -> None:
        """Change direction after that many targets were refused one after the other."""

    def next(self, current: Positions) -> dict[str, float]:
        """Return the target after `current` (rad or m by joint); at least one joint moves."""


@runtime_checkable
class LearningExcitation(Excitation, Protocol):
    """A policy that draws targets from the model that was estimated so far."""

    @property
    def finished(self) -> bool:
        """Whether the model is precise enough."""

    def learn(self, estimate: LiveEstimate) -> None:
        """Take the latest estimate."""
