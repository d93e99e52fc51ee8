"""What changed of each link."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from autourdf_ros.assessment.comparison.compared_robot import ComparedRobot
from autourdf_ros.assessment.comparison.model_alignment import Alignment
from autourdf_ros.geometry.surface_distance import surface_distances

SAME_SURFACE, SAME_MASS = 1e-4, 1e-3
"""Mean distance (m) and share of the mass up to which links of two URDFs are the same."""

MEASURED_SURFACE = 2e-3
"""Median distance (m) up to which they are the same where one is a reconstruction. The surfaces of
two reconstructions of one robot differ by centimetres where no camera saw it; so do their masses,
which come from volumes."""


@dataclass(frozen=True)
class LinkChange:
    """A link that both robots have.

    Attributes:
        names: In the first and in the second robot.
        mean: Distance of the surfaces (m); None where either has no surface.
        median: Distance of the surfaces (m); None likewise.
        largest: 95 % quantile of the distances (m); None likewise.
        masses: kg, in both robots.
        changed: A phrase for every significant change.
    """

    names: tuple[str, str]
    mean: float | None
    median: float | None
    largest: float | None
    masses: tuple[float, float]
    changed: tuple[str, ...]


def same_links(alignment: Alignment) -> tuple[tuple[str, str], ...]:
    """Return the links that are the same as (name in the first, name in the second).

    Children of the same joints are the same; then links of the same name; then the first links of
    the fixed bodies that have a shape.
    """
    first, second = alignment.first, alignment.second
    ours, theirs = (robot.joints for robot in (first, second))
    found = {ours[a].child: theirs[b].child for a, b in alignment.pairs}
    names = {link.name for link in second.subject.robot.links} - set(found.values())
    for link in first.subject.robot.links:
        if link.name not in found and link.name in names:
            found[link.name] = link.name
    one, two = _seen_root(first), _seen_root(second)
    if one and two and one not in found and two not in found.values():
        found[one] = two
    order = [link.name for link in first.subject.robot.links]
    return tuple((name, found[name]) for name in order if name in found)


def _seen_root(robot: ComparedRobot) -> str | None:
    """The first link of the fixed body that has a shape."""
    bodies = robot.bodies()
    links = robot.subject.robot.links
    return next((k.name for k in links if k.shapes and bodies[k.name] == 0), None)


def link_changes(alignment: Alignment) -> tuple[LinkChange, ...]:
    """Compare the links that both robots have, in the common pose and after the shift."""
    first, second = alignment.first, alignment.second
    ours = first.surfaces(first.subject.reference)
    theirs = second.surfaces(alignment.zeros.values)
    measured = first.document is not None or second.document is not None
    changes = []
    for a, b in same_links(alignment):
        mean = median = largest = None
        changed = []
        if a in ours and b in theirs:
            distances = surface_distances(ours[a], theirs[b].apply_translation(alignment.shift))
            mean = float(distances.mean())
            median, largest = (float(x) for x in np.quantile(distances, (0.5, 0.95)))
            if median > MEASURED_SURFACE if measured else mean > SAME_SURFACE:
                changed.append(f"surface {1e3 * mean:.2f} mm")
        elif (a in ours) != (b in theirs):
            changed.append("surface gone" if a in ours else "surface new")
        masses = first.mass(a), second.mass(b)
        if not measured and abs(masses[1] - masses[0]) > SAME_MASS * max(masses):
            changed.append(f"mass {masses[0]:.3g} -> {masses[1]:.3g} kg")
        changes.append(LinkChange((a, b), mean, median, largest, masses, tuple(changed)))
    return tuple(changes)
