"""What speaks for and against the axes between two parts, as numbers."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.estimation.parts.contact.contact_region import ContactRegion
from autourdf_ros.estimation.parts.contact.prepared_part import PreparedPart
from autourdf_ros.estimation.parts.symmetry.proposals.axes import SOURCES, Axes
from autourdf_ros.estimation.parts.symmetry.ranking.contact_stops import contact_stops
from autourdf_ros.estimation.parts.symmetry.ranking.free_motion import free_motion
from autourdf_ros.estimation.parts.symmetry.ranking.placement import placement
from autourdf_ros.estimation.parts.symmetry.ranking.self_symmetry import TurnedSide, self_symmetry
from autourdf_ros.estimation.parts.symmetry.ranking.surface_slip import surface_slip
from autourdf_ros.estimation.parts.symmetry.symmetry_options import SymmetryOptions

Array = NDArray[np.float64]


def ranked_features(
    first: PreparedPart,
    second: PreparedPart,
    region: ContactRegion,
    axes: Axes,
    options: SymmetryOptions,
) -> tuple[Axes, dict[str, Array]]:
    """Keep the axes along which the contact slips best, and measure their symmetry.

    Returns:
        The axes that are kept, and features (K,) by name.
    """
    slip = surface_slip(region, axes, options)
    chosen = _best(axes, slip, options)
    axes = axes.taken(chosen)
    features = {name: values[chosen] for name, values in slip.items()}
    sides = (
        TurnedSide.of(first, second, region, False, options),
        TurnedSide.of(second, first, region, True, options),
    )
    radius = float(np.sqrt(((region.points - region.centre) ** 2).sum(axis=1).mean())) or 1e-12
    for slides in (False, True):
        kind = np.flatnonzero(axes.slides == slides)
        if not len(kind):
            continue
        found = self_symmetry(sides, axes.taken(kind), radius, options)
        found |= free_motion(first, second, axes.taken(kind), options)
        found |= contact_stops(first, second, region, axes.taken(kind), options)
        for name, values in found.items():
            features.setdefault(name, np.zeros(len(axes)))[kind] = values
    features |= placement(first, second, region, axes, options)
    for number, source in enumerate(SOURCES):
        features[f"from_{source}"] = (axes.sources == number).astype(float)
    return axes, features


def _best(axes: Axes, slip: dict[str, Array], options: SymmetryOptions) -> NDArray[np.int64]:
    """Indices of the axes that slip best: of those that turn, of edges, and of those that slide."""
    score = slip["slip_min"] + 0.5 * slip["slip_max"] + slip["round_min"] + 0.5 * slip["round_max"]
    edges = axes.edges
    middles = axes.sources == SOURCES.index("middle")
    kept = []
    for group, share in (
        (~axes.slides & ~edges & ~middles, 0.5),
        (edges, 0.8),
        (axes.slides, 0.3),
        (middles, 0.08),
    ):
        numbers = np.flatnonzero(group)
        order = numbers[np.argsort(-score[numbers] * ~edges[numbers], kind="stable")]
        kept.append(order[: int(np.ceil(share * options.ranked))])
    return np.concatenate(kept)
