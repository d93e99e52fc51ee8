"""The joint value at which a joint's child link coincides with the same link of another robot."""

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
ARM = 0.1  # m along an axis from its point, where its direction is measured

_COARSE = 5  # the coarse search uses every fifth point
_ACCEPTED, _ACCEPTED_BY_AXES = 0.8, 0.2  # an accepted travel leaves at most this share of the cost
_GAIN = 5e-5  # m, the least decrease of the cost by an accepted travel
_SENSITIVE = 2e-3  # m, the least rise of the axes' cost one step away for them to refine the travel

Travel = Callable[[float], float]


@dataclass(frozen=True)
class MovedPart:
    """What a joint moves, before the travel, and the target of the travel.

    All in the base frame, in metres.

    Attributes:
        joint: The second robot's.
        points: (N, 3) on the surface of its child link.
        field: Distance from the first robot's surface; None where either robot has no surface.
        ends: (M, 2, 3) two points on the axis of each child joint.
        lines: The first robot's M joints with these axes.
    """

    joint: SkeletonJoint
    points: NDArray[np.float64]
    field: DistanceField | None
    ends: NDArray[np.float64]
    lines: tuple[SkeletonJoint, ...]

    def surface_cost(self, travel: float, every: int = 1) -> float:
        """Return the mean distance (m) of the surfaces after a travel; 0 without surfaces.

        Args:
            travel: rad or m.
            every: Only every so many-th point counts.
        """
        if self.field is None:
            return 0.0
        return float(self.field(moved(self.joint, self.points[::every], travel)).mean())

    def axis_cost(self, travel: float) -> float:
        """Return the mean distance (m) of the axes after a travel, `ARM` along them; else 0."""
        ends = [moved(self.joint, pair, travel) for pair in self.ends]
        distances = [
            np.linalg.norm(across(pair - line.point, line.axis), axis=-1).mean()
            for pair, line in zip(ends, self.lines, strict=True)
        ]
        return float(np.mean(distances)) if distances else 0.0

    def cost(self, travel: float) -> float:
        """Return the sum of both costs (m) after a travel (rad or m)."""
        return self.surface_cost(travel) + self.axis_cost(travel)


def moved(joint: SkeletonJoint, points: NDArray[np.float64], travel: float) -> NDArray[np.float64]:
    """Return (N, 3) points after the joint has moved by `travel` (rad or m)."""
    if joint.type == "prismatic":
        return points + travel * joint.axis
    rotation = Rotation.from_rotvec(travel * joint.axis)
    return rotation.apply(points - joint.point) + joint.point


def best_travel(part: MovedPart, guess: float | None, *, surface_decides: bool) -> float:
    """Find the travel of least cost.

    Args:
        part: What the joint moves.
        guess: A travel (rad or m) near the result; None searches the whole range.
        surface_decides: Accept a travel only by the link's own surface, or, for a link without a
            surface, by axes that the travel makes nearly coincide. Otherwise a change of a child
            joint's axis could pass for a travel.

    Returns:
        The travel (rad or m); 0 where none is clearly better than no travel.
    """
    step = STEP[part.joint.type]
    start = _coarse(part) if guess is None else guess
    travel = _least(part.cost, start, step)
    cost, accepted = part.cost, _ACCEPTED
    if surface_decides:
        cost, accepted = (
            (part.surface_cost, _ACCEPTED) if part.field else (part.axis_cost, _ACCEPTED_BY_AXES)
        )
    if not cost(travel) < min(accepted * cost(0.0), cost(0.0) - _GAIN):
        return 0.0
    aside = min(part.axis_cost(travel - step), part.axis_cost(travel + step))
    if aside - part.axis_cost(travel) > _SENSITIVE:  # axes are known far better than surfaces
        travel = _least(part.axis_cost, travel, step)
    return travel


def _coarse(part: MovedPart) -> float:
    kind = part.joint.type
    grid = np.arange(-_REACH[kind], _REACH[kind], STEP[kind])
    costs = [part.surface_cost(x, _COARSE) + part.axis_cost(x) for x in grid]
    return float(grid[np.argmin(costs)])


def _least(cost: Travel, start: float, step: float) -> float:
    found = minimize_scalar(
        cost, bounds=(start - step, start + step), method="bounded", options={"xatol": 1e-6}
    )
    return float(found.x)
