"""Whether whole parts are free to move along axes, and blocked elsewhere."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.estimation.parts.contact.prepared_part import PreparedPart
from autourdf_ros.estimation.parts.symmetry.proposals.axes import Axes
from autourdf_ros.estimation.parts.symmetry.ranking.self_symmetry import (
    deeper,
    depths,
    motions,
    moved,
)
from autourdf_ros.estimation.parts.symmetry.symmetry_options import SymmetryOptions

Array = NDArray[np.float64]


def free_motion(
    first: PreparedPart, second: PreparedPart, axes: Axes, options: SymmetryOptions
) -> dict[str, Array]:
    """Measure every axis (K,) of one kind: all turn or all slide.

    Returns:
        hit_min, hit_max: Of both senses of the motion, the share of the moved part's samples that
            goes into the other part, averaged over the amounts; of the smaller part.
    """
    slides = bool(len(axes)) and bool(axes.slides[0])
    mover, other = sorted((first, second), key=lambda part: part.diagonal)
    steps = np.array(options.free_slides if slides else options.free_turns)
    count = len(steps)
    poses = motions(axes, np.concatenate([-steps, steps]), mover.diagonal)
    alike = options.alike * mover.diagonal
    entered = np.zeros((len(axes), 2 * count))
    for part, against, way in ((mover, other, poses), (other, mover, _inverse(poses))):
        points = part.samples.points[: options.turned]
        before = depths(against, points)
        entered += deeper(against, moved(way, points), before + alike).mean(axis=2)
    senses = np.stack([entered[:, :count].mean(axis=1), entered[:, count:].mean(axis=1)])
    return {"hit_min": senses.min(axis=0), "hit_max": senses.max(axis=0)}


def _inverse(poses: Array) -> Array:
    count = poses.shape[1] // 2
    return np.concatenate([poses[:, count:], poses[:, :count]], axis=1)
