"""How axes lie in the two parts' boxes and in their contact."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.estimation.parts.contact.contact_region import ContactRegion
from autourdf_ros.estimation.parts.contact.oriented_box import ALONG, OrientedBox
from autourdf_ros.estimation.parts.contact.prepared_part import PreparedPart
from autourdf_ros.estimation.parts.symmetry.proposals.axes import Axes
from autourdf_ros.estimation.parts.symmetry.ranking.handles import handle_features
from autourdf_ros.estimation.parts.symmetry.ranking.self_symmetry import VANISHED, moved
from autourdf_ros.estimation.parts.symmetry.symmetry_options import SymmetryOptions
from autourdf_ros.geometry.rigid_motion import exp_se3

Array = NDArray[np.float64]
WHOLE = 80
"""Samples of a part that are turned (resource bound)."""
QUARTERS = np.array([35.0, 90.0])
"""Angles (degrees) by which a whole part is turned: 35 is no symmetry of a polygon."""
PINNED = 0.05
"""Distance from an axis, in diagonals of the mover, within which a contact is that of a pin."""


def placement(
    first: PreparedPart,
    second: PreparedPart,
    region: ContactRegion,
    axes: Axes,
    options: SymmetryOptions,
) -> dict[str, Array]:
    """Measure every axis (K,); the mover is the smaller part.

    Returns:
        thin, rod: Thinness and length of the mover's box, the same for all axes.
        along_least, along_greatest: Cosine with the mover's least and greatest extent, times
            `thin` and `rod`.
        along_own, along_other: Of the mover's and the other part's box, the half extent along the
            axis over the greatest.
        edge_thin: Whether it is an edge of a box, times `thin`.
        away_mover, away_other: Distance of the axis from the middle of their boxes, in half
            diagonals.
        in_plane: Sine with the mover's least extent, times `thin`: along a panel.
        whole: How much of the whole mover stays on its surface as it turns about the direction
            through its middle: 1 for a wheel or a knob.
        boxy, boxy_contact: Share of the mover's and of the contact's surface that is along the
            mover's box: 1 for furniture, the same for all axes.
        up: Cosine with the vertical.
        chain, arm: Cosine with the line between the middles of both, and from the contact to the
            mover's middle.
        spread: Extent of the contact along the axis over its greatest extent.
        below: How far the axis is below the mover's middle, in half diagonals, of level axes.
        pinned: Share of the contact that is near the axis.
        metres: Logarithm of the mover's diagonal (m), the same for all axes.
        smaller: Diagonal of the mover over that of the other part.
        strength: Of the contact.
        and those of `handle_features`.
    """
    mover, other = sorted((first, second), key=lambda part: part.diagonal)
    box, base = mover.box, other.box
    directions = axes.directions
    ones = np.ones(len(axes))
    offsets = region.points - region.centre
    extents = np.ptp(directions @ offsets.T, axis=1)
    alike = options.alike * mover.diagonal
    thin, rod = box.thinness, box.length
    return {
        "thin": thin * ones,
        "rod": rod * ones,
        "along_least": thin * np.abs(directions @ box.axes[0]),
        "along_greatest": rod * np.abs(directions @ box.axes[2]),
        "along_own": _half_extent(box, directions),
        "along_other": _half_extent(base, directions),
        "edge_thin": thin * axes.edges,
        "away_mover": _away(axes, box.middle) / np.linalg.norm(box.half),
        "away_other": _away(axes, base.middle) / np.linalg.norm(base.half),
        "in_plane": thin * np.sqrt(np.maximum(0, 1 - (directions @ box.axes[0]) ** 2)),
        "whole": _roundness(mover, directions, alike),
        "boxy": _boxy(box, mover.samples.normals) * ones,
        "boxy_contact": _boxy(box, region.normals) * ones,
        "up": np.abs(directions[:, 2]),
        "chain": _cosine(directions, base.middle - box.middle),
        "arm": _cosine(directions, region.centre - box.middle),
        "spread": extents / max(float(extents.max()), 1e-12) if len(axes) else extents,
        "below": _below(axes, mover),
        "pinned": _pinned(region, axes, PINNED * mover.diagonal),
        "metres": np.log(max(mover.diagonal, 1e-12)) * ones,
        **handle_features(mover, axes),
        "smaller": mover.diagonal / max(other.diagonal, 1e-12) * ones,
        "strength": region.strength * ones,
    }


def _boxy(box: OrientedBox, normals: Array) -> float:
    """Share of normals (N, 3) that are along the axes of a box."""
    if not len(normals):
        return 0.0
    return float((np.abs(normals @ box.axes.T).max(axis=1) > ALONG).mean())


def _roundness(mover: PreparedPart, directions: Array, alike: float) -> Array:
    points = mover.samples.points[:WHOLE]
    twists = np.concatenate(
        [directions, np.cross(mover.samples.points.mean(axis=0), directions)], axis=1
    )
    poses = exp_se3(twists[:, None] * np.radians(QUARTERS)[None, :, None])
    off = mover.field.capped(moved(poses, points), VANISHED * alike)
    return np.asarray(np.exp(-((off / alike) ** 2)).mean(axis=(1, 2)))


def _half_extent(box: OrientedBox, directions: Array) -> Array:
    extents = np.abs(directions @ box.axes.T) @ box.half
    return np.asarray(extents / np.linalg.norm(box.half))


def _away(axes: Axes, point: Array) -> Array:
    """Distances (K,) of a point from the axes (m)."""
    return np.asarray(np.linalg.norm(np.cross(point - axes.points, axes.directions), axis=1))


def _cosine(directions: Array, line: Array) -> Array:
    return np.abs(directions @ line) / max(float(np.linalg.norm(line)), 1e-12)


def _below(axes: Axes, mover: PreparedPart) -> Array:
    level = 1 - np.abs(axes.directions[:, 2])
    heights = mover.box.middle[2] - axes.points[:, 2]
    return np.clip(heights / np.linalg.norm(mover.box.half), -1.0, 1.0) * level


def _pinned(region: ContactRegion, axes: Axes, reach: float) -> Array:
    offsets = region.points[None] - axes.points[:, None]
    away = np.linalg.norm(np.cross(offsets, axes.directions[:, None]), axis=2)
    return np.asarray((away < reach) @ region.weights)
