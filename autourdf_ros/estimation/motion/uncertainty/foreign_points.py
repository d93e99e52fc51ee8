"""Find points that are no part of the robot: a person, a cable, another robot."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.data.cleaning import connected_parts
from autourdf_ros.estimation.motion.fitting.articulation import Articulation, body_poses
from autourdf_ros.estimation.motion.fitting.frame_fit import States
from autourdf_ros.estimation.motion.fitting.surface import LabelledSurface, assign_points
from autourdf_ros.geometry.point_cloud import Cloud
from autourdf_ros.parallel import on_all_cores

FAR = 0.05
"""Robot sizes from all links. Of the true robots of 20 simulated recordings (20 views, or four
real-like cameras), posed from the points of one frame, at most 0.3 % of another frame's points were
as far."""
LEAST_SHARE = 0.01  # of a frame's points
GAP = 0.04
"""Robot sizes between objects that do not belong together. The true links of these recordings were
at most 0.031 from the nearest other one."""


@dataclass(frozen=True)
class ForeignPoints:
    """Points that belong to no link.

    Attributes:
        frames: numbers in the recording.
        share: of the points of the frame that has most.
    """

    frames: tuple[int, ...]
    share: float


def foreign_points(
    frames: Sequence[Cloud],
    used: NDArray[np.bool_],
    surface: LabelledSurface,
    model: Articulation,
    states: States,
) -> ForeignPoints | None:
    """Find points far from all links, where there are more than in right models.

    All in engine units, in which the robot's size is 1.

    Args:
        frames: F frames.
        used: (F,) which of them are inliers; only these count.
        surface: of the model, with its bodies.
        model: its joints.
        states: of all frames.
    """
    chosen = np.flatnonzero(used)
    poses = body_poses(model, states.values[chosen], states.base[chosen])

    def share(frame: Cloud, pose: NDArray[np.float64]) -> float:
        return float(np.mean(assign_points(surface, pose, frame, FAR) < 0))

    shares = np.array(on_all_cores(share, [frames[i] for i in chosen.tolist()], poses))
    many = shares > LEAST_SHARE
    if not many.any():
        return None
    return ForeignPoints(tuple(chosen[many].tolist()), float(shares.max()))


def places_that_move(surface: LabelledSurface) -> tuple[tuple[int, ...], ...]:
    """Return the moving bodies by the places in which they stand, each apart from the others.

    A root that stands in several places, as two robots' bases do, joins nothing.

    Args:
        surface: of the model in its reference configuration, in engine units, body 0 the root.
    """
    parts = connected_parts(surface.points, GAP)
    moving = surface.labels > 0
    least = LEAST_SHARE * len(surface.points)
    found = []
    for part in np.flatnonzero(np.bincount(parts[moving]) > least):
        bodies, counts = np.unique(surface.labels[moving & (parts == part)], return_counts=True)
        found.append(tuple(bodies[counts > least / 2].tolist()))
    return tuple(found)
