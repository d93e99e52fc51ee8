"""Axes that may be the joint between two parts."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.estimation.parts.contact.contact_region import ContactRegion
from autourdf_ros.estimation.parts.contact.prepared_part import PreparedPart
from autourdf_ros.estimation.parts.symmetry.proposals.axes import Axes
from autourdf_ros.estimation.parts.symmetry.proposals.axis_centres import axis_centres
from autourdf_ros.estimation.parts.symmetry.proposals.box_edges import box_edges
from autourdf_ros.estimation.parts.symmetry.proposals.directions import candidate_directions
from autourdf_ros.estimation.parts.symmetry.proposals.slippage import (
    OrientedPoints,
    of_region,
    plain_slippage,
    reweighted_slippage,
)
from autourdf_ros.estimation.parts.symmetry.symmetry_options import SymmetryOptions

Array = NDArray[np.float64]


def axis_candidates(
    first: PreparedPart, second: PreparedPart, region: ContactRegion, options: SymmetryOptions
) -> Axes:
    """Propose axes: by slippage, by centres of directions, by edges of boxes, and slides."""
    oriented = of_region(region)
    directions = candidate_directions(first, second, region, options)
    proposed = [_slipping(region, oriented, options)]
    for direction in directions:
        centres = oriented.middle + oriented.radius * axis_centres(oriented, direction, options)
        proposed.append(Axes.alike(np.tile(direction, (len(centres), 1)), centres, False, "centre"))
    proposed.append(_refined(Axes.joined(*proposed), oriented, options))
    proposed.append(Axes.alike(directions, oriented.middle, True, "slide"))
    proposed.append(Axes.alike(directions, oriented.middle, False, "middle"))
    small, large = sorted((first, second), key=lambda part: part.diagonal)
    both = small.diagonal > options.similar * large.diagonal
    for part, other in ((small, large), (large, small))[: 1 + both]:
        proposed.append(_edges(part, other, region, options))
    return distinct_axes(Axes.joined(*proposed), oriented, options)


def _slipping(region: ContactRegion, oriented: OrientedPoints, options: SymmetryOptions) -> Axes:
    """Axes by slippage of both parts' contact, and of each one's."""
    found = []
    sides = [np.full(len(region.points), True), region.second, ~region.second]
    for side in sides:
        if side.sum() < 8:
            continue
        points = OrientedPoints.of(region.points[side], region.normals[side], region.weights[side])
        starts = plain_slippage(points)[1][:, :4].T
        twists = reweighted_slippage(points, starts, options.slip_start, options)[0]
        found += [points.axes(np.vstack([twists, starts[:1]]), "slippage")]
    return Axes.joined(*found) if found else Axes.alike(np.zeros((0, 3)), 0.0, False, "slippage")


def _refined(axes: Axes, oriented: OrientedPoints, options: SymmetryOptions) -> Axes:
    """Axes nearby along which the contact slips better."""
    if not len(axes):
        return axes
    twists = oriented.twists(axes)
    found = reweighted_slippage(oriented, twists, options.slip_local, options)[0]
    refined = oriented.axes(found, "slippage")
    same = np.abs((refined.directions * axes.directions).sum(axis=1)) > np.cos(np.radians(10))
    return refined.taken(same & (refined.slides == axes.slides))


def _edges(
    part: PreparedPart, other: PreparedPart, region: ContactRegion, options: SymmetryOptions
) -> Axes:
    """Edges of a part's box that are near the other part."""
    directions, middles = box_edges(part.box)
    smaller = min(part.diagonal, other.diagonal)
    near = other.field(middles) < region.distance + 2 * options.reach * smaller
    return Axes.alike(directions[near], middles[near], False, "edge")


def distinct_axes(axes: Axes, oriented: OrientedPoints, options: SymmetryOptions) -> Axes:
    """Return the axes that differ from all before them, their points moved to the contact."""
    offsets = oriented.middle - axes.points
    along = (offsets * axes.directions).sum(axis=1, keepdims=True)
    points = np.where(axes.slides[:, None], axes.points, axes.points + along * axes.directions)
    axes = Axes(axes.directions, points, axes.slides, axes.sources)
    same = np.abs(axes.directions @ axes.directions.T) > np.cos(np.radians(options.distinct_angle))
    apart = np.linalg.norm(points[:, None] - points[None], axis=2)
    near = apart < options.distinct_offset * oriented.radius
    slides = axes.slides
    same &= (slides[:, None] & slides[None]) | (near & (slides[:, None] == slides[None]))
    kept: list[int] = []
    for i in range(len(axes)):
        if not same[i, kept].any():
            kept.append(i)
    return axes.taken(np.array(kept, int))
