"""Which true body a part is that was found without knowing any shape."""

from __future__ import annotations

import numpy as np
from scipy.optimize import linear_sum_assignment
from scipy.spatial.transform import Rotation

from autourdf_ros.estimation.video.pose_track import PoseTrack
from autourdf_ros.geometry.arrays import Array
from autourdf_ros.geometry.rigid_motion import inverse, transform

STILL = 1e-6
"""Change of a pose's entries up to which a body stands still."""
ARM = 0.1
"""Distance from a part's centre of points whose motion counts (m)."""


def matching_bodies(track: PoseTrack, truth: Array) -> dict[int, int]:
    """Return the true body of every part, one for one: that against which the part moves least.

    A body that stands still is no part: the world is.

    Args:
        track: P parts.
        truth: (B, T, 4, 4) poses of bodies in the world.

    Returns:
        Numbers of bodies by numbers of parts; parts beyond the number of bodies have none.
    """
    moving = np.flatnonzero(np.ptp(truth, axis=1).max(axis=(1, 2)) > STILL)
    parts = range(len(track.bodies))
    costs = np.array([[_wander(track, part, truth[body]) for body in moving] for part in parts])
    return {int(p): int(moving[b]) for p, b in zip(*linear_sum_assignment(costs), strict=True)}


def _wander(track: PoseTrack, part: int, truth: Array) -> float:
    """How far points about a part's centre move in a body's frame (m)."""
    seen = track.seen[part]
    relative = inverse(truth[seen]) @ track.poses[part, seen]
    corners = ARM * np.vstack([np.eye(3), -np.eye(3)]) + track.centres[part]
    places = transform(relative[:, None], corners)
    return float(places.std(axis=0).mean())


def centre_wander(track: PoseTrack, part: int, truth: Array) -> float:
    """Return how far a part's centre moves in a body's frame (m), however the part turns there."""
    seen = track.seen[part]
    places = transform(inverse(truth[seen]) @ track.poses[part, seen], track.centres[part])
    return float(places.std(axis=0).mean())


def as_tracked(track: PoseTrack, part: int, truth: Array) -> Array:
    """Return the true poses (T, 4, 4) of a part's frame, which is fixed in a body at `truth`.

    Where it is fixed there is the mean over all frames.
    """
    seen = track.seen[part]
    relative = inverse(truth[seen]) @ track.poses[part, seen]
    fixed = np.eye(4)
    fixed[:3, :3] = Rotation.from_matrix(relative[:, :3, :3]).mean().as_matrix()
    fixed[:3, 3] = relative[:, :3, 3].mean(axis=0)
    return truth @ fixed
