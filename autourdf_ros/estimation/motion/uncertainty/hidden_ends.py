"""Ends of last links that could turn by themselves unseen, as a bare flange does.

An end that is round about an axis looks alike however it turns: where no motor's readings say that
nothing turns there, the frames cannot, and a joint may be missing. Each last link is asked which
end of it could have turned as far as the model's joints did, in the same frames, at no cost.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.estimation.motion.fitting.articulation import Articulation, body_poses
from autourdf_ros.estimation.motion.fitting.frame_fit import States
from autourdf_ros.estimation.motion.registration.frame_set import FrameSet
from autourdf_ros.estimation.motion.structure.candidates.motor_candidates import (
    SHOWING,
    round_axes,
    saved_by_turning,
    turns_in_place,
    unseen_end,
)
from autourdf_ros.estimation.motion.structure.candidates.residual_candidates import LEAST_POINTS
from autourdf_ros.geometry.arrays import Array
from autourdf_ros.geometry.rigid_motion import revolute_twist

LEAST_ROUND = 2 * LEAST_POINTS  # on its side, about most of the axes that were found there
SIDE = np.cos(np.radians(60.0))  # of the angle between such a normal and the axis, at most
SAME = np.radians(15.0)  # between the axes of an end and of its link's own joint, if they are one


@dataclass(frozen=True)
class HiddenEnd:
    """The end of a last link that could turn by itself unseen.

    Attributes:
        link: number of the link.
        points: of the reference, how many.
    """

    link: int
    points: int


def hidden_ends(
    frames: FrameSet, model: Articulation, states: States, labels: NDArray[np.int64]
) -> tuple[HiddenEnd, ...]:
    """Return the largest such end of every last link that has one.

    A flat end alone, which turns in itself, is none: it needs a side, whose normals point away from
    the axis.

    Args:
        frames: the reference and F frames.
        model: the J joints.
        states: of the model in the F frames.
        labels: (N,) links of the reference's points.
    """
    turns = np.abs(states.values[:, model.revolute])
    if not turns.size or np.ptp(turn := np.median(turns, axis=1)) < SHOWING:
        return ()
    poses = body_poses(model, states.values, states.base)
    found = []
    for link in sorted(set(range(1, len(model.parents) + 1)) - set(model.parents.tolist())):
        own = np.flatnonzero(labels == link)
        if len(own) < 2 * LEAST_POINTS:
            continue
        ends = [
            (side, len(end))
            for side, end, axis in _ends(frames, poses[:, link], own, turn)
            if not _turns(frames, model, link, end, axis)
        ]
        # Nearly the same axis is found from several places: one of them may be good by chance.
        if ends and np.median([side for side, _ in ends]) >= LEAST_ROUND:
            found.append(HiddenEnd(link, max(points for _, points in ends)))
    return tuple(found)


def _ends(
    frames: FrameSet, poses: Array, own: NDArray[np.int64], turn: Array
) -> Iterator[tuple[int, NDArray[np.int64], Array]]:
    """Ends of a link that show no turn: points on their sides, all, unit directions of their axes.

    poses: (F, 4, 4) of the link. own: numbers of its points. turn: (F,) angles (rad).
    """
    reference = frames.reference
    points, normals = reference.points[own], reference.normals[own]
    axes = round_axes(points, normals, reference.spacing, most=1.0)
    for axis, place in zip(*axes, strict=True):
        twist = revolute_twist(axis, place)
        saved = [saved_by_turning(frames, poses, own, twist, sign * turn) for sign in (1, -1)]
        end = unseen_end(-np.mean(saved, axis=0), (points - place) @ axis)
        side = int((np.abs(normals[end] @ axis) < SIDE).sum())
        if side >= LEAST_POINTS and turns_in_place(frames, twist, own[end]):
            yield side, own[end], axis


def _turns(
    frames: FrameSet, model: Articulation, link: int, end: NDArray[np.int64], axis: Array
) -> bool:
    """Whether an end turns about its axis by the joint that its link hangs on."""
    if not model.revolute[link - 1]:
        return False
    twist = model.twists[link - 1] / np.linalg.norm(model.twists[link - 1, :3])
    return abs(twist[:3] @ axis) > np.cos(SAME) and turns_in_place(frames, twist, end)
