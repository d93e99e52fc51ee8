"""The search: states, constraints, determinism, and that it finds the best tree."""

from itertools import product

import numpy as np
import pytest

from autourdf_ros.estimation.parts.assembly_options import MctsOptions
from autourdf_ros.estimation.parts.assembly_trace import Contact
from autourdf_ros.estimation.parts.mcts.proximity_graph import ProximityGraph
from autourdf_ros.estimation.parts.mcts.search_state import SearchSpace, breadth_first
from autourdf_ros.estimation.parts.mcts.tree_reward import RewardTerms, torque_scale
from autourdf_ros.estimation.parts.mcts.uct_search import rollout, search_trees


def graph(count, strengths, virtual=frozenset()):
    contacts = tuple(
        Contact(pair, 0.0, strength, np.zeros(3)) for pair, strength in sorted(strengths.items())
    )
    return ProximityGraph(count, contacts, virtual)


def rewards_of(space, seed=0):
    rng = np.random.default_rng(seed)
    centres, volumes = rng.normal(size=(space.graph.count, 3)), rng.random(space.graph.count)
    scale = torque_scale(breadth_first(space).edges, centres, volumes)
    return RewardTerms(space, centres, volumes, scale, MctsOptions())


@pytest.fixture
def wheel():
    """A hub with five rim parts, each in contact with the next."""
    strengths = {(0, rim): 0.5 for rim in range(1, 6)}
    strengths |= {(rim, rim + 1): 0.9 for rim in range(1, 5)} | {(1, 5): 0.9}
    return SearchSpace(graph(6, strengths), 0)


def test_the_base_has_the_highest_degree_of_contacts():
    strengths = {(0, 1): 1.0, (1, 2): 1.0, (1, 3): 1.0}
    assert graph(4, strengths).base() == 1
    strengths |= {(0, 4): 0.0, (0, 5): 0.0, (0, 6): 0.0}
    assert graph(7, strengths).base() == 0
    assert graph(7, strengths, frozenset({(0, 4), (0, 5), (0, 6)})).base() == 1


def test_breadth_first_breaks_the_edges_that_close_cycles(wheel):
    warm = breadth_first(wheel)
    assert warm.edges == tuple((0, rim) for rim in range(1, 6))
    assert warm.broken == {(1, 2), (2, 3), (3, 4), (4, 5), (1, 5)}


def test_a_transition_records_the_cycle_of_its_part_only(wheel):
    state = wheel.transition(wheel.start(), (0, 1))
    assert state.broken == frozenset()
    state = wheel.transition(state, (1, 2))
    assert state.edges == ((0, 1), (1, 2))
    assert state.broken == {(0, 2)}


def test_parts_of_one_cluster_are_not_connected_where_another_edge_exists():
    space = SearchSpace(graph(3, {(0, 1): 1.0, (1, 2): 1.0, (0, 2): 0.1}), 0, ((1, 2),))
    state = space.transition(space.start(), (0, 1))
    assert space.actions(state) == [(0, 2)]


def test_parts_of_one_cluster_are_connected_where_nothing_else_is_left():
    space = SearchSpace(graph(3, {(0, 1): 1.0, (1, 2): 1.0}), 0, ((1, 2),))
    state = space.transition(space.start(), (0, 1))
    assert space.actions(state) == [(1, 2)]


def test_a_rollout_takes_the_action_of_the_highest_immediate_score():
    space = SearchSpace(graph(3, {(0, 1): 0.9, (0, 2): 0.1, (1, 2): 0.8}), 0)
    rewards = rewards_of(space)
    assert rewards.immediate[1, 2] > rewards.immediate[0, 2]
    assert rollout(space, rewards, space.start()).edges == ((0, 1), (1, 2))


def all_trees(space):
    """Every spanning tree, by the parents that each part may have."""
    count = space.graph.count
    for parents in product(*(space.graph.neighbours[v] for v in range(1, count))):
        state, left = space.start(), dict(enumerate(parents, start=1))
        while ready := [v for v, u in left.items() if state.parents[u] != -2]:
            for v in ready:
                state = space.transition(state, (left.pop(v), v))
        if state.complete:
            yield state


def test_the_search_finds_the_tree_of_the_highest_reward(wheel):
    rewards = rewards_of(wheel)
    best = max(rewards.total(rewards.terms(tree)) for tree in all_trees(wheel))
    rng = np.random.default_rng(0)
    found = search_trees(wheel, rewards, [], MctsOptions(iterations=1500), rng)
    assert found[0].value == pytest.approx(best)


def test_the_search_is_deterministic_with_a_seed(wheel):
    rewards, options = rewards_of(wheel), MctsOptions(iterations=60)
    first, second, other = (
        search_trees(wheel, rewards, [], options, np.random.default_rng(seed)) for seed in (3, 3, 4)
    )
    assert [tree.state for tree in first] == [tree.state for tree in second]
    assert [tree.state for tree in first] != [tree.state for tree in other]


def test_trees_are_cached_once_with_the_warm_start_among_them(wheel):
    rewards, warm = rewards_of(wheel), breadth_first(wheel)
    rng = np.random.default_rng(0)
    found = search_trees(wheel, rewards, [warm], MctsOptions(iterations=100), rng)
    parents = [tree.state.parents for tree in found]
    assert len(set(parents)) == len(parents)
    assert warm.parents in parents
    assert [tree.value for tree in found] == sorted((tree.value for tree in found), reverse=True)
    assert all(tree.state.complete for tree in found)


def test_the_search_ends_when_every_order_of_actions_is_tried():
    space = SearchSpace(graph(3, {(0, 1): 1.0, (1, 2): 1.0}), 0)
    rewards = rewards_of(space)
    counted = []
    search_trees(
        space,
        rewards,
        [],
        MctsOptions(iterations=10_000),
        np.random.default_rng(0),
        lambda stage, fraction: counted.append(fraction),
    )
    assert len(counted) < 5
