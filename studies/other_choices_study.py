"""Estimate the weights by which further choices of a joint are ordered.

`python studies/other_choices_study.py ROWS.pickle... [--write]` takes what
`joint_weights_study.py measure` wrote, lets each case be answered by weights that it had no part
in, and estimates from the joints whose first answer is wrong, by conditional logit, what the joint
is then. It prints how often the true joint is among the first three, in the order of the
probabilities and in the new order, the latter by weights that the case had no part in.
"""

from __future__ import annotations

import argparse
import pickle
from collections.abc import Sequence
from pathlib import Path

import joint_weights_study as joints
import numpy as np
from joint_weights_study import Pair
from numpy.typing import NDArray
from scipy.optimize import minimize

from autourdf_ros.estimation.parts.symmetry.ranking import other_choices
from autourdf_ros.estimation.parts.symmetry.ranking.other_choices import (
    LEAST,
    distinct_choices,
    ordered_choices,
    relation_numbers,
)
from autourdf_ros.estimation.parts.symmetry.symmetry_options import SymmetryOptions
from autourdf_ros.estimation.parts.symmetry.weights import other_weights
from autourdf_ros.estimation.parts.symmetry.weights.candidate_weights import probabilities

Array = NDArray[np.float64]
RIDGE = 0.01  # of the squared weights, a choice
STAGES = 4  # choices of a joint that are learned from, the second to the fifth
COUNT = 27
FOLDS = 6


def shares_and_same(pair: Pair, weights: Array) -> tuple[Array, NDArray[np.bool_]]:
    """Probabilities (K,) of the candidates, and which are nearly the same (K, K)."""
    assert pair.axes is not None
    options = SymmetryOptions()
    apart = options.same_place(pair.size, pair.diagonal)
    scores = pair.design @ weights / options.weights.temperature
    return probabilities(scores), pair.axes.nearly_same(options.same_angle, apart)


def examples(pair: Pair, weights: Array) -> list[tuple[Array, NDArray[np.bool_]]]:
    """Features (C, 28) of the choices that are left, and which are right (C,), of every stage."""
    assert pair.axes is not None
    choices = distinct_choices(*shares_and_same(pair, weights))
    numbers = np.array([number for number, _ in choices])
    logs = np.log(np.array([mass for _, mass in choices]) + LEAST)
    relations = relation_numbers(pair.axes.taken(numbers))
    hits, found = pair.right[numbers], []
    for stage in range(1, min(STAGES + 1, len(numbers))):
        if hits[:stage].any() or not hits[stage:].any():
            break
        counts = np.zeros((len(numbers) - stage, COUNT))
        for before in range(stage):
            counts[np.arange(len(counts)), relations[before, stage:]] += 1
        found.append((np.column_stack([logs[stage:], counts]), hits[stage:]))
    return found


def fit(some: Sequence[tuple[Array, NDArray[np.bool_]]]) -> Array:
    """Return the most likely weights (28,)."""
    centre = np.r_[1.0, np.zeros(COUNT)]

    def loss(weights: Array) -> tuple[float, Array]:
        value, slope = 0.0, np.zeros(len(weights))
        for features, hits in some:
            scores = features @ weights
            powers = np.exp(scores - scores.max())
            good = powers * hits
            value += float(np.log(powers.sum()) - np.log(good.sum() + LEAST))
            slope += features.T @ (powers / powers.sum() - good / (good.sum() + LEAST))
        away = weights - centre
        return (
            value / len(some) + RIDGE * float(away @ away) / 2,
            slope / len(some) + RIDGE * away,
        )

    bounds = [(0.05, 1.2), *[(None, None)] * COUNT]
    return np.asarray(minimize(loss, centre, jac=True, method="L-BFGS-B", bounds=bounds).x)


def in_three(pair: Pair, weights: Array) -> tuple[bool, bool]:
    """Whether the true joint is among the first three: by probability, and in the new order."""
    shares, same = shares_and_same(pair, weights)
    plain = [number for number, _ in distinct_choices(shares, same)]
    assert pair.axes is not None
    ordered = [number for number, _ in ordered_choices(pair.axes, shares, same, 3)]
    return bool(pair.right[plain[:3]].any()), bool(pair.right[ordered].any())


def use(weights: Array) -> None:
    """Order by these weights."""
    other_choices.CERTAINTY = float(weights[0])
    other_choices.RELATIONS = tuple(weights[1:].tolist())


def write(weights: Array) -> None:
    """Write the module of the weights."""
    text = Path(other_weights.__file__).read_text()
    head, tail = text.split("CERTAINTY = ")
    relations = "".join(f"    {value:.2f},\n" for value in weights[1:])
    tail = f"{weights[0]:.2f}" + tail[tail.index("\n") :]
    start, end = tail.index("RELATIONS"), tail.index('"""Of the relation')
    new = f"RELATIONS: tuple[float, ...] = (\n{relations})\n"
    Path(other_weights.__file__).write_text(head + "CERTAINTY = " + tail[:start] + new + tail[end:])


def main() -> None:
    """Fit, print and write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("rows", type=Path, nargs="+")
    parser.add_argument("--write", action="store_true")
    given = parser.parse_args()
    every = [pair for path in given.rows for pair in pickle.loads(path.read_bytes())]
    pairs = [pair for pair in every if pair.axes is not None]
    for pair in pairs:
        pair.design = joints.design(pair, joints.columns()[0])
    weights = joints.left_out(pairs)
    learned = [examples(pair, own) for pair, own in zip(pairs, weights, strict=True)]
    cases = sorted({joints.group(pair) for pair in pairs})
    fold = dict(zip(cases, np.random.default_rng(0).permutation(len(cases)) % FOLDS, strict=True))
    found = np.zeros((len(pairs), 2))
    for number in range(FOLDS):
        own = np.array([fold[joints.group(pair)] == number for pair in pairs])
        use(fit([one for some, out in zip(learned, own, strict=True) if not out for one in some]))
        for k in np.flatnonzero(own):
            found[k] = in_three(pairs[k], weights[k])
    for folder in sorted({pair.folder for pair in pairs}):
        own = np.array([pair.folder == folder for pair in pairs])
        plain, ordered = found[own].mean(axis=0)
        print(f"left out, {folder}: in three {plain:.3f} by probability, {ordered:.3f} ordered")
    if given.write:
        write(fit([one for some in learned for one in some]))


if __name__ == "__main__":
    main()
