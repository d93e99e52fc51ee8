"""Methods of comparison climb the same posterior, and say what they need."""

import sys
from dataclasses import replace

import numpy as np
import pytest
from swinging_mechanisms import cart_pole, observed

from autourdf_ros.errors import InputError
from autourdf_ros.estimation.dynamics.mechanism.simulated_mechanism import mechanism_of_mjcf
from autourdf_ros.estimation.dynamics.methods.method_choice import METHODS, find_parameters
from autourdf_ros.estimation.dynamics.methods.method_options import MethodOptions
from autourdf_ros.estimation.dynamics.posterior.laplace_posterior import laplace_posterior
from autourdf_ros.estimation.dynamics.posterior.posterior_density import posterior_density
from autourdf_ros.estimation.dynamics.shooting.map_fit import fit_motions

STAMPS = np.arange(25) / 30.0
FORCES = np.column_stack([4 * np.sin(4.4 * STAMPS), np.zeros(len(STAMPS))])
FEW = MethodOptions(seconds=20.0, iterations=8)


def needed(method):
    for package, user in (("cma", "cmaes"), ("emcee", "emcee")):
        if method == user:
            pytest.importorskip(package)


@pytest.fixture(scope="module")
def swing():
    data = observed(cart_pole(), STAMPS, np.array([0.0, 1.5]), seed=31, forces=FORCES)
    mechanism = mechanism_of_mjcf(cart_pole(), ("mass",))
    guesses = {"mass of cart": 1.6, "mass of pole": 0.2}
    return mechanism.with_table(mechanism.table.with_values(guesses)), data


@pytest.mark.parametrize("method", [one for one in METHODS if one != "shooting"])
def test_a_method_climbs(swing, method):
    needed(method)
    mechanism, data = swing
    density = posterior_density(mechanism, data)
    before = density.logs(density.start[None])[0]
    found = find_parameters(mechanism, data, method, FEW)
    assert found.log > before
    assert found.best.shape == (2,)
    assert np.isfinite(found.samples).all()
    assert len(found.history) > 1
    again = find_parameters(mechanism, data, method, FEW)
    np.testing.assert_allclose(again.best, found.best)


def test_shooting_is_one_of_them(swing):
    mechanism, data = swing
    found = find_parameters(mechanism, data, "shooting")
    assert found.values == pytest.approx([1.0, 0.3], rel=0.05)


def test_emcee_that_starts_from_the_posterior_agrees_with_it(swing):
    needed("emcee")
    mechanism, data = swing
    posterior = laplace_posterior(fit_motions(mechanism, data))
    options = MethodOptions(seconds=60.0, iterations=120)
    found = find_parameters(mechanism, data, "emcee", options, posterior)
    assert (np.abs(found.samples.mean(0) - posterior.mean) < posterior.stds).all()
    np.testing.assert_allclose(found.samples.std(0), posterior.stds, rtol=0.5)


@pytest.mark.parametrize(("method", "package"), [("cmaes", "cma"), ("emcee", "emcee")])
def test_a_package_that_lacks_is_named(swing, monkeypatch, method, package):
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(InputError, match=rf"needs the package {package}.*\[video\]"):
        find_parameters(*swing, method, FEW)


def test_an_unknown_method_is_named(swing):
    with pytest.raises(InputError, match="newton"):
        find_parameters(*swing, "newton", FEW)


def test_csvgd_climbs_another_likelihood_where_one_is_given(swing):
    mechanism, data = swing
    (motion,) = data.motions

    class Shifted:
        """Of the same motion with the pole further on, as images might show it."""

        def __init__(self):
            self.logs = []

        def slopes(self, values):
            away = (values - motion.positions - [0.0, 0.1]) / 0.01
            self.logs.append(-0.5 * (away**2).sum())
            return self.logs[-1], -away / 0.01

    shifted = Shifted()
    options = replace(FEW, iterations=4, particles=4, likelihood=shifted)
    found = find_parameters(mechanism, data, "csvgd", options)
    assert max(shifted.logs[-4:]) > max(shifted.logs[:4])
    assert found.log > -np.inf and len(found.history) > 1
