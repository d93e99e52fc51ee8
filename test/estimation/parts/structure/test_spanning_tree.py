"""Maximum spanning trees: greatest weight, exchanges and margins, by brute force."""

import itertools

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from autourdf_ros.estimation.parts.structure.spanning_tree import (
    edge_margins,
    exchanges,
    maximum_tree,
    neighbours,
    path,
    rooted,
    tree_probabilities,
    walk,
)


@st.composite
def graphs(draw):
    """A connected graph of few nodes, with integer weights so that sums are exact."""
    count = draw(st.integers(2, 5))
    pairs = list(itertools.combinations(range(count), 2))
    chosen = draw(st.sets(st.sampled_from(pairs)))
    spine = {(i, i + 1) for i in range(count - 1)}
    return count, {pair: float(draw(st.integers(-9, 9))) for pair in sorted(chosen | spine)}


def all_trees(count, weights):
    for edges in itertools.combinations(sorted(weights), count - 1):
        if len(walk(0, neighbours(count, edges))) == count:
            yield edges


def total(edges, weights):
    return sum(weights[pair] for pair in edges)


@given(graphs())
def test_no_tree_is_heavier(graph):
    count, weights = graph
    heaviest = max(total(edges, weights) for edges in all_trees(count, weights))
    assert total(maximum_tree(count, weights), weights) == heaviest


@given(graphs())
def test_the_least_loss_gives_the_second_best_tree(graph):
    count, weights = graph
    best = maximum_tree(count, weights)
    others = [total(edges, weights) for edges in all_trees(count, weights) if edges != best]
    found = exchanges(count, best, weights)
    assert bool(found) == bool(others)
    if found:
        assert total(best, weights) - found[0].loss == max(others)


@given(graphs())
def test_a_margin_is_what_the_best_tree_without_the_edge_loses(graph):
    count, weights = graph
    best = maximum_tree(count, weights)
    margins = edge_margins(best, exchanges(count, best, weights))
    for edge, margin in margins.items():
        without = [
            total(edges, weights) for edges in all_trees(count, weights) if edge not in edges
        ]
        assert margin == total(best, weights) - max(without, default=-np.inf)


@given(graphs(), st.data())
def test_a_rooted_tree_has_every_part_once_and_parents_first(graph, data):
    count, weights = graph
    root = data.draw(st.integers(0, count - 1))
    seen = {root}
    for parent, child in rooted(root, maximum_tree(count, weights), count):
        assert parent in seen and child not in seen
        seen.add(child)
    assert seen == set(range(count))


@given(graphs())
def test_a_path_leads_from_one_node_to_another(graph):
    count, weights = graph
    edges = path(0, count - 1, neighbours(count, maximum_tree(count, weights)))
    ends = [node for edge in edges for node in edge]
    assert {node for node in ends if ends.count(node) == 1} == {0, count - 1}


def test_nodes_that_are_not_connected_have_no_path():
    assert path(0, 2, neighbours(3, [(0, 1)])) == ()


@given(graphs())
def test_probabilities_are_those_of_a_random_tree(graph):
    count, weights = graph
    odds = {edges: np.exp(total(edges, weights)) for edges in all_trees(count, weights)}
    for pair, probability in tree_probabilities(count, weights).items():
        share = sum(value for edges, value in odds.items() if pair in edges) / sum(odds.values())
        assert abs(probability - share) < 1e-5
