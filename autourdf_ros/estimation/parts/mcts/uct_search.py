"""Monte Carlo tree search with UCT and greedy rollouts (paper, III.C.4 and Algorithm 1)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from autourdf_ros.estimation.parts.assembly_options import MctsOptions
from autourdf_ros.estimation.parts.mcts.search_state import Action, SearchSpace, SearchState
from autourdf_ros.estimation.parts.mcts.tree_reward import RewardTerms
from autourdf_ros.progress import Progress, silent


@dataclass(frozen=True)
class ScoredTree:
    """A complete tree, its return and its rewards.

    Attributes:
        state: Complete.
        value: R(T̃), in [0, 1].
        terms: The five rewards, by name.
    """

    state: SearchState
    value: float
    terms: dict[str, float]


@dataclass
class _Node:
    """A node of the search tree: N and Q are those of Eq. 9."""

    state: SearchState
    untried: list[Action]
    children: list[_Node] = field(default_factory=list)
    visits: int = 0
    total: float = 0.0
    exhausted: bool = False


def search_trees(
    space: SearchSpace,
    rewards: RewardTerms,
    starts: Sequence[SearchState],
    options: MctsOptions,
    rng: np.random.Generator,
    progress: Progress = silent,
) -> list[ScoredTree]:
    """Search the trees of the graph.

    Args:
        space: Graph, base and clusters.
        rewards: Of complete trees.
        starts: Complete trees that are cached before the search: the warm start.
        options: N_max and C.
        rng: Decides which untried action is picked.
        progress: Is called with the share of the iterations.

    Returns:
        Every cached tree once, the best first.
    """
    cache: dict[tuple[int, ...], ScoredTree] = {}

    def evaluate(state: SearchState) -> float:
        if state.parents not in cache:
            terms = rewards.terms(state)
            cache[state.parents] = ScoredTree(state, rewards.total(terms), terms)
        return cache[state.parents].value

    for start in starts:
        evaluate(start)
    root = _Node(space.start(), _shuffled(space.actions(space.start()), rng))
    for iteration in range(options.iterations):
        if root.exhausted:
            break
        progress("searching the tree", iteration / options.iterations)
        _iterate(root, space, rewards, options.exploration, rng, evaluate)
    return sorted(cache.values(), key=lambda tree: (-tree.value, tree.state.parents))


def _iterate(
    root: _Node,
    space: SearchSpace,
    rewards: RewardTerms,
    exploration: float,
    rng: np.random.Generator,
    evaluate: Callable[[SearchState], float],
) -> None:
    """Select, expand, roll out and back up: lines 3 to 12 of Algorithm 1."""
    node, path = root, [root]
    while not node.state.complete:
        if node.untried:
            state = space.transition(node.state, node.untried.pop())
            child = _Node(state, _shuffled(space.actions(state), rng))
            node.children.append(child)
            node, done = child, True
        else:
            node, done = _selected(node, exploration), False
        path.append(node)
        if done:
            break
    value = evaluate(rollout(space, rewards, node.state))
    for visited in reversed(path):
        visited.visits += 1
        visited.total += value
        visited.exhausted = visited.state.complete or (
            not visited.untried and all(child.exhausted for child in visited.children)
        )


def _selected(node: _Node, exploration: float) -> _Node:
    """The child with the greatest Q/N + C √(ln N(parent) / N) (Eq. 9) that is not exhausted."""
    open_children = [child for child in node.children if not child.exhausted]
    spread = exploration * np.sqrt(np.log(max(node.visits, 1)))
    return max(
        open_children or node.children,
        key=lambda child: child.total / child.visits + spread / np.sqrt(child.visits),
    )


def rollout(space: SearchSpace, rewards: RewardTerms, state: SearchState) -> SearchState:
    """Complete a tree greedily: always the action of the highest immediate score."""
    while not state.complete:
        actions = space.actions(state)
        state = space.transition(state, max(actions, key=rewards.immediate.__getitem__))
    return state


def _shuffled(actions: list[Action], rng: np.random.Generator) -> list[Action]:
    return [actions[i] for i in rng.permutation(len(actions))]
