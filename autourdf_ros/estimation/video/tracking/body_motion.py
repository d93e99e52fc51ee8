"""Where a body is expected in the next frame."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from autourdf_ros.estimation.video.symmetry.equivalent_poses import nearest_equivalent
from autourdf_ros.estimation.video.tracking.pixels.image_fit import BodyFit, Expected
from autourdf_ros.estimation.video.tracking.pixels.known_body import KnownBody
from autourdf_ros.estimation.video.tracking.track_options import TrackOptions
from autourdf_ros.geometry.arrays import Array
from autourdf_ros.geometry.rigid_motion import log_so3, moved_about, transform

FORGET = 0.2
"""Share of the newest error in the running mean square of the prediction's errors."""
LEAST = 0.02
"""Of a prediction's standard deviation, in that of first poses: nothing moves by less for sure."""

LOSING = 1.5
"""Factor of the mean square error of a prediction with every frame without the body."""
TURNED = 0.5
"""Most standard deviation of a rotation that a body out of sight gets (rad)."""


@dataclass(frozen=True)
class BodyMotion:
    """What is known of a body's motion.

    Attributes:
        body: The body.
        pose: (4, 4) where it was last, in the camera's frame.
        stamp: When (s).
        velocity: (6,) twist about its centre (rad/s, m/s).
        errors: (2,) mean square of the predictions' errors: of the rotation (rad^2) and of the
            centre (m^2), a component each.
    """

    body: KnownBody
    pose: Array
    stamp: float
    velocity: Array
    errors: Array

    def expected(self, stamp: float, options: TrackOptions) -> Expected:
        """Return where the body is expected at a time (s)."""
        twist = self.velocity * (stamp - self.stamp)
        pose = moved_about(self._centre()[None], twist[None], self.pose[None])[0]
        least = LEAST * np.array([options.first_turn, options.first_shift])
        deviations = options.wander * np.maximum(np.sqrt(self.errors), least)
        return Expected(pose, np.repeat(deviations, 3), self.velocity)

    def _centre(self) -> Array:
        return transform(self.pose, self.body.symmetry.centre)

    def after(self, fit: BodyFit, expected: Expected, stamp: float) -> BodyMotion:
        """Return the motion after a frame: its velocity along what the frame shows alone.

        Args:
            fit: Of the frame.
            expected: What was expected in it.
            stamp: When (s).
        """
        pose = nearest_equivalent(self.body.symmetry, fit.pose, expected.pose)
        prior = np.diag(expected.deviations**-2.0)
        shown = np.linalg.solve(fit.information + prior, fit.information)
        error = _twist(self.body, expected.pose, pose)
        velocity = shown @ _twist(self.body, self.pose, pose) / (stamp - self.stamp)
        velocity = self.body.observable(pose) @ velocity
        squares = np.array([(error[:3] ** 2).mean(), (error[3:] ** 2).mean()])
        errors = (1 - FORGET) * self.errors + FORGET * squares
        return replace(self, pose=pose, stamp=stamp, velocity=velocity, errors=errors)

    def unseen(self) -> BodyMotion:
        """Return the motion after a frame that did not show the body: it may be anywhere near."""
        most = np.array([TURNED, self.body.radius]) ** 2
        errors = np.minimum(LOSING * self.errors, np.maximum(most, self.errors))
        return replace(self, velocity=0.5 * self.velocity, errors=errors)


def _twist(body: KnownBody, before: Array, after: Array) -> Array:
    turn = log_so3(after[:3, :3] @ before[:3, :3].T)
    centre = body.symmetry.centre
    return np.concatenate([turn, transform(after, centre) - transform(before, centre)])


def first_motion(body: KnownBody, pose: Array, stamp: float, options: TrackOptions) -> BodyMotion:
    """Return the motion of a body at its first pose: none, but it may begin at once."""
    errors = np.array([options.first_turn, options.first_shift]) ** 2 / options.wander**2
    return BodyMotion(body, pose, stamp, np.zeros(6), errors)
