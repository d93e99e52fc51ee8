"""Joints that a tree leaves out, although they are as good as its own: chains that close."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from autourdf_ros.estimation.parts.structure.spanning_tree import Pair, neighbours, path


@dataclass(frozen=True)
class ClosedChain:
    """A ring of joints.

    Attributes:
        pair: Parts whose joint the tree leaves out.
        parts: Around the ring.
    """

    pair: Pair
    parts: tuple[int, ...]


def closed_chains(
    count: int, edges: Sequence[Pair], weights: Mapping[Pair, float], good: float
) -> tuple[ClosedChain, ...]:
    """Return the rings in which every joint has at least the weight `good`.

    Args:
        count: Of parts.
        edges: Of the tree, in any direction.
        weights: By pair, the smaller number first.
        good: Weight of a joint that is beyond doubt.
    """
    own = {(min(pair), max(pair)) for pair in edges}
    adjacent = neighbours(count, sorted(own))
    found = []
    for pair in sorted(set(weights) - own):
        ring = path(*pair, adjacent)
        if len(ring) > 2 and min(weights[pair], *(weights[edge] for edge in ring)) >= good:
            parts = tuple(sorted({part for edge in ring for part in edge}))
            found.append(ClosedChain(pair, parts))
    return tuple(found)
