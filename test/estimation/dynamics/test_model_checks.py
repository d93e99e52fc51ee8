"""A fit says what determines its parameters, and what its model lacks."""

from dataclasses import replace

import numpy as np
import pytest
from swinging_mechanisms import cart_pole, observed

from autourdf_ros.estimation.dynamics.mechanism.simulated_mechanism import mechanism_of_mjcf
from autourdf_ros.estimation.dynamics.pipeline import identify_dynamics
from autourdf_ros.estimation.dynamics.shooting.shooting_options import ShootingOptions

START = np.array([0.0, 2.0])
STAMPS = np.arange(110) / 30.0
FORCES = np.column_stack(
    [4 * np.sin(4.4 * STAMPS) + 3 * np.sin(8.2 * STAMPS + 1), np.zeros(len(STAMPS))]
)
SCALED = ("mass", "damping", "friction")


def identified(data, free=SCALED, **changed):
    return identify_dynamics(mechanism_of_mjcf(cart_pole(**changed), free), data)


@pytest.fixture(scope="module")
def pushed():
    return observed(cart_pole(), STAMPS, START, seed=11, forces=FORCES)


def test_a_right_model_raises_no_doubt_and_known_forces_show_the_scale(pushed):
    found = identified(pushed)
    assert found.posterior.warnings == ()
    assert found.identifiability.unknown == ()
    assert set(found.identifiability.sources) == {"data"}
    assert any("overall mass scale" in one for one in found.identifiability.sentences)


def test_without_a_force_the_scale_is_the_prior_s_alone():
    found = identified(observed(cart_pole(), STAMPS, START, seed=12))
    assert found.identifiability.unknown == ("overall mass scale (no force was known)",)
    assert found.posterior.warnings == ()
    last = found.identifiability.directions[-1]
    assert last.ratio == pytest.approx(1.0, abs=0.02)
    assert np.ptp(last.weights) < 0.02 * np.abs(last.weights).max()


def test_a_parameter_that_moves_nothing_is_named():
    data = observed(cart_pole(), STAMPS, START, seed=13, forces=FORCES)
    found = identified(data, ("mass", "centre y of pole"))
    assert "centre y of pole" in found.identifiability.unknown


def test_forces_that_act_later_than_stamped_are_flagged_by_how_much(pushed):
    motion = pushed.motions[0]
    early = replace(motion, force_stamps=motion.force_stamps - 0.006)
    found = identified(replace(pushed, motions=(early,)))
    late = next(one for one in found.checks.departures if "stamps" in one.words)
    assert late.size == pytest.approx(0.006, abs=0.002)
    assert "later than their stamps" in found.posterior.warnings[0]


@pytest.mark.parametrize("missing", ["Coulomb", "viscous", "quadratic", "constant"])
def test_a_wrong_law_of_friction_is_flagged_by_its_name_alone(missing):
    forces = {
        "quadratic": lambda _, __, v: -np.array([0.3, 0.003]) * v * np.abs(v),
        "constant": lambda _, __, v: np.array([0.1, 0.0]) + 0 * v,
    }
    lacking = {"Coulomb": "friction", "viscous": "damping"}.get(missing)
    data = observed(cart_pole(), STAMPS, START, seed=14, forces=FORCES, push=forces.get(missing))
    nothing = {f"{joint}_{lacking}": 0.0 for joint in ("slide", "hinge") if lacking}
    found = identified(data, tuple(kind for kind in SCALED if kind != lacking), **nothing)
    words = {"quadratic": "square", "constant": "constant force"}.get(
        missing, f"{missing} friction"
    )
    (named,) = [one for one in found.posterior.warnings if one.startswith("it seems that")]
    assert words in named


def test_correlated_noise_and_a_noise_stated_too_small_are_flagged():
    data = observed(cart_pole(), STAMPS, START, seed=15, forces=FORCES)
    motion = data.motions[0]
    noise = np.random.default_rng(1).standard_normal(motion.positions.shape)
    for row in range(1, len(noise)):
        noise[row] += 0.8 * noise[row - 1]
    rough = replace(motion, positions=motion.positions + 2 * noise * motion.stds)
    warnings = identified(replace(data, motions=(rough,))).posterior.warnings
    assert any("correlated over time" in one for one in warnings)
    assert any("times the stated noise" in one for one in warnings)


@pytest.mark.parametrize("finer", [0, 1])
def test_a_coarse_time_step_is_halved_or_flagged(finer):
    data = observed(cart_pole(), STAMPS[:60], START, seed=16)
    xml = cart_pole().replace('timestep="0.004" integrator="RK4"', 'timestep="0.01"')
    options = ShootingOptions(finer=finer)
    found = identify_dynamics(mechanism_of_mjcf(xml, SCALED), data, options)
    assert found.fit.grid.step == pytest.approx(0.01 / 2**finer)
    assert found.posterior.simulator().opt.timestep == found.fit.grid.step
    if not finer:
        assert any("time step" in one for one in found.posterior.warnings)
