"""Order the candidates of a joint: the most probable one, then what it is if it is not that."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.estimation.parts.symmetry.proposals.axes import Axes
from autourdf_ros.estimation.parts.symmetry.weights.other_weights import CERTAINTY, RELATIONS

Array = NDArray[np.float64]
PARALLEL = np.cos(np.radians(10.0))
"""Cosine above which two axes are parallel."""
ACROSS = np.sin(np.radians(10.0))
"""Cosine below which they are at right angles."""
NEAREST = 0.6
"""Share of the greatest sum from which the most probable axis stands for those nearly the same."""
LEAST = 1e-9
"""Probability that is distinguished from none: of double precision after sums."""


def ordered_choices(
    axes: Axes, shares: Array, same: NDArray[np.bool_], count: int
) -> list[tuple[int, float]]:
    """Return indices and probabilities of axes that differ, the first answer first.

    Axes that are nearly the same are one choice, whose probability is their sum. The first choice
    is the most probable one. Each other one is the most probable if those before it are wrong: a
    conditional logit of its probability and of its relation to each of them, so that a slide along
    the axis is considered where a part does not turn, and the opposite edge where it is not hinged
    at this one. Probabilities do not rise.

    Args:
        axes: K.
        shares: (K,) probabilities.
        same: (K, K) which axes are nearly the same.
        count: Of choices at most.
    """
    choices = distinct_choices(shares, same)
    numbers = np.array([number for number, _ in choices])
    masses = np.array([mass for _, mass in choices])
    relations = np.array(RELATIONS)[relation_numbers(axes.taken(numbers))]
    scores = CERTAINTY * np.log(masses + LEAST) + relations[0]
    found, rest = [(int(numbers[0]), float(masses[0]))], 1.0 - float(masses[0])
    left = np.arange(len(numbers)) > 0
    while left.any() and len(found) < count:
        powers = np.exp(scores - scores[left].max()) * left
        best = int(powers.argmax())
        share = float(powers[best] / powers.sum())
        found.append((int(numbers[best]), min(rest * share, found[-1][1])))
        rest, left[best] = rest - found[-1][1], False
        scores = scores + relations[best]
    return found


def distinct_choices(shares: Array, same: NDArray[np.bool_]) -> list[tuple[int, float]]:
    """Return indices of axes that differ, and the probability of all nearly the same as each."""
    same, left, found = same & same.T, np.full(len(shares), True), []
    while left.any():
        masses = (same @ (shares * left)) * left
        near = same[int(masses.argmax())] & left & (masses >= NEAREST * masses.max())
        numbers = np.flatnonzero(near)
        best = int(numbers[shares[numbers].argmax()])
        found.append((best, float(masses[best])))
        left &= ~same[best]
    return sorted(found, key=lambda one: -one[1])


def relation_numbers(axes: Axes) -> NDArray[np.int64]:
    """Return the number (K, K) of the relation of each axis, in rows, to each other one.

    By kind of the one, kind of the other (turning, hinged at an edge, sliding), and whether they
    are parallel, at right angles or neither: 27 relations.
    """
    kinds = np.where(axes.slides, 2, np.where(axes.edges, 1, 0))
    cosines = np.abs(axes.directions @ axes.directions.T)
    angles = np.where(cosines > PARALLEL, 0, np.where(cosines < ACROSS, 1, 2))
    return np.asarray((kinds[:, None] * 3 + kinds[None]) * 3 + angles)
