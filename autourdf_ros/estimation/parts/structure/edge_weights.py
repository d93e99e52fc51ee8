"""How much speaks for a joint between two parts, by which the tree is chosen."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from autourdf_ros.estimation.parts.contact.congruence import CongruentGroup
from autourdf_ros.estimation.parts.structure.spanning_tree import Pair, neighbours
from autourdf_ros.estimation.parts.structure.structure_options import StructureOptions
from autourdf_ros.estimation.parts.symmetry.pair_joint import PairJoint


def kinds_of(count: int, groups: Sequence[CongruentGroup]) -> tuple[int, ...]:
    """Return the kind of every part: congruent parts are of one kind, all others of their own."""
    kinds = list(range(count))
    for group in groups:
        for member in group.members:
            kinds[member] = group.members[0]
    return tuple(kinds)


def edge_weights(
    joints: Mapping[Pair, PairJoint],
    kinds: Sequence[int],
    size: float,
    options: StructureOptions,
) -> dict[Pair, float]:
    """Return the weight of every pair: its joint's quality, less what makes it unlikely.

    Args:
        joints: By pair.
        kinds: Of every part.
        size: Of the assembly (m).
        options: Of the structure.
    """
    return {
        pair: sum(weight_terms(joint, kinds, size, options).values())
        for pair, joint in joints.items()
    }


def weight_terms(
    joint: PairJoint, kinds: Sequence[int], size: float, options: StructureOptions
) -> dict[str, float]:
    """Return what the weight of a pair is the sum of, by name."""
    excess = max(0.0, joint.contact.distance / size - options.clearance)
    quality = joint.quality if np.isfinite(joint.quality) else options.jointless
    return {
        "quality": quality,
        "distance": -options.distance * excess,
        "congruent": -options.congruent * (kinds[joint.first] == kinds[joint.second]),
    }


def unlike_parts(edges: Sequence[Pair], kinds: Sequence[int]) -> int:
    """Return how many congruent parts have neighbours of other kinds than most of their group."""
    adjacent = neighbours(len(kinds), edges)
    signatures: dict[int, list[tuple[int, ...]]] = {}
    for part, nodes in enumerate(adjacent):
        signatures.setdefault(kinds[part], []).append(tuple(sorted(kinds[node] for node in nodes)))
    return sum(len(own) - max(map(own.count, own)) for own in signatures.values())
