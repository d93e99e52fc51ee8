"""Joints that follow another: moved by one motor, or in a linear relation that every frame shows.

Two joints of their own may move alike by chance, in few frames or where a robot was moved along
straight lines through its joint space. So a relation that holds is weighed against each joint
moving by itself, by the ratio of both explanations' probabilities (Kass and Raftery, 1995, with
the relation's two numbers integrated out). As a probability ratio exceeds K by chance at most once
in K times (Markov's inequality), it bounds how often joints are wrongly taken for followers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cho_factor, cho_solve
from scipy.special import chdtri  # scipy.stats takes longer to import than all else here

from autourdf_ros.estimation.motion.fitting.motors import GEAR_TOLERANCE
from autourdf_ros.estimation.motion.reconstruction import SequenceMotion
from autourdf_ros.geometry.arrays import Array
from autourdf_ros.model.layers.kinematics import MotorMatch
from autourdf_ros.model.limits.joint_limits import following
from autourdf_ros.model.self_model import Joint
from autourdf_ros.model.tree_joint import Mimic

CHANCE = 0.01  # of any two joints of a robot wrongly taken for a joint and its follower
# Of the ratio of two joints' steps, from leg to leg, where each moves by itself: steps drawn within
# a factor of two vary by 0.19, which is the least, as such joints also turn round by themselves.
OWN_MOTION = 0.2
OPTIMISM = 2.0  # factor by which the joint values' standard deviations may be too small
REACH = 4.0  # standard deviations that a frame may be off the relation
SAME_OFFSET = 3.0  # standard deviations within which an offset is none
SAME_DIRECTION = 0.05  # of a joint's rms step: steps that differ by less are of one direction
SURE = 0.999  # that steps taken as different are of different directions
FITS = 3


@dataclass(frozen=True)
class JointPaths:
    """Values of J joints in the F frames that the model was adjusted to, less the reference frame.

    Held-out frames are not among them: they were fitted to fewer surfaces, whose errors their
    standard deviations do not cover.

    Attributes:
        values, stds: (F, J) rad or m.
        starts: (F,) bool, first frames of their sequences.
        reference: (J,) values in the reference frame, where every path begins.
    """

    values: Array
    stds: Array
    starts: NDArray[np.bool_]
    reference: Array

    @property
    def steps(self) -> Array:
        """(F, J) from the frame before to every frame; to a sequence's first from the reference."""
        before = np.vstack([self.reference, self.values[:-1]])
        before[self.starts] = self.reference
        return self.values - before


def joint_paths(motions: Sequence[SequenceMotion]) -> JointPaths:
    """Return what sequences show of the joints' motion; the first frame of all is the reference."""
    values, stds, starts = [], [], []
    for motion in motions:
        known = np.isfinite(motion.joint_stds).all(axis=1) & (motion.joint_stds > 0).all(axis=1)
        chosen = motion.used & ~motion.held_out & known
        values.append(motion.joint_values[chosen])
        stds.append(motion.joint_stds[chosen])
        starts.append(np.arange(chosen.sum()) == 0)
    return JointPaths(
        np.vstack(values), np.vstack(stds), np.concatenate(starts), motions[0].joint_values[0]
    )


@dataclass(frozen=True)
class Relation:
    """follower = multiplier * master + offset (rad or m).

    Attributes:
        log_evidence: Natural logarithm of the ratio of the frames' probabilities by it and by two
            joints that each move by themselves; -inf where it does not hold in every frame.
    """

    multiplier: float
    offset: float
    log_evidence: float


def relation(paths: JointPaths, master: int, follower: int, *, same_unit: bool) -> Relation:
    """Fit the linear relation of two joints, by their indices.

    Args:
        same_unit: Whether both turn or both slide; then a multiplier near 1 in size is exactly 1
            where that holds in every frame, too.
    """
    x, y = paths.values[:, master], paths.values[:, follower]
    if len(x) < 3 or np.ptp(x) <= 0:
        return Relation(0.0, 0.0, -np.inf)
    variances = paths.stds**2
    line = _line(x, y, variances[:, master], variances[:, follower])
    if same_unit and abs(abs(line.multiplier) - 1) < GEAR_TOLERANCE:
        sign = float(np.sign(line.multiplier))
        even = _line(x, y, variances[:, master], variances[:, follower], sign)
        line = even if even.holds else line
    if not line.holds:
        return Relation(line.multiplier, line.offset, -np.inf)
    noise = np.diag(line.variances)
    own = OWN_MOTION * line.multiplier * _own_motion(paths, master, follower)
    design = np.stack([x, np.ones_like(x)], axis=1)
    apart = _log_probability(y, design, noise + own @ own.T)
    log_evidence = _log_probability(y, design, noise) - apart
    return Relation(line.multiplier, line.offset, log_evidence)


@dataclass(frozen=True)
class _Line:
    """y = multiplier * x + offset; variances: (F,) of y less that. holds: in every frame."""

    multiplier: float
    offset: float
    variances: Array
    holds: bool


def _line(
    x: Array, y: Array, x_variances: Array, y_variances: Array, multiplier: float | None = None
) -> _Line:
    """Weighted least squares of noisy y on noisy x; the variances rise with what they miss."""
    slope, variances = multiplier or 0.0, y_variances
    for _ in range(FITS):
        weights = 1 / variances
        if multiplier is None:
            off = x - np.average(x, weights=weights)
            slope = float(weights @ (off * y)) / float(weights @ off**2)
        variances = y_variances + slope**2 * x_variances
    offset = float(np.average(y - slope * x, weights=1 / variances))
    if abs(offset) < SAME_OFFSET / np.sqrt((1 / variances).sum()):
        offset = 0.0
    errors = (y - slope * x - offset) / np.sqrt(variances)
    optimism = max(1.0, float(np.sqrt(np.mean(errors**2))))
    holds = optimism <= OPTIMISM and float(np.abs(errors).max()) <= REACH * optimism
    return _Line(slope, offset, optimism**2 * variances, holds)


