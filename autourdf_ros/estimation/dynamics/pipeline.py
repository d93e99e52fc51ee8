"""From joint motions to the dynamics of a mechanism: the algorithm at a glance."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.estimation.dynamics.joint_motion_data import JointMotionData
from autourdf_ros.estimation.dynamics.mechanism.simulated_mechanism import Mechanism
from autourdf_ros.estimation.dynamics.posterior.dynamics_posterior import DynamicsPosterior
from autourdf_ros.estimation.dynamics.posterior.laplace_posterior import laplace_posterior
from autourdf_ros.estimation.dynamics.posterior.model_checks import ModelChecks, model_checks
from autourdf_ros.estimation.dynamics.posterior.sensitivity_report import (
    Identifiability,
    identifiability,
)
from autourdf_ros.estimation.dynamics.shooting.map_fit import ShootingFit, fit_motions
from autourdf_ros.estimation.dynamics.shooting.shooting_options import ShootingOptions
from autourdf_ros.progress import Progress, part, silent

Array = NDArray[np.float64]


@dataclass(frozen=True)
class IdentifiedDynamics:
    """What motions say of a mechanism.

    Attributes:
        posterior: Of its parameters; its warnings are those of the checks, too.
        identifiability: What determines them.
        checks: Tests of the model.
        fit: With residuals.
    """

    posterior: DynamicsPosterior
    identifiability: Identifiability
    checks: ModelChecks
    fit: ShootingFit


def identify_dynamics(
    mechanism: Mechanism,
    data: JointMotionData,
    options: ShootingOptions = ShootingOptions(),  # noqa: B008  (frozen)
    progress: Progress = silent,
) -> IdentifiedDynamics:
    """Fit, find what is known from where, and test the model.

    Raises:
        InputError: the data cannot be used with the mechanism.
    """
    fit = fit_motions(mechanism, data, options, part(progress, 0.0, 0.8))
    progress("check", 0.8)
    checks = model_checks(fit, data, options)
    posterior = laplace_posterior(fit)
    posterior = replace(
        posterior,
        covariance=_with_steps(posterior, checks),
        warnings=(*posterior.warnings, *checks.warnings),
    )
    pushed = any(motion.forces is not None and motion.forces.any() for motion in data.motions)
    return IdentifiedDynamics(posterior, identifiability(posterior, pushed), checks, fit)


def _with_steps(posterior: DynamicsPosterior, checks: ModelChecks) -> Array:
    """Covariance (P, P) that counts what half the time step changes as one more uncertainty."""
    if not np.isfinite(checks.step_shifts).all():
        return posterior.covariance
    change = checks.step_shifts * posterior.stds
    return np.asarray(posterior.covariance + np.outer(change, change))
