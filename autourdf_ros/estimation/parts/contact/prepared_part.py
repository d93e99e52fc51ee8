"""Parts with what every later step asks for: surface, samples and a distance field."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.spatial import ConvexHull, QhullError

from autourdf_ros.data.parts.part_assembly import Part, PartAssembly
from autourdf_ros.estimation.parts.contact.contact_options import ContactOptions
from autourdf_ros.estimation.parts.contact.distance_field import DistanceField
from autourdf_ros.estimation.parts.contact.oriented_box import OrientedBox, oriented_box
from autourdf_ros.estimation.parts.contact.part_samples import (
    PartSamples,
    PartSurface,
    sample_surface,
)
from autourdf_ros.parallel import Tally, on_all_cores
from autourdf_ros.progress import Progress, silent, staged

HULLED = 20_000
"""Vertices above which the hull is that of the samples (resource bound)."""


@dataclass(frozen=True)
class PreparedPart:
    """A part, its samples and its distance field.

    Attributes:
        index: Number in the assembly.
        part: As given.
        surface: From which further points are drawn.
        samples: Spread evenly over its surface.
        pool: More samples, random, from which those near another part are taken.
        field: Unsigned distance to its surface.
    """

    index: int
    part: Part
    surface: PartSurface
    samples: PartSamples
    pool: PartSamples
    field: DistanceField

    @cached_property
    def diagonal(self) -> float:
        """Length of its box's diagonal (m)."""
        return self.part.diagonal

    @cached_property
    def box(self) -> OrientedBox:
        """Smallest box around it, along its own surfaces."""
        return oriented_box(self.part.vertices, self.samples)

    @cached_property
    def hull_volume(self) -> float:
        """Volume of its convex hull (m³), 0 where it is flat."""
        points = self.part.vertices
        if len(points) > HULLED:
            points = np.vstack([self.samples.points, self.pool.points])
        try:
            return float(ConvexHull(points).volume)
        except QhullError:
            return 0.0


def prepare_part(part: Part, index: int, options: ContactOptions) -> PreparedPart:
    """Sample a part and build its distance field."""
    surface = PartSurface(part, options.crease)
    samples = sample_surface(surface, options.samples, options.seed)
    pool = surface.draw(options.pool, np.random.default_rng(options.seed + 1))
    return PreparedPart(index, part, surface, samples, pool, DistanceField(part))


def prepare_parts(
    assembly: PartAssembly,
    options: ContactOptions = ContactOptions(),  # noqa: B008  (frozen)
    progress: Progress = silent,
) -> tuple[PreparedPart, ...]:
    """Sample every part and build its distance field, on all cores."""
    tally = Tally(len(assembly.parts), staged(progress, "sampling the parts"))

    def prepare(index: int) -> PreparedPart:
        prepared = prepare_part(assembly.parts[index], index, options)
        tally.add()
        return prepared

    return tuple(on_all_cores(prepare, range(len(assembly.parts))))
