"""Parts whose motions explain each other's points are one part."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.estimation.motion.parts.rigid_parts_options import PartsOptions
from autourdf_ros.estimation.motion.registration.frame_set import FrameSet
from autourdf_ros.estimation.motion.segmentation.segmented_bodies import Segmentation, united
from autourdf_ros.geometry.arrays import Array


def united_segments(frames: FrameSet, found: Segmentation, options: PartsOptions) -> Segmentation:
    """Unite parts, the smallest first, with another whose motion explains them as well.

    A piece that was hidden for a while may have been lost there, and moves alike where it is seen.
    The two need not touch: what hides the one may hide what lies between.

    Args:
        frames: Of which the costs are.
        found: Parts.
        options: When two are one.
    """
    while found.count > 1:
        sizes = np.bincount(found.labels[found.labels >= 0], minlength=found.count)
        owners = (
            (body, *_best_owner(frames, found, body, options.lost_share))
            for body in np.argsort(sizes).tolist()
        )
        pair = next(
            ((body, other) for body, other, rise in owners if rise < options.united_cost), None
        )
        if pair is None:
            break
        found = united(frames, found, np.array(pair))
    return found


def _best_owner(frames: FrameSet, found: Segmentation, body: int, lost: float) -> tuple[int, float]:
    """The part whose motion costs the points of another one least, and by how much more.

    Of a share `lost` of the frames, the costs do not count.
    """
    points = found.labels == body
    before = _frame_costs(frames, found.labels, found.bodies.poses, points)
    rises = np.full(found.count, np.inf)
    for other in set(range(found.count)) - {body}:
        poses = found.bodies.poses.copy()
        poses[:, body] = poses[:, other]
        costs = _frame_costs(frames, found.labels, poses, points)
        rises[other] = np.quantile(costs - before, 1.0 - lost)
    best = int(rises.argmin())
    return best, float(rises[best])


def _frame_costs(
    frames: FrameSet, labels: NDArray[np.int64], poses: Array, points: NDArray[np.bool_]
) -> Array:
    """Mean cost (F,) of some points in every frame."""
    return np.array(
        [
            replace(frames, frames=[cloud]).own_costs(labels, own[None])[points].mean()
            for cloud, own in zip(frames.frames, poses, strict=True)
        ]
    )
