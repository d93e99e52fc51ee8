"""The five rewards of the paper against values computed by hand."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from autourdf_ros.estimation.parts.assembly_options import MctsOptions
from autourdf_ros.estimation.parts.assembly_trace import Contact
from autourdf_ros.estimation.parts.mcts.proximity_graph import ProximityGraph
from autourdf_ros.estimation.parts.mcts.search_state import SearchSpace, SearchState
from autourdf_ros.estimation.parts.mcts.tree_reward import (
    RewardTerms,
    contact_reward,
    hierarchy_reward,
    static_reward,
    struct_reward,
    symmetry_reward,
    torque_scale,
    torques,
)

CHAIN = [(0, 1), (1, 2)]
STAR = [(0, 1), (0, 2)]


def test_struct_of_a_chain_and_of_a_star():
    # chain: d = 0, 1, 2, mean d² = 5/3; deg⁺ = 1, 1, 0, mean (deg⁺ − 1)² = 1/3
    assert struct_reward(CHAIN, [0, 1, 2], degree=1, weight=1) == pytest.approx(1 / 2)
    # star: mean d² = 2/3; deg⁺ = 2, 0, 0, mean (deg⁺ − 1)² = 1; λ = 2
    assert struct_reward(STAR, [0, 1, 1], degree=1, weight=2) == pytest.approx(1 / (2 / 3 + 2))
    assert struct_reward(STAR, [0, 1, 1], degree=2, weight=1) == pytest.approx(1 / (2 / 3 + 8 / 3))


def test_torques_of_a_chain():
    centres = np.array([[0, 0, 0], [1, 0, 5], [1, 2, 0]], float)
    volumes = np.array([7.0, 3.0, 1.0])
    # part 2 alone has its centre of mass at c_2; part 1 bears 1 at (0, 2) from c_1
    np.testing.assert_allclose(torques(CHAIN, centres, volumes), [2.0, 0.0])


def test_static_is_one_half_where_the_torque_is_its_scale():
    centres = np.array([[0, 0, 0], [1, 0, 5], [1, 2, 0]], float)
    volumes = np.array([7.0, 3.0, 1.0])
    assert static_reward(CHAIN, centres, volumes, 2.0) == pytest.approx(1 / 2)
    assert static_reward(CHAIN, centres, volumes, 0.5) == pytest.approx(1 / 5)


def test_torque_scale_is_the_mad_of_the_joints_times_their_number():
    centres = np.array([[0, 0, 0], [0, 0, 0], [1, 0, 0], [1, 3, 0], [1, 3, 2]], float)
    volumes = np.ones(5)
    edges = [(0, 1), (1, 2), (2, 3), (3, 4)]
    each = torques(edges, centres, volumes)
    np.testing.assert_allclose(each, [np.hypot(3, 6), 6, 0, 0])
    middle = np.median(each)
    assert torque_scale(edges, centres, volumes) == pytest.approx(
        4 * 1.4826 * np.median(np.abs(each - middle))
    )


def test_torque_scale_without_spread_and_without_torque():
    centres = np.array([[0, 0, 0], [1, 0, 0], [3, 0, 0]], float)
    assert torque_scale(STAR, centres, np.ones(3)) == 1
    assert torque_scale([(0, 1)], np.zeros((2, 3)), np.ones(2)) == 1
    # two joints with torques 2 and 2: the MAD is 0, the mean 2
    square = np.array([[0, 0, 0], [0, 0, 0], [2, 0, 0], [0, 0, 0], [2, 0, 0]], float)
    legs = [(0, 1), (1, 2), (0, 3), (3, 4)]
    assert torque_scale(legs, square, np.ones(5)) == pytest.approx(4 * 1.4826)


def test_contact_is_the_mean_strength():
    assert contact_reward(CHAIN, {(0, 1): 0.2, (1, 2): 0.8}) == pytest.approx(0.5)


def test_symmetry_of_legs_on_one_body_and_of_a_leg_on_a_leg():
    one_body = symmetry_reward([-1, 0, 0], [0, 1, 1], [(1, 2)])
    assert one_body == pytest.approx(2)
    # depths 1 and 2: variance 1/4; two parents: the second term is 0
    chained = symmetry_reward([-1, 0, 1], [0, 1, 2], [(1, 2)])
    assert chained == pytest.approx(1 / 1.25, abs=1e-6)
    assert symmetry_reward([-1, 0], [0, 1], []) == 0


def test_the_base_has_no_parent_that_counts():
    # cluster of the base and its child: P = {0}, depths 0 and 1
    assert symmetry_reward([-1, 0], [0, 1], [(0, 1)]) == pytest.approx(1 / 1.25 + 1)


def test_hierarchy_punishes_children_larger_than_parents():
    volumes = np.array([1.0, 3.0, 2.0])
    assert hierarchy_reward(CHAIN, volumes) == pytest.approx(1 / (1 + 2))
    assert hierarchy_reward([(1, 2)], volumes) == pytest.approx(1)


@st.composite
def trees(draw):
    """Random trees with volumes, centres, strengths and a cluster."""
    count = draw(st.integers(2, 9))
    edges = [(draw(st.integers(0, child - 1)), child) for child in range(1, count)]
    rng = np.random.default_rng(draw(st.integers(0, 2**16)))
    contacts = tuple(Contact((u, v), 0.0, float(rng.random()), np.zeros(3)) for u, v in edges)
    cluster = tuple(sorted(rng.permutation(count)[:2].tolist()))
    space = SearchSpace(ProximityGraph(count, contacts), 0, (cluster,))
    centres, volumes = rng.normal(size=(count, 3)), rng.random(count) + 1e-3
    return space, edges, centres, volumes


@given(trees())
def test_rewards_are_in_their_ranges(tree):
    space, edges, centres, volumes = tree
    parents = [-1] * len(volumes)
    for parent, child in edges:
        parents[child] = parent
    state = SearchState(tuple(parents), tuple(range(len(volumes))))
    scale = torque_scale(edges, centres, volumes)
    rewards = RewardTerms(space, centres, volumes, scale, MctsOptions())
    terms = rewards.terms(state)
    limits = {"struct": 1, "static": 1, "contact": 1, "symmetry": 2, "hierarchy": 1}
    assert all(0 <= terms[name] <= limit + 1e-9 for name, limit in limits.items())
    assert terms["struct"] > 0
    assert 0 <= rewards.total(terms) <= 1


@given(trees(), st.floats(0.1, 10), st.floats(0.1, 10))
def test_rewards_do_not_depend_on_the_unit_of_length(tree, length, density):
    _space, edges, centres, volumes = tree
    first = torques(edges, centres, volumes).sum() / torque_scale(edges, centres, volumes)
    scaled = length * centres, density * volumes
    assert torques(edges, *scaled).sum() / torque_scale(edges, *scaled) == pytest.approx(first)
    assert hierarchy_reward(edges, density * volumes) == pytest.approx(
        hierarchy_reward(edges, volumes)
    )
