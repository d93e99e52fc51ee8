"""What a controller says of a trajectory that it was sent."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class State(Enum):
    """How far a trajectory got, as the controller tells."""

    UNTOLD = "a controller that never tells, as one that is commanded by a topic"
    UNANSWERED = "sent, and neither accepted nor refused yet"
    ACCEPTED = "accepted, and not ended yet"
    DONE = "followed to its end"
    REFUSED = "refused: nothing of it was followed"
    BROKEN_OFF = "accepted, and ended before its end"


@dataclass(frozen=True)
class Answer:
    """State of the trajectory sent last, and the controller's reason where it gives one."""

    state: State
    reason: str = ""

    @property
    def over(self) -> bool:
        """Whether the controller has nothing left to tell that is worth waiting for."""
        return self.state in (State.UNTOLD, State.DONE)


UNTOLD = Answer(State.UNTOLD)
