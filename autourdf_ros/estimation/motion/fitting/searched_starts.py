"""Find where a frame may begin that is far from all known ones: link by link, from the root.

A fit of all joints at once ends in the next local optimum. But a link's place depends on the joints
before it alone: so each joint's values all around are tried in turn, judged by its own link's
points, and of all partial configurations the best few are kept (beam search; Lowerre, "The Harpy
speech recognition system", 1976).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.estimation.motion.fitting.articulation import Articulation, body_poses
from autourdf_ros.estimation.motion.fitting.frame_fit import ArticulatedSurface
from autourdf_ros.geometry.arrays import Array
from autourdf_ros.geometry.point_cloud import Cloud
from autourdf_ros.geometry.rigid_motion import transform

TURNS = 36  # of a whole one, that are tried of a revolute joint (resource bound)
SLIDES = 9  # values of a prismatic joint (resource bound)
SLID = 0.2  # robot sizes to either side that it may have slid
KEPT = 8  # partial configurations (resource bound)
SAMPLED = 120  # points of a link that judge it (resource bound)


def searched_starts(
    target: ArticulatedSurface, frame: Cloud, values: Array, base: Array, *, reach: float
) -> Array:
    """Return joint values (K, J) to start a frame from, the likeliest first.

    Args:
        target: the articulated surface.
        frame: the frame.
        values: (J,) joint values around which is searched.
        base: (4, 4) pose of the root.
        reach: distance from the frame beyond which all places are as bad.
    """
    model, surface = target.model, target.surface
    beam, costs = values[None].copy(), np.zeros(1)
    for joint in range(len(model.parents)):
        own = np.flatnonzero(surface.labels == joint + 1)
        if not len(own):
            continue
        some = own[:: max(len(own) // SAMPLED, 1)]
        points, share = surface.points[some], len(own) / len(some)
        tried = np.repeat(beam[:, None], len(_steps(model, joint)), axis=1)
        tried[:, :, joint] += _steps(model, joint)
        poses = body_poses(model, tried, np.broadcast_to(base, (*tried.shape[:2], 4, 4)))
        moved = transform(poses[:, :, None, joint + 1], points)
        distances = frame.grid.query(moved.reshape(-1, 3), reach)[0]
        squares = np.minimum(distances / reach, 1.0).reshape(*tried.shape[:2], -1) ** 2
        own_costs = share * squares.sum(axis=-1)
        whole = costs[:, None] + own_costs
        best = _best_minima(whole, around=bool(model.revolute[joint]))
        beam, costs = tried.reshape(-1, tried.shape[-1])[best], whole.ravel()[best]
    return beam


def _steps(model: Articulation, joint: int) -> Array:
    """Values that are tried, relative to the one around which is searched."""
    if not model.revolute[joint]:
        return np.linspace(-SLID, SLID, SLIDES)
    turns = np.arange(TURNS) * 2 * np.pi / TURNS
    return np.where(turns > np.pi, turns - 2 * np.pi, turns)


def _best_minima(costs: Array, *, around: bool) -> NDArray[np.int64]:
    """Numbers of the least costs (K, A) of those that neighbours in A do not undercut."""
    before, after = np.roll(costs, 1, axis=1), np.roll(costs, -1, axis=1)
    if not around:
        before[:, 0], after[:, -1] = np.inf, np.inf
    least = (costs <= before) & (costs <= after)
    order = np.argsort(np.where(least, costs, np.inf).ravel(), kind="stable")
    return order[: min(KEPT, int(least.sum()))]
