"""The comparisons of an adjustment: frames with surfaces, and the unknowns that move them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from autourdf_ros.geometry.arrays import Array
from autourdf_ros.geometry.rigid_motion import adjoint


@dataclass(frozen=True)
class Comparison:
    """A frame compared with a surface, at the end of an adjustment.

    Attributes:
        frame: its number.
        surface: number of the frame whose cloud the surface is, -1 the reference.
        relative: (B, 4, 4) poses of the surface's bodies in the frame.
        information: (B, 6, 6) slope of the gradient.
        gradient: (B, 6) of the bodies' poses in the frame.
        repeats: how often a pair of points counts in them.
    """

    frame: int
    surface: int
    relative: Array
    information: Array
    gradient: Array
    repeats: int


@dataclass(frozen=True)
class Unknowns:
    """What was adjusted: O unknowns of every frame, J joint values first, and S that all share.

    Attributes:
        own: (F, B, 6, O) how a frame's own unknowns move the bodies.
        shared: (F, B, 6, S) how the shared ones do.
        ties: (F, O) information of the own ones by themselves, in units of squared noise (m^2).
        keys: frames whose own unknowns are shared ones; they follow those of the lines.
        lines: number of unknowns of the joints' lines, the first shared ones.
    """

    own: Array
    shared: Array
    ties: Array
    keys: Sequence[int]
    lines: int

    def change(self, item: Comparison) -> Array:
        """Return how the shared unknowns move the bodies against the surface: (B, 6, S)."""
        change = self.shared[item.frame]
        if item.surface < 0:
            return change
        return np.asarray(change - adjoint(item.relative) @ self.shared[item.surface])

    def of_keys(self, values: Array) -> Array:
        """Return values (F, O) of the key frames, behind zeros for the lines: (S,)."""
        return np.concatenate([np.zeros(self.lines), *(values[key] for key in self.keys)])

    def of_others(self, values: Array) -> Array:
        """Return values (F, O) with zeros for the key frames."""
        values = values.copy()
        values[list(self.keys)] = 0.0
        return values
