"""Which part of a tree is the base."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import ConvexHull, QhullError

from autourdf_ros.estimation.parts.contact.congruence import CongruentGroup
from autourdf_ros.estimation.parts.contact.prepared_part import PreparedPart
from autourdf_ros.estimation.parts.structure.spanning_tree import Pair, neighbours, walk
from autourdf_ros.estimation.parts.structure.structure_options import StructureOptions

_FLAT = 1e-4
"""Least volume of a part, in cubes of its diagonal: of a rod a hundredth as thick as long."""


def base_terms(
    edges: Sequence[Pair],
    parts: Sequence[PreparedPart],
    groups: Sequence[CongruentGroup],
    options: StructureOptions,
) -> dict[str, NDArray[np.float64]]:
    """Return the terms of every part's log odds to be the base, (P,) by name.

    Args:
        edges: Of a tree over the parts.
        parts: All.
        groups: Congruent parts.
        options: Of the structure.
    """
    count, weights = len(parts), options.base
    adjacent = neighbours(count, edges)
    sizes = np.log([part_size(part) for part in parts])
    return {
        "size": weights.size * (sizes - sizes.max()),
        "inner": weights.inner * _inner(adjacent, groups),
        "stance": weights.stance * _stance(adjacent, parts, options),
        "enlargement": weights.enlargement * _enlargement(adjacent, sizes),
    }


def part_size(part: PreparedPart) -> float:
    """Return the cube root of the volume of a part's convex hull (m)."""
    return float(np.cbrt(max(part.hull_volume, (_FLAT * part.diagonal) * part.diagonal**2 * _FLAT)))


def stance(
    parts: Sequence[PreparedPart], options: StructureOptions
) -> tuple[bool, tuple[int, ...]]:
    """Return whether the assembly stands by itself, z up, and the parts that it stands on.

    It stands where the centre of mass is above the hull of the points on the ground.
    """
    points = [part.samples.points for part in parts]
    everything = np.vstack(points)
    limit = everything[:, 2].min() + options.ground * np.ptp(everything[:, 2])
    areas = np.array(
        [part.samples.area * (part.samples.points[:, 2] <= limit).sum() for part in parts]
    )
    supports = np.flatnonzero(areas >= options.support * areas.max())
    masses = np.array([part_size(part) ** 3 for part in parts])
    centre = masses @ np.array([own.mean(axis=0) for own in points]) / masses.sum()
    try:
        hull = ConvexHull(everything[everything[:, 2] <= limit, :2])
    except (QhullError, ValueError):
        return False, tuple(supports.tolist())
    outside = float((hull.equations[:, :2] @ centre[:2] + hull.equations[:, 2]).max())
    size = float(np.linalg.norm(np.ptp(everything, axis=0)))
    return outside <= options.balance * size, tuple(supports.tolist())


def _inner(adjacent: list[list[int]], groups: Sequence[CongruentGroup]) -> NDArray[np.float64]:
    """1 for parts between two others, but for those between congruent sides."""
    kind = {member: number for number, group in enumerate(groups) for member in group.members}

    def inner(part: int) -> bool:
        if len(adjacent[part]) != 2:
            return False
        first, second = adjacent[part]
        same = first in kind and kind.get(first) == kind.get(second)
        return not (same and _beyond(part, first, adjacent) == _beyond(part, second, adjacent))

    return np.array([float(inner(part)) for part in range(len(adjacent))])


def _beyond(part: int, first: int, adjacent: list[list[int]]) -> int:
    """How many parts are reached from `part` over its neighbour `first`."""
    cut = [[other for other in nodes if other != part] for nodes in adjacent]
    return len(walk(first, cut))


def _stance(
    adjacent: list[list[int]], parts: Sequence[PreparedPart], options: StructureOptions
) -> NDArray[np.float64]:
    """1 for the part where the supports meet: of least squared joints to them, if it is one."""
    stands, supports = stance(parts, options)
    found = np.zeros(len(parts))
    if stands:
        costs = np.sum([_steps(support, adjacent) ** 2 for support in supports], axis=0)
        nearest = np.flatnonzero(costs == costs.min())
        if len(nearest) == 1:
            found[nearest] = 1.0
    return found


def _steps(start: int, adjacent: list[list[int]]) -> NDArray[np.int64]:
    """Joints between a part and every other one."""
    steps = np.full(len(adjacent), len(adjacent))
    for node, parent in walk(start, adjacent).items():
        steps[node] = 0 if parent < 0 else steps[parent] + 1
    return steps


def _enlargement(adjacent: list[list[int]], sizes: NDArray[np.float64]) -> NDArray[np.float64]:
    """Mean e-fold by which parts are larger than those that move them, for every part as base."""
    found = np.zeros(len(adjacent))
    for base in range(len(adjacent)):
        parents = walk(base, adjacent)
        moved = [child for child, parent in parents.items() if parent >= 0]
        above = [parents[child] for child in moved]
        if moved:
            found[base] = np.maximum(sizes[moved] - sizes[above], 0.0).sum() / len(moved)
    return found
