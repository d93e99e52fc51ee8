"""Where a joint must stand so that what it carries lies where it lies on another robot."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize_scalar
from scipy.spatial.transform import Rotation

from autourdf_ros.geometry.lines import across
from autourdf_ros.geometry.surface_distance import DistanceField
from autourdf_ros.model.skeleton import MotionType, SkeletonJoint

STEP: dict[MotionType, float] = {"revolute": np.radians(5), "prismatic": 0.005}
_REACH: dict[MotionType, float] = {"revolute": np.pi, "prismatic": 0.1}
ARM = 0.1  # m along an axis, where its direction is felt

_COARSE = 5  # every so many points in the first look
_TOLD, _TOLD_BY_AXES = 0.8, 0.2  # shares of the cost at rest that are left where one is believed
_GAIN = 5e-5  # m, by which the cost at rest exceeds it at least
_FELT = 2e-3  # m, by which the axes must be off one step away, to tell where the joint stands

Travel = Callable[[float], float]


@dataclass(frozen=True)
class MovedPart:
    """What a joint carries, at rest, and where it should come to lie.

    joint: of the second robot. points: (N, 3) of its link's surface; field: of the first robot's;
    None where one shows nothing. ends: (M, 2, 3) two points on each axis beyond; lines: those of
    the first robot. All in the base frame, in metres.
    """

    joint: SkeletonJoint
    points: NDArray[np.float64]
    field: DistanceField | None
    ends: NDArray[np.float64]
    lines: tuple[SkeletonJoint, ...]

    def surface_cost(self, travel: float, every: int = 1) -> float:
        """Mean distance (m) of the surfaces; 0 where there is none."""
        if self.field is None:
            return 0.0
        return float(self.field(moved(self.joint, self.points[::every], travel)).mean())

    def axis_cost(self, travel: float) -> float:
        """Mean distance (m) of the axes, felt `ARM` along them; 0 where there is none."""
        ends = [moved(self.joint, pair, travel) for pair in self.ends]
        distances = [
            np.linalg.norm(across(pair - line.point, line.axis), axis=-1).mean()
            for pair, line in zip(ends, self.lines, strict=True)
        ]
        return float(np.mean(distances)) if distances else 0.0

    def cost(self, travel: float) -> float:
        """Of both."""
        return self.surface_cost(travel) + self.axis_cost(travel)


def moved(joint: SkeletonJoint, points: NDArray[np.float64], travel: float) -> NDArray[np.float64]:
    """(N, 3) points after the joint moved on by `travel` (rad or m)."""
    if joint.type == "prismatic":
        return points + travel * joint.axis
    rotation = Rotation.from_rotvec(travel * joint.axis)
    return rotation.apply(points - joint.point) + joint.point


def best_travel(carried: MovedPart, guess: float | None, *, surface_decides: bool) -> float:
    """The travel (rad or m) of least cost, or 0 where none is clearly better than rest.

    guess: a travel near it, or None: anywhere. surface_decides: only the link's own surface tells
    that the joint does not stand right, or, where it shows none, axes beyond that a travel brings
    nearly all the way: otherwise an axis beyond may have changed.
    """
    step = STEP[carried.joint.type]
    start = _coarse(carried) if guess is None else guess
    travel = _least(carried.cost, start, step)
    asked, told = carried.cost, _TOLD
    if surface_decides:
        asked, told = (
            (carried.surface_cost, _TOLD) if carried.field else (carried.axis_cost, _TOLD_BY_AXES)
        )
    if not asked(travel) < min(told * asked(0.0), asked(0.0) - _GAIN):
        return 0.0
    aside = min(carried.axis_cost(travel - step), carried.axis_cost(travel + step))
    if aside - carried.axis_cost(travel) > _FELT:  # axes are known far better than surfaces
        travel = _least(carried.axis_cost, travel, step)
    return travel


def _coarse(carried: MovedPart) -> float:
    kind = carried.joint.type
    grid = np.arange(-_REACH[kind], _REACH[kind], STEP[kind])
    costs = [carried.surface_cost(x, _COARSE) + carried.axis_cost(x) for x in grid]
    return float(grid[np.argmin(costs)])


def _least(cost: Travel, start: float, step: float) -> float:
    found = minimize_scalar(
        cost, bounds=(start - step, start + step), method="bounded", options={"xatol": 1e-6}
    )
    return float(found.x)
