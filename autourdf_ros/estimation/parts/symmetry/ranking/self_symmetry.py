"""How well two parts map onto themselves when they turn about axes or slide along them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.estimation.parts.contact.contact_region import ContactRegion
from autourdf_ros.estimation.parts.contact.prepared_part import PreparedPart
from autourdf_ros.estimation.parts.symmetry.proposals.axes import Axes
from autourdf_ros.estimation.parts.symmetry.symmetry_options import SymmetryOptions
from autourdf_ros.geometry.rigid_motion import exp_se3

Array = NDArray[np.float64]
VANISHED = 5.0
"""Widths of a Gaussian beyond which it counts for nothing: 1e-11 of its peak."""


@dataclass(frozen=True)
class TurnedSide:
    """Samples of one part that are turned, against its own surface and the other part's.

    Attributes:
        own: The part.
        other: The other part.
        points: (N, 3) m.
        weights: (N,), which sum to one: how near the other part.
        gaps: (N,) signed distance to the other part, negative inside (m).
    """

    own: PreparedPart
    other: PreparedPart
    points: Array
    weights: Array
    gaps: Array

    @classmethod
    def of(
        cls,
        own: PreparedPart,
        other: PreparedPart,
        region: ContactRegion,
        second: bool,
        options: SymmetryOptions,
    ) -> TurnedSide:
        """Take the samples in the contact and those around it."""
        reach = options.reach * min(own.diagonal, other.diagonal)
        gaps = other.field.capped(own.samples.points, region.distance + 2 * reach) - region.distance
        near = np.flatnonzero(gaps < 2 * reach)[: options.turned]
        chosen = np.flatnonzero(region.second == second)[: options.turned]
        points = np.vstack([region.points[chosen], own.samples.points[near]])
        weights = np.concatenate(
            [
                np.full(len(chosen), 1.0 / max(len(chosen), 1)),
                np.exp(-((gaps[near] / reach) ** 2)) / max(len(near), 1),
            ]
        )
        gaps = signed(other, points, np.inf, np.inf)
        return cls(own, other, points, weights / weights.sum(), gaps)


def _boxed(part: PreparedPart, points: Array) -> Array:
    """Distances (...) of points (..., 3) to a part's box, zero inside (m)."""
    low, high = part.part.bounds
    beyond = np.maximum(np.maximum(low - points, points - high), 0.0)
    return np.asarray(np.sqrt(np.einsum("...i,...i->...", beyond, beyond)))


def distances(part: PreparedPart, points: Array, far: float, limits: Array | float) -> Array:
    """Return the distances (...) of points (..., 3) to a part (m).

    Those further than `far` from its box are to the box, which is quicker and no greater.

    Args:
        part: The part.
        points: (..., 3).
        far: Of the box (m).
        limits: (...) that distances near the box have at most (m): what is further is as far.
    """
    gaps = _boxed(part, points)
    near = gaps < far
    gaps[near] = part.field.capped(points[near], np.broadcast_to(limits, near.shape)[near])
    return gaps


def signed(part: PreparedPart, points: Array, far: float, limits: Array | float) -> Array:
    """Return the distances (...) of points (..., 3) to a part, negative inside (m)."""
    gaps = distances(part, points, far, limits)
    return np.where(_inside(part, points, np.full(gaps.shape, True)), -gaps, gaps)


def depths(part: PreparedPart, points: Array) -> Array:
    """Return how deep points (..., 3) are inside a part (...), zero outside (m)."""
    inside = _inside(part, points, np.full(points.shape[:-1], True))
    found = np.zeros(inside.shape)
    found[inside] = part.field.capped(points[inside])
    return found


def deeper(part: PreparedPart, points: Array, limits: Array) -> NDArray[np.bool_]:
    """Return whether points (..., 3) are inside a part by more than positive limits (...) (m)."""
    boxed = (_boxed(part, points) == 0) & (limits > 0)
    least = np.broadcast_to(limits, boxed.shape)[boxed]
    boxed[boxed] = part.field.beyond(points[boxed], least)
    return _inside(part, points, boxed)


def _inside(part: PreparedPart, points: Array, asked: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Whether points (..., 3) are inside a part, of those that are asked (...)."""
    found = asked & (_boxed(part, points) == 0)
    if found.any():
        found[found] = part.field.inside(points[found])
    return found


def motions(axes: Axes, amounts: Array, radius: float) -> Array:
    """Return poses (K, A, 4, 4) of moving by angles (degrees) or radii of the contact.

    Args:
        axes: K of one kind: all turn or all slide.
        amounts: (A,).
        radius: Of the contact (m).
    """
    if len(axes) and axes.slides[0]:
        twists = np.concatenate([np.zeros_like(axes.directions), axes.directions], axis=1)
        scaled = amounts * radius
    else:
        moments = np.cross(axes.points, axes.directions)
        twists = np.concatenate([axes.directions, moments], axis=1)
        scaled = np.radians(amounts)
    return np.asarray(exp_se3(twists[:, None] * scaled[None, :, None]))


def moved(poses: Array, points: Array) -> Array:
    """Return points (..., N, 3) moved by poses (..., 4, 4)."""
    turned = points @ np.swapaxes(poses[..., :3, :3], -1, -2)
    return np.asarray(turned + poses[..., None, :3, 3])


def self_symmetry(
    sides: tuple[TurnedSide, TurnedSide],
    axes: Axes,
    radius: float,
    options: SymmetryOptions,
) -> dict[str, Array]:
    """Measure every axis (K,) of one kind: all turn or all slide.

    Returns:
        sym_min, sym_max: Of the two parts, how much of the samples stays on the own surface.
        gap_min, gap_max: How much of them stays as far from the other part.
        deeper: Increase of the depth inside the other part, in `alike`.
    """
    slides = bool(len(axes)) and bool(axes.slides[0])
    steps = np.array(options.slides if slides else options.turns)
    poses = motions(axes, np.concatenate([-steps, steps]), radius)
    alike = options.alike * min(sides[0].own.diagonal, sides[1].own.diagonal)
    symmetries, gaps, deeper = [], [], []
    for side in sides:
        points = moved(poses, side.points)
        off = distances(side.own, points, 3 * alike, VANISHED * alike)
        symmetries.append((np.exp(-((off / alike) ** 2)) @ side.weights).mean(axis=1))
        across = signed(
            side.other, points, 3 * alike + side.gaps.max(), np.abs(side.gaps) + VANISHED * alike
        )
        changes = np.abs(across) - np.abs(side.gaps)
        gaps.append((np.exp(-((changes / alike) ** 2)) @ side.weights).mean(axis=1))
        depth = np.maximum(-across, 0) - np.maximum(-side.gaps, 0)
        deeper.append((np.clip(depth / alike, 0, 3) @ side.weights).mean(axis=1))
    return {
        "sym_min": np.minimum(*symmetries),
        "sym_max": np.maximum(*symmetries),
        "gap_min": np.minimum(*gaps),
        "gap_max": np.maximum(*gaps),
        "deeper": np.asarray(sum(deeper)) / 2,
    }
