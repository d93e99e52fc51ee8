"""How far a joint moves before the parts that it moves collide with the rest."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.estimation.parts.assembly_trace import JointCandidate
from autourdf_ros.estimation.parts.contact.prepared_part import PreparedPart
from autourdf_ros.estimation.parts.ranges.range_options import RangeOptions
from autourdf_ros.estimation.parts.ranges.subtree_penetration import Cut
from autourdf_ros.geometry.rigid_motion import exp_se3, from_translation, revolute_twist

FULL_TURN = 2 * np.pi

Motions = Callable[[NDArray[np.float64]], NDArray[np.float64]]


def with_range(
    joint: JointCandidate,
    moving: Sequence[PreparedPart],
    still: Sequence[PreparedPart],
    joined: tuple[int, int],
    options: RangeOptions = RangeOptions(),  # noqa: B008  (frozen)
) -> JointCandidate:
    """Return a joint with its collision-free range; the given pose is at zero.

    A step collides where more samples of a part penetrate another one than in the given pose: so
    contact does not stop a joint. Nor does a part that overlaps in the given pose with what moves.
    A revolute joint that turns fully has infinite limits. A prismatic joint ends where what it
    moves leaves the rest along the axis.

    Args:
        joint: Between a moving part and one that stands still.
        moving: All parts that it moves.
        still: All other parts.
        joined: Numbers of the part that it joins, of those that stand still and that move.
        options: Of the ranges.
    """
    if joint.type == "fixed":
        return replace(joint, lower=0.0, upper=0.0)
    cut = Cut(moving, still, joined, options)
    motions = joint_motions(joint)
    if joint.type == "revolute":
        ends, step = (-FULL_TURN, FULL_TURN), options.turn
    else:
        ends = _overlap(joint.axis, moving, still)
        step = options.slide * _length(joint.axis, moving)
    upper = _free(cut, motions, 1.0, ends[1], step)
    if joint.type == "revolute" and upper >= FULL_TURN:
        return replace(joint, lower=-np.inf, upper=np.inf)
    return replace(joint, lower=-_free(cut, motions, -1.0, -ends[0], step), upper=upper)


def joint_motions(joint: JointCandidate) -> Motions:
    """Return the motions (A, 4, 4) of a joint by its values (A,) from the given pose."""
    if joint.type == "revolute":
        twist = revolute_twist(joint.axis, joint.point)
        return lambda values: exp_se3(values[:, None] * twist)
    return lambda values: from_translation(values[:, None] * joint.axis)


def _free(cut: Cut, motions: Motions, sign: float, end: float, step: float) -> float:
    """How far the joint moves in one direction without a collision, at most to the end."""
    options = cut.options
    values = np.append(np.arange(step, end, step), end) if end > 0 else np.empty(0)
    for start in range(0, len(values), options.chunk):
        asked = values[start : start + options.chunk]
        stopped = np.flatnonzero(cut.collides(motions(sign * asked)))
        if len(stopped):
            first = start + int(stopped[0])
            return float(values[first - 1]) if first else 0.0
    return float(end)


def _extent(axis: NDArray[np.float64], parts: Sequence[PreparedPart]) -> tuple[float, float]:
    """Least and greatest coordinate of parts along an axis (m)."""
    along = np.concatenate([part.samples.points @ axis for part in parts])
    return float(along.min()), float(along.max())


def _length(axis: NDArray[np.float64], parts: Sequence[PreparedPart]) -> float:
    lower, upper = _extent(axis, parts)
    return upper - lower


def _overlap(
    axis: NDArray[np.float64], moving: Sequence[PreparedPart], still: Sequence[PreparedPart]
) -> tuple[float, float]:
    """How far parts slide, backwards and forwards, until they leave the rest along the axis."""
    (first, last), (lower, upper) = _extent(axis, moving), _extent(axis, still)
    length = last - first
    return max(lower - last, -length), min(upper - first, length)
