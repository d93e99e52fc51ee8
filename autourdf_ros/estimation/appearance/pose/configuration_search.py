"""Searches the configuration in which a robot, drawn with its splats, looks like its images.

Many starts are compared at a small size of the images; the best are refined there by descent
(L-BFGS-B within the joints' limits, Byrd et al., 1995), and ever fewer at larger sizes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.optimize import minimize

from autourdf_ros.estimation.appearance.fitting.posed_image import PosedImage
from autourdf_ros.estimation.appearance.pose.pose_loss import pose_loss, pose_slope
from autourdf_ros.estimation.appearance.pose.pose_options import PoseOptions
from autourdf_ros.estimation.appearance.pose.splat_robot import SplatRobot
from autourdf_ros.geometry.arrays import Array
from autourdf_ros.parallel import on_all_cores
from autourdf_ros.progress import Progress, silent

COARSE, FINE = 1e-4, 1e-6
"""Shares of the loss at the start that a step of the descent must gain, before the last size and at
it."""


@dataclass(frozen=True)
class Minimum:
    """A configuration that no small change improves.

    Attributes:
        free: (K,) values of the free joints (rad or m).
        loss: Of the images there.
    """

    free: Array
    loss: float


def search_pose(
    robot: SplatRobot,
    images: Sequence[PosedImage],
    options: PoseOptions,
    start: Array | None = None,
    progress: Progress = silent,
    known: Sequence[Minimum] = (),
) -> list[Minimum]:
    """Return distinct minima at the full size of the images, the best first.

    Args:
        robot: With K free joints.
        images: All of one configuration.
        options: All constants.
        start: (K,) values near which the robot is, or None.
        progress: Is called with stage and fraction.
        known: Minima of an earlier search, of which configurations are drawn anew, too.
    """
    sizes = [list(images)]
    while min(one.camera.width for one in sizes[-1]) >= 2 * options.smallest:
        sizes.append([one.halved() for one in sizes[-1]])
    rng = np.random.default_rng(options.seed)
    starts = _starts(robot, options, start, rng)
    found: list[Minimum] = []
    for number, own in enumerate(reversed(sizes)):
        progress("searching the joints' values", number / len(sizes))
        is_last = number == len(sizes) - 1
        step = 1 if is_last else max(1, options.thinned // 4**number)
        descent = _Descent(robot if step == 1 else robot.thinned(step), own, options)
        kept = options.kept[min(number, len(options.kept) - 1)]
        starts = [one.free for one in found[:kept]] if number else descent.best(starts, kept)
        tolerance = FINE if is_last else COARSE
        found = descent.minima(starts, tolerance)
        if number == min(1, len(sizes) - 1):
            others = _redrawn([*known, *found][: options.redrawn_of], options, robot, rng)
            found += descent.minima(descent.best(others, options.refined), tolerance)
            found = distinct(sorted(found, key=lambda one: one.loss), robot, options)
    return found


@dataclass(frozen=True)
class _Descent:
    """Images of one size, and the robot as it is drawn beside them."""

    robot: SplatRobot
    images: list[PosedImage]
    options: PoseOptions

    def best(self, starts: Sequence[Array], count: int) -> list[Array]:
        """Return the configurations of the least loss, the best first."""
        losses = on_all_cores(lambda one: pose_loss(self.robot, self.images, one), starts)
        return [starts[index] for index in np.argsort(losses)[:count]]

    def minima(self, starts: Sequence[Array], tolerance: float) -> list[Minimum]:
        """Return the distinct minima below configurations, the best first."""
        found = on_all_cores(lambda one: self._below(one, tolerance), starts)
        found.sort(key=lambda one: one.loss)
        found = [one for one in found if one.loss <= self.options.hopeless * found[0].loss]
        return distinct(found, self.robot, self.options)

    def _below(self, start: Array, tolerance: float) -> Minimum:
        scale = scales(self.robot, self.options)
        unit = max(pose_loss(self.robot, self.images, start), 1e-9)

        def scaled(values: Array) -> tuple[float, Array]:
            loss, slope = pose_slope(self.robot, self.images, values * scale)
            return loss / unit, slope * scale / unit

        found = minimize(
            scaled,
            start / scale,
            jac=True,
            method="L-BFGS-B",
            bounds=np.transpose(limits(self.robot)) / scale[:, None],
            options={"maxiter": self.options.steps, "ftol": tolerance, "gtol": 1e-6},
        )
        return Minimum(found.x * scale, float(found.fun) * unit)


def distinct(minima: Sequence[Minimum], robot: SplatRobot, options: PoseOptions) -> list[Minimum]:
    """Return the minima without those that are, in all joints, near one that comes before."""
    kept: list[Minimum] = []
    for one in minima:
        if all(difference(one, other, robot, options).max() > options.same for other in kept):
            kept.append(one)
    return kept


def difference(one: Minimum, other: Minimum, robot: SplatRobot, options: PoseOptions) -> Array:
    """Return (K,) by how much two configurations differ, in rad or as many `length`."""
    apart = (one.free - other.free) / scales(robot, options)
    apart = np.where(robot.slides, apart, (apart + np.pi) % (2 * np.pi) - np.pi)
    return np.abs(apart)


def scales(robot: SplatRobot, options: PoseOptions) -> Array:
    """Return (K,) what counts as 1 of each free joint."""
    return np.where(robot.slides, options.length, 1.0)


def limits(robot: SplatRobot) -> tuple[Array, Array]:
    """Return least and greatest values (K,) of the free joints, infinite where there are none."""
    joints = [robot.tree.joints[number] for number in robot.free]
    return np.array([one.lower for one in joints]), np.array([one.upper for one in joints])


def _starts(
    robot: SplatRobot, options: PoseOptions, start: Array | None, rng: np.random.Generator
) -> list[Array]:
    low, high = _span(robot, options)
    anywhere = rng.uniform(low, high, (options.starts, len(low)))
    if start is None:
        return [robot.tree.reference_values[robot.free].clip(low, high), *anywhere]
    around = round(options.near * options.starts)
    spread = options.spread * scales(robot, options)
    near = start + rng.normal(size=(around, len(low))) * spread
    lower, upper = limits(robot)
    return [start.clip(lower, upper), *near.clip(lower, upper), *anywhere[around:]]


def _redrawn(
    minima: Sequence[Minimum], options: PoseOptions, robot: SplatRobot, rng: np.random.Generator
) -> list[Array]:
    """Return configurations with one joint, or one and all after it, anywhere.

    A wrist that is upside down is a minimum of its own, however well the arm stands.
    """
    low, high = _span(robot, options)
    others = []
    for one in minima:
        for _ in range(options.redrawn):
            first = int(rng.integers(len(low)))
            last = first + 1 if rng.integers(2) else len(low)
            other = one.free.copy()
            other[first:last] = rng.uniform(low[first:last], high[first:last])
            others.append(other)
    return others


def _span(robot: SplatRobot, options: PoseOptions) -> tuple[Array, Array]:
    """Return the range (K,), (K,) in which starts are drawn; half a turn about the reference where
    a joint has no limit."""
    lower, upper = limits(robot)
    reference = robot.tree.reference_values[robot.free]
    turn = np.pi * scales(robot, options)
    low = np.where(np.isfinite(lower), lower, reference - turn)
    return low, np.where(np.isfinite(upper), upper, reference + turn)
