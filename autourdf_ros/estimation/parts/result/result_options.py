"""Choices about warnings, and about how sure a model is."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class ResultOptions:
    """Choices about warnings, and about how sure a model is.

    Attributes:
        axis_std: Standard deviation of the direction of a right axis (rad).
        line_std: Standard deviation of the line of a right axis, in sizes of the assembly.
        unsure: Probability below which the base is a reason for doubt; that of joints is
            `joint_grading.LEAST_PROBABILITY`.
        same: Greatest distance, in diagonals, of surfaces that are on top of each other.
        nested: Share of a part's samples inside another part, above which it is nested in it.
        overlap: Share of a part's samples deep inside another part, from which they overlap.
        deep: Depth of such a sample at least, in diagonals of the smaller part.
        overlapping: Samples of a part that are asked (resource bound).
        stuck: Range (rad, or sizes of the assembly) below which a joint cannot move.
        ranged: Alternatives of a joint of which the range is found (resource bound).
    """

    axis_std: float = 0.005
    line_std: float = 0.002
    unsure: float = 0.6
    same: float = 0.002
    nested: float = 0.95
    overlap: float = 0.1
    deep: float = 0.02
    overlapping: int = 400
    stuck: float = 0.01
    ranged: int = 3
