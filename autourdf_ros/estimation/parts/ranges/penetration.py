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
        overlaps = (given > self.options.share).any(axis=0) & ~joined
        overlaps[:, ~still] |= overlaps[:, ~still].any(axis=0)
        allowed = self.options.share + np.where(joined, given, 0.0)
        return np.where(overlaps, np.inf, allowed)


def _shares(
    probes: Sequence[PreparedPart],
    bodies: Sequence[PreparedPart],
    motions: NDArray[np.float64],
    options: RangeOptions,
) -> NDArray[np.float64]:
    """Shares (A, P, B) of the samples of probes, moved, that are deep inside of bodies."""
    picked = [_picked(probe, options.samples) for probe in probes]
    owner = np.repeat(np.arange(len(probes)), [len(own) for own in picked])
    points = np.vstack(picked)
    moved = points @ motions[:, :3, :3].transpose(0, 2, 1) + motions[:, None, :3, 3]
    diagonals = np.array([probe.diagonal for probe in probes])
    shares = np.zeros((len(motions), len(probes), len(bodies)))
    for number, body in enumerate(bodies):
        limits = options.depth * np.minimum(diagonals, body.diagonal)
        lower, upper = body.part.bounds
        near = np.all((moved > lower + limits.min()) & (moved < upper - limits.min()), axis=2)
        angles, which = np.nonzero(near)
        deep = _deep(body, moved[angles, which], limits[owner[which]])
        np.add.at(shares, (angles[deep], owner[which[deep]], number), 1.0)
    return shares / np.array([len(own) for own in picked])[None, :, None]


def _picked(part: PreparedPart, count: int) -> NDArray[np.float64]:
    """Samples of a part, evenly thinned."""
    points = part.samples.points
    return points[:: max(1, len(points) // count)]


def _deep(
    body: PreparedPart, points: NDArray[np.float64], limits: NDArray[np.float64]
) -> NDArray[np.bool_]:
    """Whether points are inside a body, and farther than a limit from its surface."""
    deep = np.zeros(len(points), bool)
    if len(points):
        far = np.flatnonzero(body.field(points) > limits)
        if len(far):
            deep[far] = body.field.inside(points[far])
    return deep
