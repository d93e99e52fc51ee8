"""An arm in a written scene, for planners: inverse kinematics and collisions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import coal
import numpy as np
import pinocchio as pin
from numpy.typing import NDArray

from autourdf_ros.model.result_files import SRDF, URDF

RESTARTS = 60
"""Of inverse kinematics: a bound on the time it takes."""
TRIES = 300
"""Steps of one solution: a bound, too."""
LARGEST = 0.2
"""rad of a joint in one step, within which the Jacobian holds."""
MARGIN = 0.02
"""rad that solutions keep from the limits."""

Array = NDArray[np.float64]


@dataclass
class PlannedArm:
    """A scene in Pinocchio and Coal.

    Attributes:
        joints: Of the arm, in their order.
        hand: The frame whose pose is asked for.
        others: Values of the joints that do not plan, by name; 0 where not named.
    """

    model: pin.Model
    shapes: pin.GeometryModel
    joints: Sequence[str]
    hand: str
    others: dict[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._data, self._found = self.model.createData(), pin.GeometryData(self.shapes)
        self._frame = self.model.getFrameId(self.hand)
        self.at = [self._index(name) for name in self.joints]
        self.low = self.model.lowerPositionLimit[self.at]
        self.high = self.model.upperPositionLimit[self.at]

    def whole(self, arm: Array, others: dict[str, float] | None = None) -> Array:
        """Return the configuration of the scene. others: instead of those of the scene."""
        q = pin.neutral(self.model)
        q[self.at] = arm
        for name, value in (self.others if others is None else others).items():
            q[self._index(name)] = value
        return q

    def free(self, arm: Array, others: dict[str, float] | None = None) -> bool:
        """Return whether nothing collides."""
        q = self.whole(arm, others)
        return not pin.computeCollisions(self.model, self._data, self.shapes, self._found, q, True)

    def pose(self, arm: Array) -> Array:
        """Return the (4, 4) pose of the hand."""
        pin.framesForwardKinematics(self.model, self._data, self.whole(arm))
        return self._data.oMf[self._frame].homogeneous.copy()

    def jacobian(self, arm: Array) -> Array:
        """Return (6, J) the hand's velocity, linear first, in axes of the base."""
        frame = pin.ReferenceFrame.LOCAL_WORLD_ALIGNED
        whole = pin.computeFrameJacobian(
            self.model, self._data, self.whole(arm), self._frame, frame
        )
        return whole[:, self.at]

    def solve(self, goal: Array, start: Array) -> Array | None:
        """Return the arm with the hand at a (4, 4) pose, by damped least squares, or None."""
        arm, target = np.array(start, float), pin.SE3(goal)
        for _ in range(TRIES):
            q = self.whole(arm)
            pin.framesForwardKinematics(self.model, self._data, q)
            error = pin.log6(self._data.oMf[self._frame].actInv(target)).vector
            if np.linalg.norm(error) < 1e-5:
                return arm
            jacobian = pin.computeFrameJacobian(self.model, self._data, q, self._frame)[:, self.at]
            step = jacobian.T @ np.linalg.solve(jacobian @ jacobian.T + 1e-5 * np.eye(6), error)
            moved = arm + np.clip(step, -LARGEST, LARGEST)
            arm = np.clip(moved, self.low + MARGIN, self.high - MARGIN)
        return None

    def solutions(self, goal: Array, start: Array, seed: int) -> list[Array]:
        """Return free arms with the hand at a (4, 4) pose, the nearest to `start` first."""
        rng, found = np.random.default_rng(seed), []
        for number in range(RESTARTS):
            arm = self.solve(goal, start if number == 0 else rng.uniform(self.low, self.high))
            if arm is not None and self.free(arm):
                found.append(arm)
        return sorted(found, key=lambda arm: float(np.abs(arm - start).max()))

    def straight(self, goals: Sequence[Array], start: Array) -> list[Array] | None:
        """Return the arms along (4, 4) poses of the hand, or None where one is not reached."""
        path = [start]
        for goal in goals:
            solved = self.solve(goal, path[-1])
            if solved is None or np.abs(solved - path[-1]).max() > LARGEST:
                return None
            path.append(solved)
        return path[1:]

    def _index(self, name: str) -> int:
        return self.model.joints[self.model.getJointId(name)].idx_q


def load_arm(
    folder: Path, joints: Sequence[str], hand: str, others: dict[str, float]
) -> PlannedArm:
    """Return the arm of a written scene, without the pairs of links that its SRDF leaves out."""
    model = pin.buildModelFromUrdf(str(folder / URDF))
    shapes = pin.buildGeomFromUrdf(
        model, str(folder / URDF), pin.GeometryType.COLLISION, package_dirs=[str(folder)]
    )
    for item in shapes.geometryObjects:
        if isinstance(item.geometry, coal.BVHModelBase):
            item.geometry.buildConvexRepresentation(False)
            item.geometry = item.geometry.convex
    shapes.addAllCollisionPairs()
    pin.removeCollisionPairs(model, shapes, str(folder / SRDF))
    return PlannedArm(model, shapes, joints, hand, others)
