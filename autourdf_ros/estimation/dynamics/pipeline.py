"""From joint motions to the dynamics of a mechanism: the algorithm at a glance."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from autourdf_ros.estimation.dynamics.joint_motion_data import JointMotionData
from autourdf_ros.estimation.dynamics.mechanism.simulated_mechanism import Mechanism
from autourdf_ros.estimation.dynamics.posterior.dynamics_posterior import DynamicsPosterior
from autourdf_ros.estimation.dynamics.posterior.laplace_posterior import laplace_posterior
from autourdf_ros.estimation.dynamics.posterior.model_checks import (
    CheckLevels,
    ModelChecks,
    model_checks,
    step_shifts,
)
from autourdf_ros.estimation.dynamics.posterior.residual_tests import correlation_times
from autourdf_ros.estimation.dynamics.posterior.sensitivity_report import (
    Identifiability,
    identifiability,
)
from autourdf_ros.estimation.dynamics.posterior.taken_as_exact import (
    Variant,
    solved_with,
    step_change,
    variant_changes,
)
from autourdf_ros.estimation.dynamics.shooting.map_fit import fit_motions, refined, with_correlation
from autourdf_ros.estimation.dynamics.shooting.shooting_fit import ShootingFit
from autourdf_ros.estimation.dynamics.shooting.shooting_options import ShootingOptions
from autourdf_ros.progress import Progress, part, silent


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
    variants: Sequence[Variant] = (),
    levels: CheckLevels = CheckLevels(),  # noqa: B008  (frozen)
) -> IdentifiedDynamics:
    """Fit, find what is known from where, and test the model.

    The time step is halved where that moves parameters. Records that depend on each other over time
    count as fewer, and what is taken as exact widens the posterior.

    Args:
        mechanism: With the prior of its parameters.
        data: Motions.
        options: Of the fit.
        progress: Is called with stage and fraction.
        variants: What mechanism and motions would be if something else were off by one standard
            deviation, each independent of the others.
        levels: When something counts as a doubt.

    Raises:
        InputError: the data cannot be used with the mechanism.
    """
    fit = _fine_enough(mechanism, data, options, part(progress, 0.0, 0.8))
    progress("check", 0.8)
    changes = step_change(fit, data, options).and_also(variant_changes(fit, variants, options))
    checks = model_checks(fit, data, options, changes, levels)
    if not options.stated:
        fit = with_correlation(fit, correlation_times(fit), options)
    posterior = laplace_posterior(fit)
    shifts = solved_with(fit, options, changes).shifts
    posterior = replace(
        posterior,
        covariance=posterior.covariance + shifts @ shifts.T,
        warnings=(*posterior.warnings, *checks.warnings),
    )
    pushed = any(motion.forces is not None and motion.forces.any() for motion in data.motions)
    return IdentifiedDynamics(posterior, identifiability(posterior, pushed), checks, fit)


def _fine_enough(
    mechanism: Mechanism, data: JointMotionData, options: ShootingOptions, progress: Progress
) -> ShootingFit:
    """The fit with a time step that moves no parameter much, if so short a one is allowed."""
    fit = fit_motions(mechanism, data, options, progress)
    for _ in range(options.finer):
        shifts = step_shifts(fit, options, step_change(fit, data, options))
        if np.abs(shifts).max() < options.moved:
            break
        fit = refined(fit, data, options, progress)
    return fit
