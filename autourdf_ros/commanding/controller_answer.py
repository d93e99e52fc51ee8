"""What a controller reports about a trajectory that it was sent."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class State(Enum):
    """How far a trajectory got, as the controller reports it."""

    UNREPORTED = "the controller never reports, as one that is commanded by a topic"
    UNANSWERED = "sent, and neither accepted nor refused yet"
    ACCEPTED = "accepted, and not ended yet"
    DONE = "followed to its end"
    REFUSED = "refused: nothing of it was followed"
    BROKEN_OFF = "accepted, and ended before its end"


@dataclass(frozen=True)
class Answer:
    """The controller's report about the trajectory sent last.

    Attributes:
        state: how far the trajectory got.
        reason: the controller's own, in words; empty where it gives none.
    """

    state: State
    reason: str = ""

    @property
    def over(self) -> bool:
        """Whether no further report is to be waited for."""
        return self.state in (State.UNREPORTED, State.DONE)


UNREPORTED = Answer(State.UNREPORTED)
