"""Importance weights confirm a Gaussian posterior and reject one that is not."""

from dataclasses import replace

import numpy as np
import pytest
from swinging_mechanisms import cart_pole, observed

from autourdf_ros.estimation.dynamics.mechanism.simulated_mechanism import mechanism_of_mjcf
from autourdf_ros.estimation.dynamics.posterior.importance_check import (
    importance_check,
    pareto_shape,
)
from autourdf_ros.estimation.dynamics.posterior.laplace_posterior import laplace_posterior
from autourdf_ros.estimation.dynamics.posterior.posterior_density import posterior_density
from autourdf_ros.estimation.dynamics.shooting.map_fit import fit_motions

STAMPS = np.arange(40) / 30.0
FORCES = np.column_stack([4 * np.sin(4.4 * STAMPS), np.zeros(len(STAMPS))])


@pytest.fixture(scope="module")
def found():
    data = observed(cart_pole(), STAMPS, np.array([0.0, 2.0]), seed=21, forces=FORCES)
    mechanism = mechanism_of_mjcf(cart_pole(), ("mass", "damping"))
    return data, laplace_posterior(fit_motions(mechanism, data))


def test_weights_agree_with_laplace(found):
    data, posterior = found
    check = importance_check(posterior_density(posterior.mechanism, data, posterior))
    assert check.warnings == ()
    assert (np.abs(check.mean - posterior.mean) < 0.5 * posterior.stds).all()
    np.testing.assert_allclose(check.stds, posterior.stds, rtol=0.4)


def test_an_approximation_that_is_far_too_narrow_is_flagged(found):
    data, posterior = found
    starts = tuple(
        replace(one, covariance=one.covariance / 9, cross=one.cross / 9) for one in posterior.starts
    )
    narrow = replace(posterior, covariance=posterior.covariance / 9, starts=starts)
    check = importance_check(posterior_density(posterior.mechanism, data, narrow))
    assert check.shape > 0.7
    assert "not Gaussian" in check.warnings[0]


@pytest.mark.fast
@pytest.mark.parametrize("shape", [0.2, 0.5, 1.0])
def test_the_shape_of_pareto_tails_is_found(shape):
    uniform = np.random.default_rng(0).uniform(size=20000)
    assert pareto_shape((uniform**-shape - 1) / shape) == pytest.approx(shape, abs=0.15)


def test_gradients_are_those_of_the_log_density(found):
    data, posterior = found
    density = posterior_density(posterior.mechanism, data, posterior)
    place = density.gaussian[0] + 0.5 * np.sqrt(np.diag(density.gaussian[1]))
    _, slope = density.gradients(place[None])
    for column in range(len(place)):
        move = np.zeros(len(place))
        move[column] = 1e-5 * density.spread[column]
        ends = density.logs(np.array([place - move, place + move]))
        numeric = (ends[1] - ends[0]) / (2 * move[column])
        assert slope[0, column] * density.spread[column] == pytest.approx(
            numeric * density.spread[column], rel=0.02, abs=2.0
        )
