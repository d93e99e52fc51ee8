"""Log odds of a joint between two parts, by which the tree is chosen."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from autourdf_ros.estimation.parts.contact.congruence import CongruentGroup
from autourdf_ros.estimation.parts.structure.spanning_tree import Pair, neighbours
from autourdf_ros.estimation.parts.structure.structure_options import EdgeWeights
from autourdf_ros.estimation.parts.symmetry.pair_joint import PairJoint


def kinds_of(count: int, groups: Sequence[CongruentGroup]) -> tuple[int, ...]:
    """Return the kind of every part: congruent parts are of one kind, all others of their own."""
    kinds = list(range(count))
    for group in groups:
        for member in group.members:
            kinds[member] = group.members[0]
    return tuple(kinds)


def edge_weights(
    joints: Mapping[Pair, PairJoint], kinds: Sequence[int], weights: EdgeWeights
) -> dict[Pair, float]:
    """Return the log odds of a joint between the parts of every pair.

    Args:
        joints: By pair.
        kinds: Of every part.
        weights: Of what speaks for a joint.
    """
    return {pair: edge_weight(joint, kinds, weights) for pair, joint in joints.items()}


def edge_weight(joint: PairJoint, kinds: Sequence[int], weights: EdgeWeights) -> float:
    """Return the log odds of a joint between the parts of a pair.

    Quality, strength of the contact (in which their distance counts), and congruence.
    """
    if not np.isfinite(joint.quality):
        return weights.jointless - joint.contact.distance / (joint.contact.distance + 1.0)
    strength = float(np.log(max(joint.contact.strength, weights.weakest)))
    congruent = kinds[joint.first] == kinds[joint.second]
    return (
        weights.offset
        + weights.quality * joint.quality
        + weights.strength * strength
        + weights.congruent * congruent
    )


def unlike_parts(edges: Sequence[Pair], kinds: Sequence[int]) -> int:
    """Return how many congruent parts have neighbours of other kinds than most of their group."""
    adjacent = neighbours(len(kinds), edges)
    signatures: dict[int, list[tuple[int, ...]]] = {}
    for part, nodes in enumerate(adjacent):
        signatures.setdefault(kinds[part], []).append(tuple(sorted(kinds[node] for node in nodes)))
    return sum(len(own) - max(map(own.count, own)) for own in signatures.values())
