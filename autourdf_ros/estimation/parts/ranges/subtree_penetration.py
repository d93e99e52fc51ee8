"""How much moved parts penetrate parts that stand still."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.estimation.parts.contact.prepared_part import PreparedPart
from autourdf_ros.estimation.parts.ranges.range_options import RangeOptions
from autourdf_ros.geometry.rigid_motion import inverse


@dataclass(frozen=True)
class Cut:
    """The two sides of a joint.

    Attributes:
        moving: Parts that the joint moves.
        still: All others.
        joined: Numbers of the two parts that the joint joins: the still one, and the moving one.
        options: Of the ranges.
    """

    moving: Sequence[PreparedPart]
    still: Sequence[PreparedPart]
    joined: tuple[int, int]
    options: RangeOptions

    def collides(self, motions: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Return whether parts collide, (A,) for motions (A, 4, 4) of the moving ones."""
        more = self.penetration(motions) > self._allowed
        return np.asarray(more.any(axis=(1, 2, 3)))

    def penetration(self, motions: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return shares (A, 2, M, S) of samples that penetrate, for motions (A, 4, 4).

        Of the samples of moving parts (0), and of those that stand still (1), for each pair.
        """
        back = inverse(motions)
        forth = _shares(self.moving, self.still, motions, self.options)
        return np.stack(
            [forth, _shares(self.still, self.moving, back, self.options).transpose(0, 2, 1)],
            axis=1,
        )

    @cached_property
    def _allowed(self) -> NDArray[np.float64]:
        """(2, M, S) shares that are no collision; inf for parts that overlap in the given pose.

        The joined parts may penetrate twice as much as in the given pose. A part that stands still
        and overlaps with any other that moves stops nothing.
        """
        given = self.penetration(np.eye(4)[None])[0]
        joined = np.zeros(given.shape[1:], bool)
        still = np.array([part.index == self.joined[0] for part in self.still])
        moving = np.array([part.index == self.joined[1] for part in self.moving])
        joined[np.ix_(moving, still)] = True
        overlaps = (given > 0).any(axis=0) & ~joined
        overlaps[:, ~still] |= overlaps[:, ~still].any(axis=0)
        allowed = self.options.share + np.where(joined, 2 * given, 0.0)
        return np.where(overlaps, np.inf, allowed)


def _shares(
    probes: Sequence[PreparedPart],
    bodies: Sequence[PreparedPart],
    motions: NDArray[np.float64],
    options: RangeOptions,
) -> NDArray[np.float64]:
    """Shares (A, P, B) of the samples of probes, moved, that are deep inside of bodies."""
    picked = np.array([_picked(probe, options.samples) for probe in probes])
    turns, shifts = motions[:, None, :3, :3], motions[:, None, None, :3, 3]
    moved = picked[None] @ turns.transpose(0, 1, 3, 2) + shifts
    least, greatest = moved.min(axis=2), moved.max(axis=2)
    diagonals = np.array([probe.diagonal for probe in probes])
    shares = np.zeros((len(motions), len(probes), len(bodies)))
    for number, body in enumerate(bodies):
        limits = options.depth * np.minimum(diagonals, body.diagonal)
        lower, upper = body.part.bounds
        near = np.all((greatest > lower) & (least < upper), axis=2)
        angles, which = np.nonzero(near)
        points = moved[angles, which]
        deep = _deep(body, points.reshape(-1, 3), np.repeat(limits[which], points.shape[1]))
        shares[angles, which, number] = deep.reshape(points.shape[:2]).mean(axis=1)
    return shares


def _picked(part: PreparedPart, count: int) -> NDArray[np.float64]:
    """Samples of a part (count, 3), evenly thinned; some twice where there are fewer."""
    points = part.samples.points
    return points[np.linspace(0, len(points) - 1, count).astype(int)]


def _deep(
    body: PreparedPart, points: NDArray[np.float64], limits: NDArray[np.float64]
) -> NDArray[np.bool_]:
    """Whether points (N, 3) are inside a body, farther than limits (N,) from its surface."""
    deep = np.zeros(len(points), bool)
    lower, upper = body.part.bounds
    inner = np.all((points > lower + limits[:, None]) & (points < upper - limits[:, None]), axis=1)
    close = np.flatnonzero(inner)
    if len(close):
        far = close[body.field.beyond(points[close], limits[close])]
        if len(far):
            deep[far] = body.field.inside(points[far])
    return deep
