"""The paper's connection graph: parts that are near each other, and how strongly (III.B, III.C)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components
from scipy.spatial import KDTree

from autourdf_ros.errors import InputError
from autourdf_ros.estimation.parts.assembly_options import MctsOptions
from autourdf_ros.estimation.parts.assembly_trace import Contact
from autourdf_ros.estimation.parts.mcts.part_solid import PartSolid
from autourdf_ros.geometry.arrays import Array
from autourdf_ros.progress import Progress, silent

Pair = tuple[int, int]

MEASURED = 2000
"""Samples of a part between which distances and strengths are measured (bound of time)."""


@dataclass(frozen=True)
class ProximityGraph:
    """The undirected graph G of parts.

    Attributes:
        count: Number of parts.
        contacts: Its edges; virtual ones have strength 0.
        virtual: Pairs (smaller number first) that are no contact, but connect components.
    """

    count: int
    contacts: tuple[Contact, ...]
    virtual: frozenset[Pair] = frozenset()

    @cached_property
    def strengths(self) -> Mapping[Pair, float]:
        """s(u, v) of both directions of every edge."""
        both = {contact.parts: contact.strength for contact in self.contacts}
        return both | {(v, u): strength for (u, v), strength in both.items()}

    @cached_property
    def neighbours(self) -> tuple[tuple[int, ...], ...]:
        """Of every part, ascending."""
        near: list[list[int]] = [[] for _ in range(self.count)]
        for u, v in sorted(self.strengths):
            near[u].append(v)
        return tuple(map(tuple, near))

    def base(self) -> int:
        """Return the part of the highest undirected degree; of several, the first.

        Virtual edges do not count: the paper chooses the base before it adds them.
        """
        degrees = [0] * self.count
        for contact in self.contacts:
            if contact.parts not in self.virtual:
                for end in contact.parts:
                    degrees[end] += 1
        return int(np.argmax(degrees))


def proximity_graph(
    solids: Sequence[PartSolid], size: float, options: MctsOptions, progress: Progress = silent
) -> ProximityGraph:
    """Connect the parts whose least bidirectional signed distance is below ε = tolerance · size.

    Components that stay apart are connected by virtual edges between their nearest parts.

    Raises:
        InputError: A component is farther than d_max from all others.
    """
    pairs = list(combinations(range(len(solids)), 2))
    reach, contacts = options.tolerance * size, []
    for number, (u, v) in enumerate(pairs):
        progress("finding the contacts", number / len(pairs))
        if box_distance(solids[u], solids[v]) < reach:
            contact = measured_contact(solids[u], solids[v], reach, options.nearest_share)
            contacts += [contact] if contact.distance < reach else []
    virtual = _virtual_edges(solids, contacts, options.virtual_reach * size)
    return ProximityGraph(
        len(solids), (*contacts, *virtual), frozenset(edge.parts for edge in virtual)
    )


def box_distance(first: PartSolid, second: PartSolid) -> float:
    """Return the distance between the boxes of two parts: not more than that of the parts (m)."""
    (low, high), (below, above) = first.part.bounds, second.part.bounds
    return float(np.linalg.norm(np.maximum(0, np.maximum(low - above, below - high))))


def measured_contact(first: PartSolid, second: PartSolid, reach: float, share: float) -> Contact:
    """Measure how near two parts are: mutual signed distances of their samples.

    With κ(s) = exp(−max(0, s)² / 2ε²) and near(A) the `share` of A's samples that is nearest to B,

        s(u, v) = ½ mean_{near(u)} κ(f_v(x)) + ½ mean_{near(v)} κ(f_u(x))  in [0, 1].

    The paper defines a strength by "bidirectional proximity" without a formula. This one is 1 where
    the nearest samples of both parts lie on or in the other one, and falls with the distance and
    with the smallness of the contact.

    Args:
        first: A part.
        second: A part with a greater number.
        reach: ε (m).
        share: Of the samples.
    """
    points = first.points[:MEASURED], second.points[:MEASURED]
    distances = second.field.values(points[0]), first.field.values(points[1])
    strength = float(np.mean([_proximity(each, reach, share) for each in distances]))
    nearest = [np.argsort(each)[: _few(each, share)] for each in distances]
    near = np.vstack([points[0][nearest[0]], points[1][nearest[1]]])
    return Contact(
        parts=(first.index, second.index),
        distance=max(0.0, float(min(each.min() for each in distances))),
        strength=strength,
        centre=near.mean(axis=0),
    )


def _few(distances: Array, share: float) -> int:
    return max(1, round(share * len(distances)))


def _proximity(distances: Array, reach: float, share: float) -> float:
    near = np.sort(distances)[: _few(distances, share)]
    return float(np.exp(-(np.maximum(0, near) ** 2) / (2 * reach**2)).mean())


def _virtual_edges(
    solids: Sequence[PartSolid], contacts: Sequence[Contact], reach: float
) -> list[Contact]:
    """Edges between the nearest parts of components, the shortest first, until all are one."""
    edges: list[Contact] = []
    while True:
        labels = _components(len(solids), [edge.parts for edge in (*contacts, *edges)])
        if not labels.any():
            return edges
        most = np.bincount(labels).argmax()
        apart = [(u, v) for u, v in combinations(range(len(solids)), 2) if labels[u] != labels[v]]
        nearest = _nearest_pair(solids, apart)
        if nearest.distance > reach:
            names = ", ".join(
                solid.part.name
                for solid, label in zip(solids, labels, strict=True)
                if label != most
            )
            raise InputError(
                f"parts: {names} are {nearest.distance:.3g} m and more from the others; accepted "
                f"are parts within {reach:.3g} m of one another"
            )
        edges.append(nearest)


def _nearest_pair(solids: Sequence[PartSolid], pairs: Sequence[Pair]) -> Contact:
    least, best = np.inf, None
    for u, v in sorted(pairs, key=lambda pair: box_distance(solids[pair[0]], solids[pair[1]])):
        if box_distance(solids[u], solids[v]) >= least:
            break
        here, there = solids[u].points[:MEASURED], solids[v].points[:MEASURED]
        distances, numbers = KDTree(there).query(here)
        k = int(distances.argmin())
        if distances[k] < least:
            least, best = float(distances[k]), (u, v, (here[k] + there[numbers[k]]) / 2)
    assert best is not None
    return Contact(best[:2], least, 0.0, best[2])


def _components(count: int, pairs: Sequence[Pair]) -> Array:
    rows = np.array(pairs, np.int64).reshape(-1, 2).T
    graph = coo_array((np.ones(len(pairs)), (rows[0], rows[1])), shape=(count, count))
    return connected_components(graph, directed=False)[1]
