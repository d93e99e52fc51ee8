"""Fit friction, damping and armature of a robot to a recording, and predict what is held out."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.data.efforts.effort_recording import EffortRecording
from autourdf_ros.errors import InputError
from autourdf_ros.estimation.dynamics.mechanism.simulated_mechanism import Mechanism
from autourdf_ros.estimation.dynamics.posterior.dynamics_posterior import DynamicsPosterior
from autourdf_ros.estimation.dynamics.posterior.laplace_posterior import laplace_posterior
from autourdf_ros.estimation.dynamics.posterior.sensitivity_report import (
    Identifiability,
    identifiability,
)
from autourdf_ros.estimation.dynamics.robot.motion_prediction import (
    BY_STAMP,
    MotionPrediction,
    predict_motions,
)
from autourdf_ros.estimation.dynamics.robot.recorded_motions import (
    CuttingOptions,
    fitted_motions,
    predicted_motions,
    resistance_levels,
)
from autourdf_ros.estimation.dynamics.shooting.map_fit import fit_motions
from autourdf_ros.estimation.dynamics.shooting.shooting_fit import ShootingFit
from autourdf_ros.progress import Progress, part, silent

Array = NDArray[np.float64]


@dataclass(frozen=True)
class RobotDynamics:
    """What a recording says of a robot's joints.

    Attributes:
        posterior: Of the free parameters, by the motions' own scatter.
        identifiability: What determines them.
        prediction: Of held-out motions.
        duration: Of these (s).
        fit: With residuals.
    """

    posterior: DynamicsPosterior
    identifiability: Identifiability
    prediction: MotionPrediction
    duration: float
    fit: ShootingFit


def fit_robot(
    mechanism: Mechanism,
    recording: EffortRecording,
    options: CuttingOptions = CuttingOptions(),  # noqa: B008  (frozen)
    progress: Progress = silent,
) -> RobotDynamics:
    """Fit a robot's free parameters.

    The prior of damping and friction is about a share of the recorded efforts.

    Raises:
        InputError: the recording is too short or not of these joints, or the efforts do not move
            the robot as recorded.
    """
    data, held_out = fitted_motions(recording, options), predicted_motions(recording, options)
    levels = resistance_levels(recording, options)
    table = mechanism.table
    known = {name: level for name, level in levels.items() if name in table.names}
    mechanism = mechanism.with_table(table.with_values(known))
    fit = fit_motions(mechanism, data, BY_STAMP, part(progress, 0.0, 0.9))
    posterior = laplace_posterior(fit)
    if len(data.motions) > len(posterior.mean):
        posterior = replace(posterior, covariance=_scattered(fit))
    progress("predict", 0.9)
    prediction = predict_motions(mechanism, posterior.mean, held_out)
    if not np.isfinite(prediction.predicted).all():
        raise InputError(
            f"{recording.source}: the robot does not move as recorded under these efforts; "
            "accepted are efforts in N m or N, with the joints' signs"
        )
    return RobotDynamics(
        posterior,
        identifiability(posterior, True),
        prediction,
        float(np.ptp(held_out.ahead.motions[0].stamps)),
        fit,
    )


def _scattered(fit: ShootingFit) -> Array:
    """Covariance (P, P) by how the motions' gradients scatter, never less than Laplace's.

    Errors of efforts make residuals of one motion depend on each other, but not on those of another
    one (Huber's sandwich with clusters; Liang and Zeger, Biometrika 1986).
    """
    own = fit.solved.covariance
    scores = fit.solved.scores
    count, size = scores.shape
    table = fit.rollout.mechanism.table
    middle = scores.T @ scores * count / (count - 1) + np.linalg.inv(table.prior_covariance)
    spread = own @ middle @ own
    ratio = np.sqrt(np.maximum(np.diag(spread) / np.diag(own), 1.0))
    scale = ratio * np.sqrt(np.diag(own) / np.diag(spread))
    widened = scale[:, None] * spread * scale
    return np.asarray((widened + widened.T) / 2).reshape(size, size)
