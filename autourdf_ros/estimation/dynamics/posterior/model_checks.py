"""Reasons for doubt about a fitted mechanism, at stated levels of significance."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.estimation.dynamics.joint_motion_data import JointMotionData
from autourdf_ros.estimation.dynamics.posterior.model_departures import Departure, departures
from autourdf_ros.estimation.dynamics.posterior.residual_tests import (
    Whiteness,
    excess_p_values,
    whiteness,
)
from autourdf_ros.estimation.dynamics.posterior.taken_as_exact import Changes, solved_with
from autourdf_ros.estimation.dynamics.shooting.shooting_fit import ShootingFit
from autourdf_ros.estimation.dynamics.shooting.shooting_options import ShootingOptions

Array = NDArray[np.float64]


@dataclass(frozen=True)
class CheckLevels:
    """When something counts.

    Attributes:
        departures: Probability that any test for a delay, another friction law, a spring or a
            constant force raises a flag where nothing is lacking; the surest one does.
        whiteness: Likewise for correlated residuals of any joint that are larger than stated, too:
            noise that a tracker states may be correlated, and the posterior counts that.
        excess: Likewise for residuals that are larger than stated.
        ratio: Of residuals to the stated noise, at least, for the last two.
        step: Change of a parameter by half the time step, in its standard deviations. Less widens
            the posterior only.
    """

    departures: float = 0.02
    whiteness: float = 0.01
    excess: float = 0.01
    ratio: float = 1.2
    step: float = 2.0


@dataclass(frozen=True)
class ModelChecks:
    """Results of all tests.

    Attributes:
        departures: What the model may lack, the surest first.
        whiteness: Of each observed joint.
        step_shifts: (P,) change of each parameter by half the time step, in its standard
            deviations.
        warnings: Sentences about those that count.
    """

    departures: tuple[Departure, ...]
    whiteness: tuple[Whiteness, ...]
    step_shifts: Array
    warnings: tuple[str, ...]


def model_checks(
    fit: ShootingFit,
    data: JointMotionData,
    options: ShootingOptions,
    changes: Changes,
    levels: CheckLevels = CheckLevels(),
) -> ModelChecks:
    """Test a fit; each level is shared equally among its tests (Bonferroni).

    Args:
        fit: Of the model.
        data: It was fitted to.
        options: Of the fit.
        changes: By what is taken as exact; the first is that by half the time step.
        levels: When something counts.
    """
    lacking = departures(fit, data, options, changes, levels.departures)
    white = whiteness(fit)
    shifts = step_shifts(fit, options, changes)
    worst = int(np.argmax(np.abs(shifts)))
    joints = fit.rollout.mechanism.joints
    warnings = [_departure(one) for one in lacking if one.counts]
    warnings += [
        f"residuals of {one.joint} are correlated over time ({one.first:+.2f} from one stamp to "
        f"the next, p = {one.p_value:.1g}): the model lacks something, or the noise is not white"
        for one in white
        if one.p_value < levels.whiteness / len(white)
        and fit.noise[joints.index(one.joint)] > levels.ratio
    ]
    chances = excess_p_values(fit)
    warnings += [
        f"residuals of {joints[place]} are {fit.noise[place]:.2g} times the stated noise"
        for place in np.flatnonzero(chances < levels.excess / len(white))
        if fit.noise[place] > levels.ratio
    ]
    if not abs(shifts[worst]) < levels.step:
        warnings.append(
            f"half the simulator's time step moves {fit.rollout.mechanism.table.names[worst]} by "
            f"{shifts[worst]:.2g} standard deviations: a shorter step or the integrator RK4 is "
            "more exact"
        )
    return ModelChecks(lacking, white, shifts, tuple(warnings))


def step_shifts(fit: ShootingFit, options: ShootingOptions, changes: Changes) -> Array:
    """Return how far half the time step moves each parameter (P,), in standard deviations."""
    first = Changes(changes.frames[..., :1], changes.ends[..., :1])
    solved = solved_with(fit, options, first)
    if not solved.shifts.shape[1]:
        return np.full(len(fit.coordinates), np.inf)
    return np.asarray(solved.shifts[:, 0] / np.sqrt(np.diag(solved.covariance)))


def _departure(one: Departure) -> str:
    if "stamps" in one.words:
        size = f"{1e3 * one.size:.2g} ± {1e3 * one.std:.1g} ms"
    else:
        size = f"{one.size:.2g} ± {one.std:.1g} N m or N at most"
    return f"it seems that {one.words}: {size}, p = {one.p_value:.1g}"
