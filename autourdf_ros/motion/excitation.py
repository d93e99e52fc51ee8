"""What moves next: the policies that a capture can follow."""

from __future__ import annotations

from typing import Literal, Protocol

from autourdf_ros.motion.trajectory import Positions

ExcitationName = Literal["random", "one_joint"]
EXCITATIONS: tuple[ExcitationName, ...] = ("random", "one_joint")


class Excitation(Protocol):
    """Draws the targets of one capture, one after the other, all within the joints' limits."""

    def start_sequence(self) -> None:
        """Begin a sequence: the robot is back at its start."""

    def turn(self, refusals: int) -> None:
        """Try something else: that many targets were refused one after the other."""

    def next(self, current: Positions) -> dict[str, float]:
        """Draw the target after `current` (rad or m); at least one joint moves."""
