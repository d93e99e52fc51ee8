"""What moves next: the policies that a capture can follow."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, Protocol, runtime_checkable

from autourdf_ros.commanding.trajectory import Positions

if TYPE_CHECKING:
    from autourdf_ros.estimation.motion.streaming import LiveEstimate

ExcitationName = Literal["random", "one_joint", "informative"]
BLIND: tuple[ExcitationName, ...] = ("random", "one_joint")
"""Those that need no model of what was seen."""
EXCITATIONS: tuple[ExcitationName, ...] = (*BLIND, "informative")


class Excitation(Protocol):
    """Draws the targets of one capture, one after the other, all within the joints' limits."""

    def start_sequence(self) -> None:
        """Begin a sequence: the robot is back at its start."""

    def turn(self, refusals: int) -> None:
        """Try something else: that many targets were refused one after the other."""

    def next(self, current: Positions) -> dict[str, float]:
        """Draw the target after `current` (rad or m); at least one joint moves."""


@runtime_checkable
class LearningExcitation(Excitation, Protocol):
    """One that draws targets from a model of what was seen."""

    @property
    def finished(self) -> bool:
        """Whether enough is known."""

    def learn(self, estimate: LiveEstimate) -> None:
        """Take what is known now."""
