"""Reliability of the confidence in kinematics from parts: `studies/parts_confidence.py ROWS...`.

ROWS are files that `autourdf benchmark --suite parts --rows` wrote. Printed are five bins of equal
count and the expected error: of the edges' probability, of the joints' on right edges, and of both
together; as they are stated, and as a logistic curve of them would be when it is fitted without the
robot (leave one out; robots of one name and other numbers are one). With --features NAMES... the
logistic model is of these features of the joints instead, and its coefficients over all robots are
printed. --svg FILE draws the stated ones.
"""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.special import expit, logit

from autourdf_ros.assessment.metrics.parts.reliability import expected_error, reliability
from autourdf_ros.benchmark.parts.reliability_page import confidence, reliability_svg

Array = NDArray[np.float64]
RIDGE = 1e-2  # of the coefficients of standardised features, a sample
SURE = 1e-6  # probabilities nearer to 0 or 1 have no logit


def family(name: str) -> str:
    """Name of a robot without numbers and what follows them."""
    return re.split(r"[\d_]", name)[0]


def fitted(features: Array, right: Array) -> Array:
    """(F + 1,) coefficients of a logistic model, the constant last."""
    design = np.column_stack([features, np.ones(len(features))])

    def loss(weights: Array) -> tuple[float, Array]:
        score = design @ weights
        penalty = RIDGE * np.r_[weights[:-1], 0.0]
        value = np.mean(np.logaddexp(0, score) - right * score) + 0.5 * penalty @ weights
        return float(value), design.T @ (expit(score) - right) / len(right) + penalty

    return np.asarray(minimize(loss, np.zeros(design.shape[1]), jac=True, method="BFGS").x)


def left_out(features: Array, right: Array, groups: NDArray[np.str_]) -> Array:
    """(S,) probabilities, each by a model that was fitted without the group."""
    said = np.zeros(len(right))
    for group in np.unique(groups):
        own = groups == group
        weights = fitted(features[~own], right[~own])
        said[own] = expit(np.column_stack([features[own], np.ones(own.sum())]) @ weights)
    return said


def show(title: str, said: Sequence[float] | Array, right: Sequence[bool] | Array) -> None:
    """Print the bins."""
    bins = reliability(said, right)
    print(f"{title}: {len(said)}, expected error {100 * expected_error(bins):.1f} points")
    for one in bins:
        print(f"  {one.count:4} say {one.probability:.3f}, right are {one.right:.3f}")


def standardised(values: Array) -> Array:
    """(S, F) features of mean 0 and deviation 1; what is not finite is at the mean."""
    values = np.where(np.isfinite(values), values, np.nan)
    spread = np.nanstd(values, axis=0)
    return np.nan_to_num((values - np.nanmean(values, axis=0)) / np.where(spread > 0, spread, 1))


def read_rows(paths: Sequence[Path]) -> list[dict[str, Any]]:
    """Rows of files, without crashes; of one case and method the last."""
    rows: dict[tuple[str, str], dict[str, Any]] = {}
    for path in paths:
        for line in path.read_text().splitlines():
            row = json.loads(line)["row"]
            rows[row["name"], row["method"]] = row
    return [row for row in rows.values() if "error" not in row]


def by_features(rows: Sequence[Mapping[str, Any]], names: Sequence[str]) -> None:
    """Print what a logistic model of features of the joints would be worth."""
    joints = [(row["name"], joint) for row in rows for joint in row["errors"]["joints"]]
    values = np.array([[one["features"].get(key, np.nan) for key in names] for _, one in joints])
    right = np.array([one["right"] for _, one in joints], dtype=float)
    features = standardised(values)
    groups = np.array([family(name) for name, _ in joints])
    show("joints on right edges, of features, left out", left_out(features, right, groups), right)
    weights = fitted(features, right)
    print("  " + ", ".join(f"{n} {w:+.2f}" for n, w in zip([*names, "1"], weights, strict=True)))


def main() -> None:
    """Print and draw."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("rows", type=Path, nargs="+")
    parser.add_argument("--method", default="symmetry")
    parser.add_argument("--features", nargs="+", default=())
    parser.add_argument("--svg", type=Path)
    given = parser.parse_args()
    rows = [row for row in read_rows(given.rows) if row["method"] == given.method]
    for name, (said, right) in confidence(rows).items():
        show(f"{name}, stated", said, right)
        if not said:
            continue
        groups = np.array([family(row["name"]) for row in rows for _ in range(_count(row, name))])
        curve = logit(np.clip(said, SURE, 1 - SURE))[:, None]
        outcome = np.array(right, dtype=float)
        slope, offset = fitted(curve, outcome)
        print(f"  logit of what is right: {slope:.2f} of the stated {offset:+.2f}")
        show(f"{name}, refitted", left_out(standardised(curve), outcome, groups), outcome)
    if given.features:
        by_features(rows, given.features)
    if given.svg:
        given.svg.write_text(reliability_svg(rows))


def _count(row: Mapping[str, Any], name: str) -> int:
    """How many of a row's probabilities are of a kind."""
    return len(confidence([row])[name][0])


if __name__ == "__main__":
    main()
