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
class _Probes:
    """Samples of parts, and the boxes around them: middles (P, 3), halves (P, 3) of the extents."""

    points: NDArray[np.float64]
    middles: NDArray[np.float64]
    halves: NDArray[np.float64]
    diagonals: NDArray[np.float64]

    @classmethod
    def of(cls, parts: Sequence[PreparedPart], count: int) -> _Probes:
        """Take samples of every part, evenly thinned; some twice where there are fewer."""
        points = np.array(
            [
                part.samples.points[np.linspace(0, len(part.samples.points) - 1, count).astype(int)]
                for part in parts
            ]
        )
        least, greatest = points.min(axis=1), points.max(axis=1)
        diagonals = np.array([part.diagonal for part in parts])
        return cls(points, (least + greatest) / 2, (greatest - least) / 2, diagonals)


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
        more = self.penetration(motions, np.isfinite(self._allowed[0])) > self._allowed
        return np.asarray(more.any(axis=(1, 2, 3)))

    def penetration(
        self, motions: NDArray[np.float64], asked: NDArray[np.bool_] | None = None
    ) -> NDArray[np.float64]:
        """Return shares (A, 2, M, S) of samples that penetrate, for motions (A, 4, 4).

        Of the samples of moving parts (0), and of those that stand still (1), for each pair.

        Args:
            motions: Of the moving parts.
            asked: (M, S) pairs; zero of all others. None for all.
        """
        pairs = np.full((len(self.moving), len(self.still)), True) if asked is None else asked
        moving, still = self._probes
        forth = _shares(moving, self.still, motions, pairs, self.options)
        back = _shares(still, self.moving, inverse(motions), pairs.T, self.options)
        return np.stack([forth, back.transpose(0, 2, 1)], axis=1)

    @cached_property
    def _probes(self) -> tuple[_Probes, _Probes]:
        sides = (self.moving, self.still)
        moving, still = (_Probes.of(parts, self.options.samples) for parts in sides)
        return moving, still

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
    probes: _Probes,
    bodies: Sequence[PreparedPart],
    motions: NDArray[np.float64],
    asked: NDArray[np.bool_],
    options: RangeOptions,
) -> NDArray[np.float64]:
    """Shares (A, P, B) of the samples of probes, moved, that are deep inside of asked bodies."""
    near = _boxes_meet(probes, bodies, motions) & asked
    angles, which = np.nonzero(near.any(axis=2))
    turns, shifts = motions[angles, :3, :3], motions[angles, None, :3, 3]
    moved = probes.points[which] @ turns.transpose(0, 2, 1) + shifts
    shares = np.zeros(near.shape)
    for number, body in enumerate(bodies):
        met = np.flatnonzero(near[angles, which, number])
        if not len(met):
            continue
        points = moved[met]
        limits = options.depth * np.minimum(probes.diagonals[which[met]], body.diagonal)
        deep = _deep(body, points.reshape(-1, 3), np.repeat(limits, points.shape[1]))
        shares[angles[met], which[met], number] = deep.reshape(points.shape[:2]).mean(axis=1)
    return shares


def _boxes_meet(
    probes: _Probes, bodies: Sequence[PreparedPart], motions: NDArray[np.float64]
) -> NDArray[np.bool_]:
    """Whether the boxes of moved probes, along the frame's axes, meet those of bodies (A, P, B)."""
    turns = motions[:, :3, :3]
    middles = probes.middles @ turns.transpose(0, 2, 1) + motions[:, None, :3, 3]
    halves = probes.halves @ np.abs(turns).transpose(0, 2, 1)
    bounds = np.array([body.part.bounds for body in bodies])
    return np.asarray(
        ((middles + halves)[:, :, None] > bounds[:, 0]).all(axis=3)
        & ((middles - halves)[:, :, None] < bounds[:, 1]).all(axis=3)
    )


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
