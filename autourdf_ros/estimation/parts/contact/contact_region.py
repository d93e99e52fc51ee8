"""Where two parts are near each other."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.estimation.parts.contact.contact_options import ContactOptions
from autourdf_ros.estimation.parts.contact.part_samples import PartSamples
from autourdf_ros.estimation.parts.contact.prepared_part import PreparedPart
from autourdf_ros.geometry.sampling import farthest_point_indices

PROJECTIONS = 8
"""Steps from one surface to the nearest point of the other that refine the least distance."""
REFINED = 24
"""Nearest samples of each part from which the least distance is refined."""
FIRST = 100
"""Samples that bound the distance of these, so that the others are compared quickly."""


@dataclass(frozen=True)
class ContactRegion:
    """Points of both parts near the other one.

    Attributes:
        distance: Least distance between the surfaces (m).
        points: (M, 3) of both surfaces, spread evenly on each (m).
        normals: (M, 3) unit, of no reliable sign.
        gaps: (M,) distance of each point to the other part (m).
        second: (M,) whether a point is of the second part.
        areas: (2,) of the first and the second part's surface in the region (m²).
        strength: Of the contact, in [0, 1]: 1 where the parts touch over much of the smaller one.
    """

    distance: float
    points: NDArray[np.float64]
    normals: NDArray[np.float64]
    gaps: NDArray[np.float64]
    second: NDArray[np.bool_]
    areas: NDArray[np.float64]
    strength: float

    @property
    def centre(self) -> NDArray[np.float64]:
        """(3,) middle of the region, both parts counting the same (m)."""
        sides = [self.points[self.second], self.points[~self.second]]
        return np.asarray(np.mean([side.mean(axis=0) for side in sides if len(side)], axis=0))

    @property
    def weights(self) -> NDArray[np.float64]:
        """(M,) by which both parts count the same; they sum to one."""
        counts = np.array([(~self.second).sum(), self.second.sum()])
        return np.asarray(
            1.0 / (np.maximum(counts, 1)[self.second.astype(int)] * (counts > 0).sum())
        )


def contact_region(
    first: PreparedPart, second: PreparedPart, options: ContactOptions
) -> ContactRegion:
    """Find the least distance of two parts, and their points within a band beyond it."""
    smaller = min(first.diagonal, second.diagonal)
    distance = least_distance(first, second)
    reach = distance + options.band * smaller
    sides = [_near(first, second, reach, options), _near(second, first, reach, options)]
    points = np.vstack([samples.points for samples, _ in sides])
    second_of = np.repeat([False, True], [len(samples.points) for samples, _ in sides])
    areas = np.array([samples.area * len(samples.points) for samples, _ in sides])
    whole = min(part.surface.areas.sum() for part in (first, second))
    strength = min(1.0, float(areas.min() / (options.strong * whole)))
    return ContactRegion(
        distance,
        points,
        np.vstack([samples.normals for samples, _ in sides]),
        np.concatenate([gaps for _, gaps in sides]),
        second_of,
        areas,
        strength * float(np.exp(-distance / (options.band * smaller))),
    )


def least_distance(first: PreparedPart, second: PreparedPart) -> float:
    """Return the least distance between two surfaces (m).

    From the samples of each to the other surface; then the nearest go from one surface to the
    nearest point of the other and back, which does not increase the distance.
    """
    found = np.inf
    for own, other in ((first, second), (second, first)):
        near, gaps = other.field.near(own.samples.points, _reach(own, other))
        order = np.argsort(gaps, kind="stable")[:REFINED]
        points = own.samples.points[near[order]]
        found = min(found, float(gaps[order[0]]))
        for _ in range(PROJECTIONS):
            across = other.field.nearest(points)
            points = own.field.nearest(across)
        found = min(found, float(np.linalg.norm(points - across, axis=1).min()))
    return found


def _reach(own: PreparedPart, other: PreparedPart) -> float:
    """A distance (m) within which at least REFINED samples of a part are, if it has as many."""
    gaps = other.field.capped(own.samples.points[:FIRST])  # the first are spread over all
    return float(np.sort(gaps)[:REFINED][-1])


def _near(
    own: PreparedPart, other: PreparedPart, reach: float, options: ContactOptions
) -> tuple[PartSamples, NDArray[np.float64]]:
    """Samples of a part within reach of the other, evenly spread, and their distances to it."""
    samples, gaps = _within(own.pool, other, reach)
    for attempt in range(options.resampled):
        if len(samples.points) >= options.region:
            break
        boxes = own.surface.boxes
        low, high = _box(samples, other, reach)
        inside = np.flatnonzero(((boxes[:, 0] <= high) & (boxes[:, 1] >= low)).all(axis=1))
        if not len(inside):
            break
        generator = np.random.default_rng([options.seed, attempt])
        drawn = own.surface.draw(options.pool, generator, inside)
        more, more_gaps = _within(drawn, other, reach)
        if len(more.points) > len(samples.points):
            samples, gaps = more, more_gaps
    if len(samples.points) <= options.region:
        return samples, gaps
    chosen = farthest_point_indices(samples.points, options.region)
    area = samples.area * len(samples.points) / options.region
    return PartSamples(samples.points[chosen], samples.normals[chosen], area), gaps[chosen]


def _box(
    samples: PartSamples, other: PreparedPart, reach: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Lower and upper corner of where a part is within reach of the other."""
    if len(samples.points):
        return samples.points.min(axis=0) - reach, samples.points.max(axis=0) + reach
    return other.part.bounds[0] - reach, other.part.bounds[1] + reach


def _within(
    samples: PartSamples, other: PreparedPart, reach: float
) -> tuple[PartSamples, NDArray[np.float64]]:
    """Those of the samples within reach of a part, and their distances to it."""
    low, high = other.part.bounds[0] - reach, other.part.bounds[1] + reach
    boxed = np.flatnonzero(((samples.points >= low) & (samples.points <= high)).all(axis=1))
    close, gaps = other.field.near(samples.points[boxed], reach)
    near = gaps <= reach
    return samples.taken(boxed[close[near]]), gaps[near]
