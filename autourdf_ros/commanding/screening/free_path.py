"""A path of straight lines in joint space on which all solids stay apart, if one is found.

Two trees are extended toward each other, one from either end (RRT-Connect: Kuffner and LaValle,
2000), and the path is shortened at random. Every line is checked as a whole (`free_line.py`).
Nothing is commanded here.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Line = Callable[[NDArray[np.float64], NDArray[np.float64]], bool]
"""Whether all solids are apart everywhere on the straight line between two configurations (K,)."""


@dataclass(frozen=True)
class PathOptions:
    """How a path is searched.

    Attributes:
        step: Longest line that is tried at once, as a share of the joints' ranges.
        tries: Samples before the search gives up.
        shortcuts: Random lines that are tried in place of detours.
        seed: Of the samples.
    """

    step: float = 0.15
    tries: int = 1000
    shortcuts: int = 60
    seed: int = 0


@dataclass
class _Tree:
    """Configurations (K,) that are reached, and the number of the one before each."""

    places: list[NDArray[np.float64]]
    before: list[int]

    def nearest(self, place: NDArray[np.float64], span: NDArray[np.float64]) -> int:
        away = (np.array(self.places) - place) / span
        return int(np.argmin((away**2).sum(axis=1)))

    def add(self, place: NDArray[np.float64], before: int) -> int:
        self.places.append(place)
        self.before.append(before)
        return len(self.places) - 1

    def way(self, number: int) -> list[NDArray[np.float64]]:
        """From the root to a place."""
        found = []
        while number >= 0:
            found.append(self.places[number])
            number = self.before[number]
        return found[::-1]


def free_path(
    free: Line,
    ends: tuple[NDArray[np.float64], NDArray[np.float64]],
    limits: tuple[NDArray[np.float64], NDArray[np.float64]],
    options: PathOptions = PathOptions(),
) -> NDArray[np.float64] | None:
    """Return configurations (N, K) whose straight lines are free, or None where none was found.

    Args:
        free: Checks a line.
        ends: First and last configuration (K,) (rad or m).
        limits: Lower and upper values (K,).
        options: All constants.
    """
    start, end = ends
    if not free(start, start) or not free(end, end):
        return None
    if free(start, end):
        return np.array([start, end])
    rng = np.random.default_rng(options.seed)
    lower, upper = limits
    span = np.maximum(upper - lower, 1e-9)
    trees = [_Tree([start], [-1]), _Tree([end], [-1])]
    for number in range(options.tries):
        one, other = trees if number % 2 == 0 else trees[::-1]
        reached = _extended(one, rng.uniform(lower, upper), free, span, options.step)
        if reached is None:
            continue
        met = _connected(other, one.places[reached], free, span, options.step)
        if met is not None:
            first, second = (
                (one.way(reached), other.way(met))
                if number % 2 == 0
                else (other.way(met), one.way(reached))
            )
            return _shortened(np.array(first + second[-2::-1]), free, options.shortcuts, rng)
    return None


def _extended(
    tree: _Tree, toward: NDArray[np.float64], free: Line, span: NDArray[np.float64], step: float
) -> int | None:
    """Add a place one step toward another, and return its number; None where something is met."""
    nearest = tree.nearest(toward, span)
    place = tree.places[nearest]
    share = step / max(float(np.linalg.norm((toward - place) / span)), 1e-12)
    new = toward if share >= 1 else place + share * (toward - place)
    return tree.add(new, nearest) if free(place, new) else None


def _connected(
    tree: _Tree, toward: NDArray[np.float64], free: Line, span: NDArray[np.float64], step: float
) -> int | None:
    """Extend a tree until it has the place, and return its number; None where something is met."""
    while (reached := _extended(tree, toward, free, span, step)) is not None:
        if np.array_equal(tree.places[reached], toward):
            return reached
    return None


def _shortened(
    path: NDArray[np.float64], free: Line, tries: int, rng: np.random.Generator
) -> NDArray[np.float64]:
    """Return the path with lines in place of detours, where they are free."""
    for _ in range(tries):
        if len(path) < 3:
            break
        first, last = np.sort(rng.choice(len(path), 2, replace=False))
        if last - first > 1 and free(path[first], path[last]):
            path = np.concatenate([path[: first + 1], path[last:]])
    return path
