"""Estimate how often first answers are right, and from which probability a joint is not flagged.

`python studies/flag_study.py ROWS.pickle...` takes what `joint_weights_study.py measure` wrote and
lets each case be answered by weights that it had no part in. It prints the logistic curve of
`Calibration`, then for every folder, each case by a curve that it had no part in: what is stated
and how often it is right (five bins of equal count), the expected error, and by threshold how many
joints are flagged and how many of the others are right.
"""

from __future__ import annotations

import argparse
import pickle
from pathlib import Path

import joint_weights_study as joints
import numpy as np
from joint_weights_study import OBJECTS, Pair
from numpy.typing import NDArray
from other_choices_study import shares_and_same
from scipy.optimize import minimize
from scipy.special import expit, logit

from autourdf_ros.assessment.metrics.parts.reliability import expected_error, reliability
from autourdf_ros.estimation.parts.symmetry.ranking.other_choices import distinct_choices
from autourdf_ros.estimation.parts.symmetry.stated_probability import SURE

Array = NDArray[np.float64]
RIDGE = 0.002  # of the squared coefficients, a sample
FOLDS = 10
THRESHOLDS = (0.5, 0.6, 0.65, 0.7, 0.8, 0.9)


def first_answer(pair: Pair, weights: Array) -> tuple[Array, bool]:
    """Logit of the first answer's probability and its kind (4,), and whether it is right."""
    assert pair.axes is not None
    number, share = distinct_choices(*shares_and_same(pair, weights))[0]
    edge, slides = bool(pair.axes.edges[number]), bool(pair.axes.slides[number])
    kind = [not slides and not edge, not slides and edge, slides]
    return np.array([logit(np.clip(share, SURE, 1 - SURE)), *kind]), bool(pair.right[number])


def fit(design: Array, right: Array, shares: Array) -> Array:
    """Return the most likely slope and offsets (4,)."""
    shares = shares / shares.sum()

    def loss(curve: Array) -> tuple[float, Array]:
        scores = design @ curve
        value = float(shares @ (np.logaddexp(0, scores) - right * scores))
        slope = design.T @ (shares * (expit(scores) - right)) + RIDGE * curve
        return value + RIDGE * float(curve @ curve) / 2, slope

    return np.asarray(minimize(loss, np.array([1.0, 0, 0, 0]), jac=True, method="BFGS").x)


def main() -> None:
    """Fit and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("rows", type=Path, nargs="+")
    given = parser.parse_args()
    every = [pair for path in given.rows for pair in pickle.loads(path.read_bytes())]
    pairs = [pair for pair in every if pair.axes is not None]
    for pair in pairs:
        pair.design = joints.design(pair, joints.columns()[0])
    answers = [first_answer(*one) for one in zip(pairs, joints.left_out(pairs), strict=True)]
    design = np.array([features for features, _ in answers])
    right = np.array([hit for _, hit in answers], dtype=float)
    shares = np.array([OBJECTS.get(pair.folder, 1.0) for pair in pairs])
    print("slope, turning, edge, sliding:", np.round(fit(design, right, shares), 2))
    groups = sorted({joints.group(pair) for pair in pairs})
    order = np.random.default_rng(0).permutation(len(groups)) % FOLDS
    fold = dict(zip(groups, order, strict=True))
    folds, said = np.array([fold[joints.group(pair)] for pair in pairs]), np.zeros(len(pairs))
    for number in range(FOLDS):
        out = folds == number
        said[out] = expit(design[out] @ fit(design[~out], right[~out], shares[~out]))
    for folder in sorted({pair.folder for pair in pairs}):
        own = np.array([pair.folder == folder for pair in pairs])
        bins = reliability(said[own], right[own] > 0)
        print(f"{folder}: {own.sum()} joints, error {100 * expected_error(bins):.1f} points")
        print("  " + ", ".join(f"{one.probability:.2f} {one.right:.2f}" for one in bins))
        for threshold in THRESHOLDS:
            sure = own & (said >= threshold)
            flagged = 1 - sure.sum() / own.sum()
            print(
                f"  {threshold}: flagged {flagged:.2f}, the others right {right[sure].mean():.3f}"
            )


if __name__ == "__main__":
    main()
