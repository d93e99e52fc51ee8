"""What stops a small motion along axes: the surfaces in the contact."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.estimation.parts.contact.contact_region import ContactRegion
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
DIRECTIONS = 8
"""Directions across an axis in which a part is pushed."""


def contact_stops(
    first: PreparedPart,
    second: PreparedPart,
    region: ContactRegion,
    axes: Axes,
    options: SymmetryOptions,
) -> dict[str, Array]:
    """Measure every axis (K,) of one kind: all turn or all slide.

    Returns:
        stop_min, stop_max: Of both senses of a small motion, how much of the contact stops it, in
            [0, 1].
        blocked: Of slides, the share of the directions across in which a push is stopped.
        closed: Of slides, how much the least stopped of these is stopped.
    """
    smaller = min(first.diagonal, second.diagonal)
    if len(axes) and axes.slides[0]:
        ahead = axes.directions[:, None]
        pushes = np.concatenate([-ahead, ahead, _across(axes.directions)], axis=1)
        poses = np.tile(np.eye(4), (*pushes.shape[:2], len(options.pushes), 1, 1))
        steps = np.array(options.pushes) * smaller
        poses[..., :3, 3] = pushes[:, :, None] * steps[:, None]
        stopped = _stopped(first, second, region, poses, steps, options).max(axis=2)
        across = stopped[:, 2:]
        senses = stopped[:, :2]
        sideways = {"blocked": across.mean(axis=1), "closed": across.min(axis=1)}
    else:
        steps = np.array(options.small_turns)
        poses = motions(axes, np.concatenate([-steps, steps]), 1.0)
        poses = poses.reshape(len(axes), 2, len(steps), 4, 4)
        lengths = np.full(len(steps), options.pushes[0] * smaller)
        senses = _stopped(first, second, region, poses, lengths, options).max(axis=2)
        sideways = {name: np.zeros(len(axes)) for name in ("blocked", "closed")}
    return {"stop_min": senses.min(axis=1), "stop_max": senses.max(axis=1), **sideways}


def _across(directions: Array) -> Array:
    """Unit vectors (K, DIRECTIONS, 3) across directions (K, 3)."""
    helpers = np.eye(3)[np.abs(directions).argmin(axis=1)]
    one = np.cross(directions, helpers)
    one /= np.linalg.norm(one, axis=1, keepdims=True)
    two = np.cross(directions, one)
    angles = np.arange(DIRECTIONS)[None, :, None] * 2 * np.pi / DIRECTIONS
    return np.asarray(np.cos(angles) * one[:, None] + np.sin(angles) * two[:, None])


def _stopped(
    first: PreparedPart,
    second: PreparedPart,
    region: ContactRegion,
    poses: Array,
    lengths: Array,
    options: SymmetryOptions,
) -> Array:
    """How much of the contact enters the other part (...) when the second is moved by poses.

    Args:
        first: A part.
        second: The one that is moved.
        region: Their contact.
        poses: (..., A, 4, 4).
        lengths: (A,) of the motions (m), of which a part counts as entering.
        options: Of the method.
    """
    back = np.asarray(np.linalg.inv(poses), np.float64)
    shares = np.zeros(poses.shape[:-2])
    for other, side, ways in (
        (first, region.second, poses),
        (second, ~region.second, back),
    ):
        points = region.points[side][: options.pushed]
        if not len(points):
            continue
        before = depths(other, points)
        limits = before + options.entered * lengths[:, None]
        entered = deeper(other, moved(ways, points), limits)
        shares += entered.mean(axis=-1)
    return np.asarray(np.minimum(shares / options.stopping, 1.0))
