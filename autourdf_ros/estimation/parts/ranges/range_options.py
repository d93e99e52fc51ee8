"""Choices about the collision-free range of a joint."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class RangeOptions:
    """Choices about the collision-free range of a joint.

    Attributes:
        turn: Step of a revolute joint (rad).
        slide: Step of a prismatic joint, in lengths of what it moves along its axis.
        samples: Of the surface of a part (resource bound).
        depth: Penetration, in diagonals of the smaller part, that counts.
        share: Share of a part's samples that has to penetrate.
        chunk: Steps that are examined at once (resource bound).
    """

    turn: float = 0.0524
    slide: float = 0.02
    samples: int = 250
    depth: float = 0.01
    share: float = 0.02
    chunk: int = 12