def _own_motion(paths: JointPaths, master: int, follower: int) -> Array:
    """(F, L) how far a joint gets, in every frame, by unit changes of its ratio in L legs."""
    steps = paths.steps
    others = np.delete(steps, follower, axis=1)
    legs = directions(others, np.delete(np.median(paths.stds, axis=0), follower))
    moved = np.zeros((len(steps), legs.max() + 1))
    moved[np.arange(len(steps)), legs] = steps[:, master]
    starts = np.flatnonzero(paths.starts)
    return np.vstack([part.cumsum(axis=0) for part in np.split(moved, starts[starts > 0])])


def directions(steps: Array, stds: Array) -> NDArray[np.int64]:
    """Return (F,) the number of the direction, back or forth, that each step (F, J) goes in.

    Steps on one straight line show the ratio of two joints' motion only once.

    What is not surely another direction is the same.

    Args:
        stds: (J,) of the joints' values.
    """
    scales = np.sqrt(2 * stds**2 + SAME_DIRECTION**2 * np.mean(steps**2, axis=0))
    scaled = steps / np.maximum(scales, 1e-12)
    products = scaled @ scaled.T
    lengths = products.diagonal()
    # The smaller eigenvalue of the products of two steps: how far they are off one line.
    spread = np.sqrt((lengths[:, None] - lengths) ** 2 + 4 * products**2)
    apart = (lengths[:, None] + lengths - spread) / 2
    least = chdtri(steps.shape[1] - 1, 1 - SURE) if steps.shape[1] > 1 else np.inf
    leaders: list[int] = []
    numbers = np.zeros(len(steps), dtype=np.int64)
    for step in np.argsort(-lengths, kind="stable").tolist():
        near = np.flatnonzero(apart[step, leaders] <= least)
        numbers[step] = near[0] if len(near) else len(leaders)
        if not len(near):
            leaders.append(step)
    return numbers


def _log_probability(y: Array, design: Array, covariance: Array) -> float:
    """Of y (F,) = design (F, 2) * anything + noise, but for a constant (restricted likelihood)."""
    factor = cho_factor(covariance, lower=True)
    weighted = cho_solve(factor, design)
    normal = design.T @ weighted
    rest = y - design @ np.linalg.solve(normal, weighted.T @ y)
    cost = float(rest @ cho_solve(factor, rest))
    size = 2 * np.log(factor[0].diagonal()).sum() + np.linalg.slogdet(normal)[1]
    return -0.5 * (cost + float(size))


def with_mimics(
    joints: Sequence[Joint], motions: Sequence[SequenceMotion], coupled: NDArray[np.bool_]
) -> tuple[Joint, ...]:
    """Return the joints, with `mimic` set for those that follow another, and limits to suit.

    What is followed follows none. Joints of one motor follow the one that bears its name; those of
    two motors never follow one another; others where their relation holds and is likelier than
    `CHANCE` allows, given how many pairs there are.

    Args:
        coupled: (J, J) pairs that one motor may well move, judged among themselves.
    """
    paths = joint_paths(motions)
    # Those that may be followed first: that bear their motor's name, that have one, the others.
    order = sorted(range(len(joints)), key=lambda j: (_rank(joints[j]), j))
    found: dict[int, Mimic] = {}
    for place, j in enumerate(order):
        masters = [i for i in order[:place] if i not in found]
        if _motor(joints[j]) is None:
            mimic = _seen(joints, paths, j, masters, coupled)
        else:
            mimic = _by_motor(joints, j, masters)
        if mimic is not None:
            found[j] = mimic
    by_name = {joint.name: joint for joint in joints}
    return tuple(
        following(replace(joint, mimic=found[j]), by_name[found[j].joint]) if j in found else joint
        for j, joint in enumerate(joints)
    )


def _seen(
    joints: Sequence[Joint],
    paths: JointPaths,
    follower: int,
    masters: Sequence[int],
    coupled: NDArray[np.bool_],
) -> Mimic | None:
    """The likeliest relation to one of the masters that is likely enough."""
    pairs = len(joints) * (len(joints) - 1) // 2
    best, found = 0.0, None
    for i in masters:
        same_unit = (joints[i].type == "prismatic") == (joints[follower].type == "prismatic")
        seen = relation(paths, i, follower, same_unit=same_unit)
        rivals = coupled.sum() / 2 if coupled[i, follower] else pairs
        if seen.log_evidence > max(best, float(np.log(rivals / CHANCE))):
            best, found = seen.log_evidence, Mimic(joints[i].name, seen.multiplier, seen.offset)
    return found


def _by_motor(joints: Sequence[Joint], follower: int, masters: Sequence[int]) -> Mimic | None:
    """What a joint does when another of its motor's does what the motor's reading says."""
    own = _motor(joints[follower])
    for i in masters:
        its = _motor(joints[i])
        if own is not None and its is not None and its.name == own.name:
            offset = (its.offset - own.offset) / own.ratio
            return Mimic(joints[i].name, its.ratio / own.ratio, offset)
    return None


def _motor(joint: Joint) -> MotorMatch | None:
    return None if joint.estimate is None else joint.estimate.motor


def _rank(joint: Joint) -> int:
    motor = _motor(joint)
    if motor is None:
        return 2
    return 0 if motor.name == joint.name else 1
