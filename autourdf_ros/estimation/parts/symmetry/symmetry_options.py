"""Choices about the joint between two parts."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class SymmetryOptions:
    """Choices about the joint between two parts.

    Attributes:
        alternatives: How many candidates are kept at most (resource bound).
        seed: Of all random choices.
    """

    alternatives: int = 6
    seed: int = 0
