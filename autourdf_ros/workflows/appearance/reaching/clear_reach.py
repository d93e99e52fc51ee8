"""Reach a target by the model's collision shapes: the whole path is checked, and none else taken.

Configurations that reach the target are found from many starts; the first one without a collision
to which a path is free is taken. Plans only.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.optimize import minimize

from autourdf_ros.commanding.screening.free_line import first_conflict
from autourdf_ros.commanding.screening.free_path import PathOptions, free_path
from autourdf_ros.commanding.screening.link_distances import LinkDistances
from autourdf_ros.estimation.appearance.pose.splat_robot import SplatRobot
from autourdf_ros.geometry.arrays import Array
from autourdf_ros.workflows.appearance.reaching.splat_tasks import CLOSE, Reach


@dataclass(frozen=True)
class ClearReachOptions:
    """How a target is reached.

    Attributes:
        starts: Configurations from which ends are searched, the given one first.
        ends: Free ends to which a path is searched, the nearest first.
        seed: Of the starts.
        path: Of the search of a path.
    """

    starts: int = 40
    ends: int = 5
    seed: int = 0
    path: PathOptions = PathOptions()  # noqa: RUF009  (frozen)


@dataclass(frozen=True)
class ClearReach:
    """What was found.

    Attributes:
        path: (N, K) values of the free joints, straight lines between; None where none was found.
        reached: How many different starts led to the target.
        apart: How many of these ends are without a collision.
    """

    path: Array | None
    reached: int
    apart: int


class ShapeSpace:
    """The free joints of a robot, and the distances of its links' shapes."""

    def __init__(self, robot: SplatRobot, distances: LinkDistances) -> None:
        """Take both; joints that the shapes lack are left out.

        Args:
            robot: With K free joints.
            distances: Of its links' shapes, from each other and from obstacles.
        """
        self._robot, self._distances = robot, distances

    def values(self, free: Array) -> Array:
        """Return the values of the shapes' joints, from those (K,) of the free ones."""
        named = zip(self._robot.tree.joint_names, self._robot.values(free), strict=True)
        known = set(self._distances.robot.joints)
        return self._distances.robot.configuration({n: float(v) for n, v in named if n in known})

    def free(self, start: Array, end: Array) -> bool:
        """Return whether all shapes are apart on the line between two configurations (K,)."""
        return first_conflict(self._distances, self.values(start), self.values(end)) is None

    def clearance(self, path: Array) -> float:
        """Return the least distance of a link from an obstacle (m) at configurations (N, K)."""
        asked = np.flatnonzero(self._distances.of_obstacles)
        every = np.full(len(asked), np.inf)
        found = [self._distances.nearer(self.values(free), every, asked) for free in path]
        return float(np.min(found)) if len(asked) else float("inf")


def reach_clear(
    task: Reach,
    space: ShapeSpace,
    start: Array,
    options: ClearReachOptions = ClearReachOptions(),
) -> ClearReach:
    """Find a path to a configuration that reaches a target, all of it free of collisions.

    Args:
        task: Point and target.
        space: The shapes, with the obstacles.
        start: (K,) where the robot stands.
        options: All constants.
    """
    limits = task.robot.ranges
    ends = _ends(task, start, options)
    apart = [end for end in ends if space.free(end, end)]
    for end in apart[: options.ends]:
        path = free_path(space.free, (np.asarray(start, float), end), limits, options.path)
        if path is not None:
            return ClearReach(path, len(ends), len(apart))
    return ClearReach(None, len(ends), len(apart))


def _ends(task: Reach, start: Array, options: ClearReachOptions) -> Sequence[Array]:
    """Return configurations that reach the target, the nearest to the start first."""
    lower, upper = task.robot.ranges
    rng = np.random.default_rng(options.seed)
    begins = [
        np.clip(start, lower, upper),
        *rng.uniform(lower, upper, (options.starts - 1, len(lower))),
    ]
    bounds = list(zip(lower, upper, strict=True))

    def loss(free: Array) -> tuple[float, Array]:
        state = task.state(free)
        return 1e3 * state.loss, 1e3 * state.slopes  # of the order of 1, as the solver's tolerances

    found = [
        minimize(loss, begin, jac=True, method="L-BFGS-B", bounds=bounds).x for begin in begins
    ]
    ends = [end for end in found if task.state(end).distance < CLOSE]
    return sorted(ends, key=lambda end: float(np.linalg.norm((end - start) / (upper - lower))))


def straight(start: Array, end: Array, count: int = 101) -> Array:
    """Return configurations (count, K) on the straight line between two."""
    return np.asarray(start + np.linspace(0, 1, count)[:, None] * (end - start))
