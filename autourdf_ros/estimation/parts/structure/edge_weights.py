"""Log odds of a joint between two parts, by which the tree is chosen."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.estimation.parts.contact.congruence import CongruentGroup
from autourdf_ros.estimation.parts.contact.contact_region import ContactRegion
from autourdf_ros.estimation.parts.contact.prepared_part import PreparedPart
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
    joints: Mapping[Pair, PairJoint],
    parts: Sequence[PreparedPart],
    kinds: Sequence[int],
    weights: EdgeWeights,
) -> dict[Pair, float]:
    """Return the log odds of a joint between the parts of every pair.

    They rise with how well the surfaces of the contact slip along the joint's motion, with the
    strength of the contact and how far it spreads, and where one part's box is inside the
    other's; they fall for congruent parts.

    Args:
        joints: By pair.
        parts: All.
        kinds: Of every part.
        weights: Of what speaks for a joint.
    """
    boxes = np.array([part.part.bounds for part in parts])
    size = float(np.linalg.norm(boxes[:, 1].max(axis=0) - boxes[:, 0].min(axis=0)))
    return {
        pair: edge_weight(
            joint,
            contact_spread(joint.contact, min(parts[number].diagonal for number in pair)),
            box_overlap(boxes[list(pair)], weights.margin * size),
            kinds[pair[0]] == kinds[pair[1]],
            weights,
        )
        for pair, joint in joints.items()
    }


def edge_weight(
    joint: PairJoint, spread: float, overlap: float, congruent: bool, weights: EdgeWeights
) -> float:
    """Return the log odds of a joint between the parts of a pair.

    Args:
        joint: Of the pair.
        spread: Of the contact (`contact_spread`).
        overlap: Share of the smaller box inside the other one.
        congruent: Whether the parts are congruent.
        weights: Of what speaks for a joint.
    """
    if not joint.candidates:
        return weights.jointless - joint.contact.distance / (joint.contact.distance + 1.0)
    turning = [one for one in joint.candidates if one.type == "revolute"]
    slips = [one.features.get("slip", 0.0) for one in turning]
    return (
        weights.offset
        + weights.slip * joint.candidates[0].features.get("slip", 0.0)
        + weights.turning_slip * max(slips, default=0.0)
        + weights.turning * float(np.nansum([one.probability for one in turning]))
        + weights.strength * float(np.log(max(joint.contact.strength, weights.weakest)))
        + weights.spread * float(np.log(max(spread, weights.narrowest)))
        + weights.overlap * overlap
        + weights.congruent * congruent
    )


def contact_spread(contact: ContactRegion, diagonal: float) -> float:
    """Return the rms distance of a contact's points from its centre, in diagonals.

    Args:
        contact: Of two parts.
        diagonal: Of the smaller part (m).
    """
    if not len(contact.points):
        return 0.0
    apart = ((contact.points - contact.centre) ** 2).sum(axis=1)
    return float(np.sqrt(apart.mean()) / diagonal)


def box_overlap(boxes: NDArray[np.float64], margin: float) -> float:
    """Return the share of the smaller box inside the other one.

    Args:
        boxes: (2, 2, 3) lower and upper corner of each (m).
        margin: By which both are larger at each side (m): flat parts have a volume by it.
    """
    lower, upper = boxes[:, 0] - margin, boxes[:, 1] + margin
    common = np.maximum(upper.min(axis=0) - lower.max(axis=0), 0.0)
    return float(common.prod() / (upper - lower).prod(axis=1).min())


def unlike_parts(edges: Sequence[Pair], kinds: Sequence[int]) -> int:
    """Return how many congruent parts have neighbours of other kinds than most of their group."""
    adjacent = neighbours(len(kinds), edges)
    signatures: dict[int, list[tuple[int, ...]]] = {}
    for part, nodes in enumerate(adjacent):
        signatures.setdefault(kinds[part], []).append(tuple(sorted(kinds[node] for node in nodes)))
    return sum(len(own) - max(map(own.count, own)) for own in signatures.values())


def ends_of(count: int, edges: Sequence[Pair]) -> int:
    """Return how many parts have one neighbour."""
    return sum(len(nodes) == 1 for nodes in neighbours(count, edges))
