"""Screws of joints, many at a time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.geometry.arrays import Array

REVOLUTE, PRISMATIC = 0, 1


@dataclass(frozen=True)
class Screws:
    """C candidates for the screw of a joint.

    Attributes:
        axes: (C, 3) unit vectors.
        points: (C, 3) on the axes (m); without meaning for PRISMATIC ones.
        kinds: (C,) REVOLUTE or PRISMATIC.
    """

    axes: Array
    points: Array
    kinds: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.axes)

    def __getitem__(self, chosen: NDArray[np.integer] | NDArray[np.bool_] | slice) -> Screws:
        return Screws(self.axes[chosen], self.points[chosen], self.kinds[chosen])

    def type_of(self, number: int) -> Literal["revolute", "prismatic"]:
        """Return the type of one."""
        return "prismatic" if self.kinds[number] == PRISMATIC else "revolute"


def joined_screws(first: Screws, second: Screws) -> Screws:
    """Return the candidates of both."""
    return Screws(
        np.concatenate([first.axes, second.axes]),
        np.concatenate([first.points, second.points]),
        np.concatenate([first.kinds, second.kinds]),
    )


def directions(count: int) -> Array:
    """Return `count` unit vectors, evenly on the sphere: a Fibonacci lattice."""
    number = np.arange(count) + 0.5
    height, angle = 1 - 2 * number / count, np.pi * (1 + 5**0.5) * number
    across = np.sqrt(1 - height**2)
    return np.column_stack([across * np.cos(angle), across * np.sin(angle), height])


def even_screws(turned: int, places: Array, shifted: int) -> Screws:
    """Return candidates of all directions: revolute ones through all places, and prismatic ones.

    Args:
        turned: Directions of revolute ones; both of each axis, as motors' signs are not known.
        places: (M, 3) that axes may go through (m).
        shifted: Directions of prismatic ones.
    """
    axes = directions(turned)
    return joined_screws(
        Screws(
            np.repeat(axes, len(places), axis=0),
            np.tile(places, (turned, 1)),
            np.full(turned * len(places), REVOLUTE),
        ),
        Screws(directions(shifted), np.zeros((shifted, 3)), np.full(shifted, PRISMATIC)),
    )


def varied(screws: Screws, times: int, by: tuple[float, float], rng: np.random.Generator) -> Screws:
    """Return every candidate `times` times, at random beside itself, those of one side by side.

    Args:
        screws: The candidates.
        times: Of each.
        by: Standard deviations of the axis (rad) and of the point (m), per component.
        rng: Of the randomness.
    """
    count = times * len(screws)
    axes = np.repeat(screws.axes, times, axis=0) + rng.normal(0, by[0], (count, 3))
    axes /= np.linalg.norm(axes, axis=1, keepdims=True)
    points = np.repeat(screws.points, times, axis=0) + rng.normal(0, by[1], (count, 3))
    return Screws(axes, points, np.repeat(screws.kinds, times))
