"""Joint angles of a robot in images, and whether they can be trusted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.errors import InputError
from autourdf_ros.estimation.appearance.fitting.posed_image import PosedImage
from autourdf_ros.estimation.appearance.held_out_images import held_out_errors, psnr
from autourdf_ros.estimation.appearance.pose.configuration_search import (
    Minimum,
    difference,
    distinct,
    limits,
    search_pose,
)
from autourdf_ros.estimation.appearance.pose.pose_information import pose_covariance
from autourdf_ros.estimation.appearance.pose.pose_options import PoseOptions
from autourdf_ros.estimation.appearance.pose.splat_robot import SplatRobot
from autourdf_ros.geometry.arrays import Array
from autourdf_ros.model.layers.layer import Verdict
from autourdf_ros.progress import Progress, part, silent


@dataclass(frozen=True)
class ExpectedErrors:
    """How well the splats draw images that they were not fitted to, at recorded joint values.

    Attributes:
        psnr: Least of the robot's pixels (dB).
        overlap: Least intersection over union of the masks.
    """

    psnr: float
    overlap: float


@dataclass(frozen=True)
class PoseEstimate:
    """Joint values that images show.

    Attributes:
        names: (K,) of the free joints.
        slides: (K,) whether one is prismatic.
        free: (K,) their values (rad or m).
        covariance: (K, K) of them.
        shown: (K,) whether the images determine a joint; none where they are not met.
        minima: Distinct ones, the best first.
        psnr: Of the robot's pixels there (dB).
        overlap: Of drawn and recorded masks, intersection over union.
        verdict: Whether the values can be trusted.
    """

    names: tuple[str, ...]
    slides: NDArray[np.bool_]
    free: Array
    covariance: Array
    shown: NDArray[np.bool_]
    minima: tuple[Minimum, ...]
    psnr: float
    overlap: float
    verdict: Verdict

    @property
    def stds(self) -> Array:
        """(K,) standard deviations (rad or m)."""
        return np.sqrt(np.diag(self.covariance))


def estimate_pose(
    robot: SplatRobot,
    images: Sequence[PosedImage],
    expected: ExpectedErrors,
    options: PoseOptions = PoseOptions(),  # noqa: B008  (frozen)
    start: Array | None = None,
    progress: Progress = silent,
) -> PoseEstimate:
    """Find the values of the free joints in images of one configuration.

    Args:
        robot: With K free joints.
        images: With masks; their links' poses are not used.
        expected: Of images that were held out of the fit of the splats.
        options: All constants.
        start: (K,) values near which the robot is, or None.
        progress: Is called with stage and fraction.

    Raises:
        InputError: The robot has no joint, or is in no mask.
    """
    if not len(robot.free):
        raise InputError("the robot has no joint that moves; accepted is a model with one")
    if not any(image.mask.any() for image in images):
        raise InputError("the robot is in no mask; accepted are images that show it")
    minima: list[Minimum] = []
    for attempt in range(options.attempts):
        own = replace(options, seed=options.seed + attempt)
        share = part(progress, 0.0, 0.9 * (attempt + 1) / options.attempts)
        more = search_pose(robot, images, own, start, share, minima)
        minima = distinct(sorted([*minima, *more], key=lambda one: one.loss), robot, options)
        ratio, overlap = _met(robot, images, minima[0].free)
        if not _badly_met(ratio, overlap, expected, options):
            break
    best = minima[0].free
    progress("assessing the uncertainty", 0.9)
    covariance = pose_covariance(robot, images, best, options)
    most = np.where(robot.slides, options.length, 1.0) * options.shown
    is_met = not _badly_met(ratio, overlap, expected, options)
    found = PoseEstimate(
        robot.names,
        robot.slides,
        best,
        covariance,
        is_met & (np.sqrt(np.diag(covariance)) <= most),
        tuple(minima),
        ratio,
        overlap,
        Verdict("trusted", ()),
    )
    return replace(found, verdict=_judged(found, robot, expected, options))


def _met(robot: SplatRobot, images: Sequence[PosedImage], free: Array) -> tuple[float, float]:
    """Return PSNR of the robot's pixels (dB), and the least overlap of masks."""
    poses = robot.gaussians(free)[2]
    here = [replace(image, poses=poses) for image in images]
    errors = held_out_errors(robot.splats, robot.links, here)
    return float(psnr(float(np.nanmean(errors.robot)))), float(np.nanmin(errors.overlap))


def _badly_met(
    ratio: float, overlap: float, expected: ExpectedErrors, options: PoseOptions
) -> list[str]:
    """Return why a configuration is not the images', or nothing."""
    reasons = []
    if ratio < expected.psnr - options.loss_of_quality:
        reasons.append(
            f"the robot's pixels are met with {ratio:.1f} dB, held-out images of the fit with "
            f"{expected.psnr:.1f} dB or more: this is not the configuration, or not this robot, "
            "camera or light"
        )
    if overlap < expected.overlap - options.loss_of_overlap:
        reasons.append(
            f"drawn and recorded masks overlap by {overlap:.0%}, those of held-out images of "
            f"the fit by {expected.overlap:.0%} or more"
        )
    return reasons


def _judged(
    found: PoseEstimate, robot: SplatRobot, expected: ExpectedErrors, options: PoseOptions
) -> Verdict:
    reasons = _badly_met(found.psnr, found.overlap, expected, options)
    if reasons:
        return Verdict("doubtful", tuple(reasons))
    reasons += _rivals(found, robot, options)
    unseen = [name for name, shown in zip(found.names, found.shown, strict=True) if not shown]
    if unseen:
        reasons.append(f"the images do not determine {', '.join(unseen)}")
    lower, upper = limits(robot)
    margin = 1e-4
    ends = (found.free < lower + margin) | (found.free > upper - margin)
    if (ends & found.shown).any():
        names = ", ".join(np.array(found.names)[ends & found.shown])
        reasons.append(
            f"at the end of its range is {names}: it may be beyond what the model allows"
        )
    return Verdict("doubtful" if reasons else "trusted", tuple(reasons))


def _rivals(found: PoseEstimate, robot: SplatRobot, options: PoseOptions) -> list[str]:
    """Return a sentence on other configurations that look nearly alike, or nothing."""
    best = found.minima[0]
    alike = [
        other
        for other in found.minima[1:]
        if other.loss < options.rival * best.loss
        and (difference(best, other, robot, options) > options.same)[found.shown].any()
    ]
    if not alike:
        return []
    first = alike[0]
    values = ", ".join(f"{n} {v:.3f}" for n, v in zip(found.names, first.free, strict=True))
    count = f", and {len(alike) - 1} more" if len(alike) > 1 else ""
    return [
        f"another configuration looks nearly alike (loss {first.loss / best.loss:.2f} times as "
        f"much): {values}{count}"
    ]
