"""Choices for the questions to a type model, and for the weight of its answers."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class TypeOptions:
    """Choices for type models.

    Attributes:
        side: Of a view, in pixels (bound of memory).
        margin: Around what a view shows, as a share of its size.
        close: Half the width of a joint's view, in diagonals of the smaller part.
        shown: Alternatives in a question, the best first (bound of what an image can show).
        failures: In a row, after which the model is not asked further (bound of time).
        reliability: Greatest probability that an answer is right, whatever the model claims.
        majority: Share of a group's votes above which its type counts.
        sure: Probability of the first alternative from which an ambiguous joint is decided: a
            significance level of 5 %.
    """

    side: int = 512
    margin: float = 0.1
    close: float = 0.8
    shown: int = 6
    failures: int = 2
    reliability: float = 0.9
    majority: float = 0.5
    sure: float = 0.95
