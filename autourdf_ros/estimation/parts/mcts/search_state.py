"""States, actions and transitions of the paper's tree search (III.C.1, III.C.2)."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from autourdf_ros.estimation.parts.mcts.proximity_graph import ProximityGraph

NOT_VISITED = -2
NO_PARENT = -1

Action = tuple[int, int]


@dataclass(frozen=True)
class SearchState:
    """S = (T_S, V_S, B_S).

    Attributes:
        parents: Of every part in T_S; NO_PARENT of the base, NOT_VISITED outside V_S.
        order: V_S in the order of the visits.
        broken: B_S: undirected edges (smaller number first) that would close a cycle.
    """

    parents: tuple[int, ...]
    order: tuple[int, ...]
    broken: frozenset[tuple[int, int]] = frozenset()

    @property
    def complete(self) -> bool:
        """Whether V_S holds all parts."""
        return len(self.order) == len(self.parents)

    @property
    def edges(self) -> tuple[Action, ...]:
        """(parent, child), parents before their children."""
        return tuple((self.parents[child], child) for child in self.order[1:])


@dataclass(frozen=True)
class SearchSpace:
    """What the search moves in.

    Attributes:
        graph: G.
        base: b.
        clusters: {C_k}: groups of two or more congruent parts.
    """

    graph: ProximityGraph
    base: int
    clusters: tuple[tuple[int, ...], ...] = field(default=())

    @cached_property
    def cluster_of(self) -> tuple[int, ...]:
        """Number of every part's cluster; a part of none has its own, negative number."""
        numbers = [-1 - part for part in range(self.graph.count)]
        for number, members in enumerate(self.clusters):
            for member in members:
                numbers[member] = number
        return tuple(numbers)

    def start(self) -> SearchState:
        """Return S_0 = (∅, {b}, ∅)."""
        parents = [NOT_VISITED] * self.graph.count
        parents[self.base] = NO_PARENT
        return SearchState(tuple(parents), (self.base,))

    def actions(self, state: SearchState) -> list[Action]:
        """Return the feasible oriented edges u → v: u visited, v not, not of one cluster.

        Where clusters leave nothing but edges within themselves, such as two equal links in a
        row, these are feasible: the paper does not say how its search ends there.
        """
        frontier = [
            (u, v)
            for u in state.order
            for v in self.graph.neighbours[u]
            if state.parents[v] == NOT_VISITED
        ]
        between = [(u, v) for u, v in frontier if self.cluster_of[u] != self.cluster_of[v]]
        return between or frontier

    def transition(self, state: SearchState, action: Action) -> SearchState:
        """Return S after u → v: v joins V_S, its other edges into V_S join B_S."""
        u, v = action
        parents = list(state.parents)
        parents[v] = u
        cycles = {
            (min(v, w), max(v, w))
            for w in self.graph.neighbours[v]
            if w != u and state.parents[w] != NOT_VISITED
        }
        return replace(
            state,
            parents=tuple(parents),
            order=(*state.order, v),
            broken=state.broken | cycles,
        )


def breadth_first(space: SearchSpace) -> SearchState:
    """Return the warm start: each part under the neighbour from which it is first reached."""
    state, queue = space.start(), deque([space.base])
    while queue:
        u = queue.popleft()
        for v in space.graph.neighbours[u]:
            if state.parents[v] == NOT_VISITED:
                state = space.transition(state, (u, v))
                queue.append(v)
    return state


def depths(edges: Sequence[Action], base: int, count: int) -> list[int]:
    """Return d(i) of every part: its distance from the base in the tree."""
    result = [0] * count
    for parent, child in edges:
        result[child] = result[parent] + 1
    assert result[base] == 0
    return result
