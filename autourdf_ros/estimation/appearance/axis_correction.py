"""Axes as images and the model together have them, each weighted by what it knows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.estimation.appearance.axis_check import AxisCheck
from autourdf_ros.estimation.appearance.joints.image_joints import AxisCorrections
from autourdf_ros.geometry.arrays import Array

TURN, SHIFT = np.radians(0.05), 3e-4
"""Standard deviation (rad, m) of what is wrong alike in all groups of images: cameras, masks, and
shapes that have not settled."""
GAIN = 2.5
"""Standard errors by which held-out images must be predicted better."""


@dataclass(frozen=True)
class AxisCorrection:
    """Axes that differ from the model's, and whether held-out images are predicted better by them.

    Attributes:
        corrections: Of J axes, in the components of `ImageJoints`.
        covariances: (J, 4, 4) of two turns and two shifts (rad, m); NaN where nothing is known.
        moved: (J,) whether the images show a joint move; the others stay as they are.
        gains: (H,) by which the mean squared error of each held-out image's robot is smaller.
    """

    corrections: AxisCorrections
    covariances: Array
    moved: NDArray[np.bool_]
    gains: Array

    @property
    def gain(self) -> tuple[float, float]:
        """Mean gain of an image, and its standard error; inf for a single one."""
        known = self.gains[np.isfinite(self.gains)]
        if len(known) < 2:
            return 0.0, float("inf")
        return float(known.mean()), float(known.std(ddof=1) / np.sqrt(len(known)))

    @property
    def accepted(self) -> bool:
        """Whether held-out images are surely predicted better."""
        mean, error = self.gain
        return mean > GAIN * error


def combined(
    check: AxisCheck, before: AxisCheck, groups: int, priors: Array
) -> tuple[AxisCorrections, Array]:
    """Return the means and covariances (J, 4, 4) of what images and model say of the axes.

    A few groups say little of their own scatter: the variance is that of Student's distribution.
    What the last round has changed is not surely all that was missing: it counts as a deviation.

    Args:
        check: What the images say, by groups, in the last round.
        before: Likewise, in the round before, from whose means the last one began.
        groups: Their number, at least 4.
        priors: (J, 4, 4) covariances of the model's axes, in the same components; NaN where the
            model does not state one.
    """
    found, earlier = (
        np.hstack([one.corrections.turns, one.corrections.shifts]) for one in (check, before)
    )
    errors = np.hstack([check.errors.turns, check.errors.shifts])
    spread = (groups - 1) / (groups - 3)
    common = np.repeat([TURN, SHIFT], 2) ** 2 + (found - earlier) ** 2
    variances = spread * errors**2 + common
    means, covariances = np.zeros_like(found), np.array(priors, float)
    for joint in np.flatnonzero(check.moved):
        seen = np.diag(1 / variances[joint])
        known = _information(priors[joint])
        covariances[joint] = np.linalg.inv(seen + known)
        means[joint] = covariances[joint] @ seen @ found[joint]
    return AxisCorrections(means[:, :2], means[:, 2:]), covariances


def _information(covariance: Array) -> Array:
    """Return the inverse (4, 4), 0 in the rows that are NaN."""
    found = np.zeros((4, 4))
    rows = np.flatnonzero(np.isfinite(np.diag(covariance)) & (np.diag(covariance) > 0))
    if len(rows):
        inner = np.ix_(rows, rows)
        found[inner] = np.linalg.pinv(np.nan_to_num(covariance[inner]))
    return found
