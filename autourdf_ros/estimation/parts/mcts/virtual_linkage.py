"""The objective DW-CAVL of a joint and its gradient (paper, III.D.1 and III.D.2, Eqs 10 to 18)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from autourdf_ros.estimation.parts.assembly_options import MctsOptions
from autourdf_ros.estimation.parts.mcts.signed_distance import Field
from autourdf_ros.geometry.arrays import Array

NEGLIGIBLE = 1e-9
"""Share of the greatest weight below which a point does not count, and ε_small of Eqs 15, 16."""

Motion = Literal["revolute", "prismatic"]


@dataclass(frozen=True)
class LinkageCost:
    """The objective at one joint.

    Attributes:
        total: J, in squared contact bands.
        consistency: Mean L_cons over Θ, not weighted.
        collision: Mean L_coll, not weighted.
        pivot: L_reg.
        by_pivot: (3,) ∂J/∂p (1/m).
        by_axis: (3,) ∂J/∂u, as if u were free.
    """

    total: float
    consistency: float
    collision: float
    pivot: float
    by_pivot: Array
    by_axis: Array

    @property
    def score(self) -> float:
        """1 / (1 + J)."""
        return 1 / (1 + self.total)


@dataclass(frozen=True)
class VirtualLinkage:
    """A child that is moved virtually against the signed distance of its parent.

    All distances are divided by the contact band σ_c, so that J has no unit.

    Attributes:
        field: f of the parent.
        points: (n, 3) b_i of the child (m).
        start: (n,) s_0(b_i) (m).
        weights: (n,) w_i = w_vol w_dist (Eqs 13 and 14), over their sum (Eq. 15).
        outside: (n,) inverse volumetric weights w̃_i, over their sum (Eq. 16).
        centre: (3,) μ_c (m).
        band: σ_c (m).
        margin: m_vol (m).
        steps: Θ: angles (rad) of a revolute joint.
        reach: Displacement of a prismatic joint for one radian of Θ (m).
        factors: (λ_c, λ_coll, λ_p).
    """

    field: Field
    points: Array
    start: Array
    weights: Array
    outside: Array
    centre: Array
    band: float
    margin: float
    steps: tuple[float, ...]
    reach: float
    factors: tuple[float, float, float]

    def subsampled(self, share: float, rng: np.random.Generator) -> VirtualLinkage:
        """Return the linkage with a random share of the points."""
        count = max(1, round(share * len(self.points)))
        kept = np.sort(rng.permutation(len(self.points))[:count])
        weights, outside = self.weights[kept], self.outside[kept]
        return replace(
            self,
            points=self.points[kept],
            start=self.start[kept],
            weights=weights / (weights.sum() + NEGLIGIBLE),
            outside=outside / (outside.sum() + NEGLIGIBLE),
        )

    def cost(self, motion: Motion, pivot: Array, axis: Array) -> LinkageCost:
        """Evaluate J (Eq. 18) and its gradient.

        Args:
            motion: Type of the joint.
            pivot: (3,) p (m); does not matter to a prismatic joint.
            axis: (3,) unit vector u.
        """
        revolute = motion == "revolute"
        arms = self.points - pivot
        sums = np.zeros(2)
        by_pivot, by_axis = np.zeros(3), np.zeros(3)
        for step in self.steps:
            moved = _turned(arms, axis, step) + pivot if revolute else self._slid(axis, step)
            near = self._counting(np.linalg.norm(moved - self.points, axis=1))
            if not near.any():
                continue
            parts, slopes = self._losses(moved[near], near)
            sums += parts
            if revolute:
                by_axis += _by_axis(arms[near], slopes, axis, step)
                total = slopes.sum(axis=0)
                by_pivot += total - _turned(total[None], axis, -step)[0]
            else:
                by_axis += step * self.reach * slopes.sum(axis=0)
        return self._summed(sums, by_pivot, by_axis, pivot - self.centre if revolute else None)

    def _slid(self, axis: Array, step: float) -> Array:
        return self.points + step * self.reach * axis

    def _counting(self, moves: Array) -> NDArray[np.bool_]:
        """Points that can count: |∇f| ≤ 1 bounds s_δ by s_0 ± the length of the move."""
        leaving = (self.weights > 0) & (self.start + moves > self.margin)
        entering = (self.outside > 0) & (self.start - moves < -self.margin)
        return (leaving & (self.factors[0] > 0)) | entering

    def _losses(self, moved: Array, near: NDArray[np.bool_]) -> tuple[Array, Array]:
        """L_cons and L_coll of one motion, and the slope (m, 3) of their weighted sum by y_i."""
        distances, gradients = self.field.with_gradients(moved, self.margin)
        leaving = np.maximum(0, distances - self.margin) / self.band
        entering = np.maximum(0, -distances - self.margin) / self.band
        weights, outside = self.weights[near], self.outside[near]
        slopes = 2 * (self.factors[0] * weights * leaving - self.factors[1] * outside * entering)
        losses = np.array([weights @ leaving**2, outside @ entering**2])
        return losses, slopes[:, None] * gradients / self.band

    def _summed(
        self, sums: Array, by_pivot: Array, by_axis: Array, offset: Array | None
    ) -> LinkageCost:
        count = len(self.steps)
        consistency, collision = sums / count
        off = np.zeros(3) if offset is None else offset / self.band
        pivot = self.factors[2] * float(off @ off)
        total = self.factors[0] * consistency + self.factors[1] * collision + pivot
        return LinkageCost(
            total=float(total),
            consistency=float(consistency),
            collision=float(collision),
            pivot=pivot,
            by_pivot=by_pivot / count + 2 * self.factors[2] * off / self.band,
            by_axis=by_axis / count,
        )


def virtual_linkage(
    field: Field,
    points: Array,
    centre: Array,
    lengths: tuple[float, float, float],
    options: MctsOptions,
) -> VirtualLinkage:
    """Weigh the samples of a child.

    Both the band and the margin begin at the gap: parts that stand a clearance apart have no point
    within a band of the parent's surface itself.

    Args:
        field: Signed distance of the parent.
        points: (n, 3) samples of the child (m).
        centre: (3,) μ_c (m).
        lengths: Diagonal of the smaller part, radius of the contact, gap (m).
        options: Constants.
    """
    diagonal, radius, gap = lengths
    band = options.contact_band * diagonal + gap
    margin = options.margin * diagonal + gap
    start = field.values(points)
    outside = expit(options.sharpness * (start / margin - 1))
    weights = (1 - outside) * np.exp(-(start**2) / (2 * band**2))
    weights[weights < NEGLIGIBLE * weights.max()] = 0
    touching, others = np.flatnonzero(weights > 0), np.flatnonzero(weights == 0)
    kept = np.concatenate([touching[: options.moved], others[: options.moved]])
    shares = _shares(outside, touching, others, options.moved)
    anchored = (options.consistency_weight, options.collision_weight, options.pivot_weight)
    return VirtualLinkage(
        field=field,
        points=points[kept],
        start=start[kept],
        weights=weights[kept] / (weights[kept].sum() + NEGLIGIBLE),
        outside=shares,
        centre=centre,
        band=band,
        margin=margin,
        steps=options.angles,
        reach=radius,
        factors=anchored if options.anchor else (0.0, options.collision_weight, 0.0),
    )


def _shares(
    outside: Array, touching: NDArray[np.int64], others: NDArray[np.int64], moved: int
) -> Array:
    """w̃ of the samples that are moved, over their sum: each set stands for all of its samples."""
    sets = (touching, others)
    kept = [outside[one[:moved]] * (len(one) / max(1, len(one[:moved]))) for one in sets]
    return np.concatenate(kept) / (sum(each.sum() for each in kept) + NEGLIGIBLE)


def _turned(arms: Array, axis: Array, angle: float) -> Array:
    """R(u, θ) applied to (n, 3) vectors (Eq. 11)."""
    along = (arms @ axis)[:, None] * axis
    return np.cos(angle) * (arms - along) + np.sin(angle) * np.cross(axis, arms) + along


def _by_axis(arms: Array, slopes: Array, axis: Array, angle: float) -> Array:
    """Sum of ∂(R(u, θ) q)/∂u applied to the slopes: (3,), for q = x − p."""
    along, slope_along = arms @ axis, slopes @ axis
    turning = np.sin(angle) * np.cross(arms, slopes).sum(axis=0)
    return turning + (1 - np.cos(angle)) * (along @ slopes + slope_along @ arms)


def by_direction(vector: Array, by_axis: Array) -> Array:
    """Return ∂J/∂a for u = a / |a|: (I − a aᵀ / |a|²) ∂J/∂u / |a| (Eq. 12)."""
    length = float(np.linalg.norm(vector))
    unit = vector / length
    return (by_axis - unit * (unit @ by_axis)) / length
