"""Choose which bodies are joined: the most likely spanning tree over bodies and world."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from autourdf_ros.estimation.video.joints.fitting.lower_pairs import PairType
from autourdf_ros.estimation.video.joints.fitting.pair_likelihood import PairFit
from autourdf_ros.estimation.video.joints.fitting.pair_motion import WORLD

Pair = tuple[int, int]


@dataclass(frozen=True)
class TreeEdge:
    """A joint of the tree.

    Attributes:
        parent: Number of a body, or `WORLD`.
        child: Number of a body.
        kind: Type.
        margin: By how much the best tree beats the best one without this joint (-2 log
            likelihood); infinite where none is.
        rival: The pair that stands in for it in that other tree, or None: the child would be free.
        deviation: Standard deviation of `margin` that the noise makes.
        probability: That this tree is right rather than that other one.
    """

    parent: int
    child: int
    kind: PairType
    margin: float = np.inf
    rival: Pair | None = None
    deviation: float = 0.0
    probability: float = 1.0


def best_tree(pairs: Mapping[Pair, PairFit], bodies: int) -> tuple[TreeEdge, ...]:
    """Return the spanning tree over bodies and world with the greatest gain, parents first.

    A body that no joint holds is free in the world, at a gain of 0. A mechanism on a planar or
    free base moves the same whichever of its bodies is called the base: of those with the same
    type of joint to the world it is the first.

    Args:
        pairs: Fits by (parent, child), the parent `WORLD` or a body with a lower number.
        bodies: How many there are.
    """
    joined = _spanning({pair: fit.gain for pair, fit in pairs.items()}, bodies)
    joined = _first_bases(joined, pairs)
    edges = []
    for parent, child in joined:
        fit = pairs.get((parent, child)) or pairs.get((child, parent))
        held = fit is not None and fit.gain > 0
        kind: PairType = fit.best.kind if fit is not None and held else "free"
        edges.append(TreeEdge(parent, child, kind))
    return tuple(_with_rival(edge, tuple(edges), pairs) for edge in edges)


def pair_of(pairs: Mapping[Pair, PairFit], parent: int, child: int) -> PairFit:
    """Return the fit of two bodies, whichever is the parent."""
    return pairs[(parent, child)] if (parent, child) in pairs else pairs[(child, parent)]


def _spanning(gains: Mapping[Pair, float], bodies: int) -> list[Pair]:
    """Pairs (parent, child) of the spanning tree of greatest gain (Prim, 1957), from the world."""
    inside, joined = {WORLD}, []
    while len(inside) <= bodies:
        best = max(
            ((a, b) for a in inside for b in range(bodies) if b not in inside),
            key=lambda pair: _gain(gains, pair),
        )
        inside.add(best[1])
        joined.append(best)
    return joined


def _first_bases(joined: list[Pair], pairs: Mapping[Pair, PairFit]) -> list[Pair]:
    """The same pairs, each mechanism hung on the world by the first body with a joint alike."""
    result: list[Pair] = []
    for base in [child for parent, child in joined if parent == WORLD]:
        members = _component(joined, base)
        kind = pairs[WORLD, base].best.kind
        alike = [body for body in members if pairs[WORLD, body].best.kind == kind]
        inner = [pair for pair in joined if pair[0] in members]
        result += _hung_on(min(alike), inner)
    return result


def _component(joined: list[Pair], base: int) -> set[int]:
    """A body and all that hang on it."""
    inside = {base}
    for parent, child in joined:  # parents come first
        if parent in inside:
            inside.add(child)
    return inside


def _hung_on(base: int, inner: list[Pair]) -> list[Pair]:
    """Pairs (parent, child) of a mechanism from its base on, the base on the world."""
    result, waiting = [(WORLD, base)], list(inner)
    while waiting:
        placed = {child for _, child in result}
        pair = next(one for one in waiting if placed & {*one})
        waiting.remove(pair)
        result.append(pair if pair[0] in placed else (pair[1], pair[0]))
    return result


def _gain(gains: Mapping[Pair, float], pair: Pair) -> tuple[float, bool]:
    """Gain of a pair, at least 0; at equality the world comes first."""
    a, b = pair
    gain = gains.get((a, b), gains.get((b, a), -np.inf))
    least = 0.0 if WORLD in pair else -np.inf
    return max(gain if gain > 0 else -np.inf, least), WORLD in pair


def _with_rival(
    edge: TreeEdge, edges: tuple[TreeEdge, ...], pairs: Mapping[Pair, PairFit]
) -> TreeEdge:
    """The edge with the best pair that would join the two sides if it were gone.

    Bodies that stand still against each other count as one: which of them bears a joint makes no
    difference to what moves.
    """
    beyond = _beyond(edge, edges)
    rigid = rigid_groups(edges)
    own = max(pair_of(pairs, edge.parent, edge.child).gain, 0.0)
    best, rival = 0.0, None
    for (a, b), fit in pairs.items():
        crosses = (a in beyond) != (b in beyond)
        same = {rigid[a], rigid[b]} == {rigid[edge.parent], rigid[edge.child]}
        if crosses and not same and fit.gain > best:
            best, rival = fit.gain, (a, b)
    fit = pair_of(pairs, edge.parent, edge.child)
    deviation = float(np.sqrt(2 * fit.best.held / fit.independent))
    margin = own - best
    odds = np.exp(-np.clip(margin * fit.independent / 2, -500, 500))
    return TreeEdge(
        edge.parent, edge.child, edge.kind, margin, rival, deviation, float(1 / (1 + odds))
    )


def _beyond(edge: TreeEdge, edges: tuple[TreeEdge, ...]) -> set[int]:
    """The child of an edge and all bodies beyond it."""
    inside = {edge.child}
    for other in edges:  # parents come first
        if other.parent in inside:
            inside.add(other.child)
    return inside


def rigid_groups(edges: tuple[TreeEdge, ...]) -> dict[int, int]:
    """Return for the world and every body the first of those that stand still against it."""
    group = {WORLD: WORLD}
    for edge in edges:
        group[edge.child] = group[edge.parent] if edge.kind == "fixed" else edge.child
    return group
