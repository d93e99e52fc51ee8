"""A load on a last link, to which the joints that hold it yield.

A joint turns by its torque times its compliance. The torque of a force f at a place p of the link
is f · dp/dq (Spong, Hutchinson and Vidyasagar, "Robot Modeling and Control", 2006, chapter 4).
With one compliance of all joints, three numbers, the force times the compliance, say how all of
them turn, whichever way the robot is mounted.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.geometry.rigid_motion import cross, transform
from autourdf_ros.monitoring.observing.watched_model import WatchedModel

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class HangingLoad:
    """A place where a load may hang.

    Attributes:
        body: Number of the link that holds it.
        place: (3,) at the reference: the middle of the link's surface (m).
        turning: (J,) revolute joints that hold the link.
        reach: Farthest that it may be from the first of them (m).
    """

    body: int
    place: Array
    turning: NDArray[np.bool_]
    reach: float

    def turns(self, jacobian: Array, pose: Array) -> Array:
        """Return by how much every joint turns (J, 3) for each direction of the force.

        It is 1 for a joint from which the load is as far away as its reach.

        Args:
            jacobian: (6, J) twists of the link by the joints, in the base frame.
            pose: (4, 4) of the link, from the reference.
        """
        turn, shift = jacobian[:3].T, jacobian[3:].T
        levers = cross(turn, transform(pose, self.place)) + shift
        return np.asarray(levers * self.turning[:, None] / self.reach)


def hanging_loads(model: WatchedModel) -> list[HangingLoad]:
    """Return where a load may hang: the last links, and of fingers that slide, what holds them.

    Args:
        model: The watched model.
    """
    joints = model.articulation
    last = np.setdiff1d(np.arange(1, len(joints.parents) + 1), joints.parents)
    holding = np.where(joints.revolute[last - 1], last, joints.parents[last - 1])
    points, triangles = model.samples
    owners = model.triangle_body[triangles]
    found = []
    for body in np.unique(holding[holding > 0]).tolist():
        chain = np.flatnonzero(joints.ancestors[body])
        turning = joints.ancestors[body] & joints.revolute
        own = points[owners == body]
        if not turning.any() or not len(own):
            continue
        place = own.mean(axis=0)
        way = np.concatenate([model.places[chain], place[None]])
        reach = float(np.linalg.norm(np.diff(way, axis=0), axis=1).sum())
        if reach > 0:
            found.append(HangingLoad(body, place, turning, reach))
    return found
