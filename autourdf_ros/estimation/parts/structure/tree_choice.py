"""Choose the tree over the parts and its base, and how sure both are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from autourdf_ros.estimation.parts.assembly_trace import RankedTree
from autourdf_ros.estimation.parts.contact.congruence import CongruentGroup
from autourdf_ros.estimation.parts.contact.prepared_part import PreparedPart
from autourdf_ros.estimation.parts.structure.base_choice import base_terms
from autourdf_ros.estimation.parts.structure.edge_weights import (
    edge_weights,
    ends_of,
    kinds_of,
    unlike_parts,
)
from autourdf_ros.estimation.parts.structure.spanning_tree import (
    Exchange,
    Pair,
    edge_margins,
    exchanges,
    maximum_tree,
    rooted,
    tree_probabilities,
)
from autourdf_ros.estimation.parts.structure.structure_options import StructureOptions
from autourdf_ros.estimation.parts.symmetry.pair_joint import PairJoint


@dataclass(frozen=True)
class Structure:
    """The chosen tree, and what else it may be.

    Attributes:
        tree: The chosen one.
        runner_up: The best other one; None where there is none.
        weights: Log odds of every examined pair, the smaller number first.
        margins: By which every pair of the tree is better than what replaces it; inf where nothing
            does.
        probabilities: That a joint connects the parts of every examined pair.
        base_probability: That the base is the right one, given the pairs.
    """

    tree: RankedTree
    runner_up: RankedTree | None
    weights: Mapping[Pair, float]
    margins: Mapping[Pair, float]
    probabilities: Mapping[Pair, float]
    base_probability: float


@dataclass(frozen=True)
class _Problem:
    """What the choice is made from."""

    parts: Sequence[PreparedPart]
    groups: Sequence[CongruentGroup]
    kinds: tuple[int, ...]
    weights: Mapping[Pair, float]
    root: int | None
    options: StructureOptions

    def total(self, edges: Sequence[Pair]) -> float:
        return sum(self.weights[pair] for pair in edges) + sum(self.forms(edges).values())

    def forms(self, edges: Sequence[Pair]) -> dict[str, float]:
        """Terms of the total that a single pair does not say."""
        return {
            "congruent parts": -self.options.unlike * unlike_parts(edges, self.kinds),
            "ends": -self.options.end * ends_of(len(self.parts), edges),
        }


def choose_structure(
    parts: Sequence[PreparedPart],
    joints: Mapping[Pair, PairJoint],
    groups: Sequence[CongruentGroup],
    root: int | None,
    options: StructureOptions,
) -> Structure:
    """Choose the tree of greatest weight: congruent parts have like neighbours, and few parts one.

    Args:
        parts: All.
        joints: By pair, the smaller number first; they connect all parts.
        groups: Congruent parts.
        root: The base where it is given.
        options: Of the structure.
    """
    kinds = kinds_of(len(parts), groups)
    weights = edge_weights(joints, parts, kinds, options.edges)
    problem = _Problem(parts, groups, kinds, weights, root, options)
    edges = _ascend(maximum_tree(len(parts), weights), problem)
    others = _changes(edges, problem)
    tree, probability = _ranked(edges, problem)
    runner_up = _ranked(_changed(edges, others[0]), problem)[0] if others else None
    margins, sure = edge_margins(edges, others), tree_probabilities(len(parts), weights)
    return Structure(tree, runner_up, weights, margins, sure, probability)


def _ascend(edges: tuple[Pair, ...], problem: _Problem) -> tuple[Pair, ...]:
    """Exchange edges while that increases the total."""
    for _ in range(len(problem.parts)):
        better = _changes(edges, problem)
        if not better or better[0].loss >= 0:
            break
        edges = _changed(edges, better[0])
    return edges


def _changes(edges: tuple[Pair, ...], problem: _Problem) -> list[Exchange]:
    """Exchanges by the loss of the total, the least first."""
    total = problem.total(edges)
    found = [
        Exchange(one.removed, one.added, total - problem.total(_changed(edges, one)))
        for one in exchanges(len(problem.parts), edges, problem.weights)
    ]
    return sorted(found, key=lambda one: (one.loss, one.removed, one.added))


def _changed(edges: tuple[Pair, ...], change: Exchange) -> tuple[Pair, ...]:
    return tuple(sorted({*edges, change.added} - {change.removed}))


def _ranked(edges: tuple[Pair, ...], problem: _Problem) -> tuple[RankedTree, float]:
    """The tree with its base, and the probability of that base."""
    terms = base_terms(edges, problem.parts, problem.groups, problem.options)
    odds = np.sum(list(terms.values()), axis=0)
    root = int(odds.argmax()) if problem.root is None else problem.root
    probability = 1.0 if problem.root is not None else float(np.exp(odds - odds.max()).sum() ** -1)
    stated = {
        "joints": sum(problem.weights[pair] for pair in edges),
        **problem.forms(edges),
        **{f"base {name}": float(values[root]) for name, values in terms.items()},
    }
    tree = RankedTree(root, rooted(root, edges, len(problem.parts)), problem.total(edges), stated)
    return tree, probability
