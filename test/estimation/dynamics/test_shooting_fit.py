"""Multiple shooting finds a mechanism's parameters from noisy joint values."""

import numpy as np
import pytest
from swinging_mechanisms import (
    CART_POLE_TRUTH,
    DOUBLE_PENDULUM,
    cart_pole,
    observed,
)

from autourdf_ros.errors import InputError
from autourdf_ros.estimation.dynamics.joint_motion_data import JointMotion, JointMotionData
from autourdf_ros.estimation.dynamics.mechanism.simulated_mechanism import mechanism_of_mjcf
from autourdf_ros.estimation.dynamics.posterior.laplace_posterior import laplace_posterior
from autourdf_ros.estimation.dynamics.shooting.map_fit import fit_motions
from autourdf_ros.estimation.dynamics.shooting.shooting_options import ShootingOptions
from autourdf_ros.estimation.dynamics.shooting.window_grid import step_forces, window_grid

NAMES = {
    "mass of cart": "cart",
    "mass of pole": "pole",
    "damping of slide": "slide_damping",
    "friction of slide": "slide_friction",
    "damping of hinge": "hinge_damping",
    "friction of hinge": "hinge_friction",
}
TRUTH = np.array([CART_POLE_TRUTH[name] for name in NAMES.values()])
START = np.array([0.0, 2.0])
STAMPS = np.arange(120) / 30.0  # 33.3 ms: no whole number of steps of 4 ms


def started(seed):
    """The cart-pole with a prior about half to twice the truth."""
    mechanism = mechanism_of_mjcf(cart_pole(), ("mass", "damping", "friction"))
    assert set(mechanism.table.names) == set(NAMES)
    factors = np.exp(np.random.default_rng(seed).uniform(-0.69, 0.69, len(NAMES)))
    guesses = dict(zip(NAMES, (TRUTH * factors).tolist(), strict=True))
    return mechanism.with_table(mechanism.table.with_values(guesses))


def pushed():
    forces = np.zeros((len(STAMPS), 2))
    forces[:, 0] = 4 * np.sin(4.4 * STAMPS) + 3 * np.sin(8.2 * STAMPS + 1)
    return forces


def true_coordinates(table):
    return np.log([CART_POLE_TRUTH[NAMES[name]] for name in table.names])


def test_known_forces_show_all_parameters():
    data = observed(cart_pole(), STAMPS, START, forces=pushed())
    found = laplace_posterior(fit_motions(started(1), data))
    away = found.mean - true_coordinates(found.table)
    assert np.abs(np.expm1(away)).mean() < 0.02
    assert (np.abs(away) < 4 * found.stds).all()
    assert found.stds.max() < 0.05
    assert found.warnings == ()
    np.testing.assert_allclose(found.noise, 1, atol=0.2)


def test_without_forces_ratios_are_found_and_the_scale_is_the_prior_s():
    data = observed(cart_pole(), STAMPS, START)
    found = laplace_posterior(fit_motions(started(2), data))
    away = found.mean - true_coordinates(found.table)
    assert np.abs(np.expm1(away - away[0])).mean() < 0.03
    assert found.stds.min() > 0.9 * 0.7


def test_the_end_of_a_motion_is_known_as_well_as_its_neighbours_show():
    data = observed(cart_pole(), STAMPS, START, seed=3)
    found = laplace_posterior(fit_motions(started(3), data))
    exact = observed(cart_pole(), STAMPS, START, seed=99).motions[0].positions[-1]
    end = found.ends[0]
    stds = np.sqrt(np.diag(end.covariance))
    assert (stds[:2] < data.motions[0].stds[0]).all()
    assert (np.abs(end.positions - exact) < 4 * data.motions[0].stds[0]).all()
    _, states = found.joint_samples(2000, 0)
    np.testing.assert_allclose(states.std(0), stds, rtol=0.1)


def test_lost_frames_and_joints_that_nobody_saw_are_bridged():
    data = observed(cart_pole(), STAMPS, START, seed=4)
    motion = data.motions[0]
    motion.positions[20:35] = np.nan
    motion.positions[::3, 1] = np.nan
    found = laplace_posterior(fit_motions(started(4), data))
    away = found.mean - true_coordinates(found.table)
    assert np.abs(np.expm1(away - away[0])).mean() < 0.05


def test_a_joint_that_nobody_saw_is_found_through_the_other_one():
    start = np.array([0.0, 0.6])
    data = observed(cart_pole(), STAMPS[:80], start, seed=4)
    motion = data.motions[0]
    unseen = JointMotion(motion.stamps, motion.positions[:, :1], motion.stds[:, :1])
    mechanism = started(4).with_table(started(4).table.of(("mass of pole",)))
    fit = fit_motions(mechanism, JointMotionData(("slide",), (unseen,)))
    assert np.isnan(fit.noise[1])
    assert fit.states[0, 1] == pytest.approx(start[1], abs=0.05)


def test_outliers_move_a_student_s_fit_little():
    data = observed(cart_pole(), STAMPS, START, seed=5, forces=pushed())
    data.motions[0].positions[7::25] += 0.03
    errors = {}
    for noise in ("gaussian", "student"):
        fit = fit_motions(started(5), data, ShootingOptions(noise=noise))
        errors[noise] = np.abs(fit.coordinates - true_coordinates(fit.rollout.mechanism.table))
    assert errors["student"].mean() < 0.5 * errors["gaussian"].mean()
    assert errors["student"].mean() < 0.03


def test_several_motions_are_fitted_together():
    one = observed(cart_pole(), STAMPS[:60], START, seed=6, forces=pushed()[:60])
    two = observed(cart_pole(), STAMPS[:50] + 7.0, np.array([0.2, -1.0]), seed=7)
    both = JointMotionData(one.joints, (*one.motions, *two.motions))
    alone, together = (laplace_posterior(fit_motions(started(6), data)) for data in (one, both))
    assert len(together.starts) == 2
    assert together.starts[1].stamp == 7.0
    assert (together.stds < alone.stds).all()


def test_a_double_pendulum_from_a_wrong_start():
    data = observed(DOUBLE_PENDULUM, np.arange(150) / 60.0, np.array([1.2, -0.8]))
    mechanism = mechanism_of_mjcf(DOUBLE_PENDULUM, ("mass", "damping"))
    table = mechanism.table.with_values({"mass of lower": 0.55, "damping of elbow": 0.004})
    found = laplace_posterior(fit_motions(mechanism.with_table(table), data))
    true = np.log([0.5, 0.02, 0.3, 0.01])
    order = [
        found.names.index(name)
        for name in ("mass of upper", "damping of shoulder", "mass of lower", "damping of elbow")
    ]
    away = found.mean[order] - true
    assert np.abs(away - away[0]).max() < 0.05


@pytest.mark.fast
def test_held_forces_keep_their_impulse_between_steps():
    stamps = np.array([0.0, 0.033, 0.05, 0.081])
    forces = np.array([[1.0], [-2.0], [3.0], [0.5]])
    motion = JointMotion(np.array([0.0, 0.1]), np.zeros((2, 1)), np.ones((2, 1)), forces, stamps)
    means = step_forces(motion, 25, 0.004)
    assert means.sum() * 0.004 == pytest.approx(0.033 - 2 * 0.017 + 3 * 0.031 + 0.5 * 0.019)
    assert means[0, 0] == 1.0
    assert means[8, 0] == pytest.approx((1.0 * 0.001 - 2.0 * 0.003) / 0.004)
    late = step_forces(motion, 25, 0.004, delay=0.004)
    np.testing.assert_allclose(late[1:20], means[:19])


@pytest.mark.fast
def test_positions_between_steps_are_exact_for_cubics():
    stamps = np.sort(np.random.default_rng(0).uniform(0, 1, 40))
    motion = JointMotion(stamps, np.zeros((40, 1)), np.ones((40, 1)))
    grid = window_grid(JointMotionData(("a",), (motion,)), ("a",), 0.004, ShootingOptions())
    times = (grid.first[grid.window][:, None] + grid.steps) * 0.004
    found = (grid.weights * (times**3 - times)).sum(1)
    exact = stamps - stamps[0]
    np.testing.assert_allclose(found, exact**3 - exact, atol=1e-12)
    assert (grid.steps.max(1) <= grid.forces.shape[1]).all()


@pytest.mark.fast
def test_windows_of_a_split_step_begin_and_end_when_those_of_the_step_do():
    stamps = np.sort(np.random.default_rng(1).uniform(0, 1, 40))
    motion = JointMotion(stamps, np.zeros((40, 1)), np.ones((40, 1)))
    data = JointMotionData(("a",), (motion,))
    whole, split = (
        window_grid(data, ("a",), 0.004 / splits, ShootingOptions(), splits) for splits in (1, 4)
    )
    np.testing.assert_array_equal(split.first, 4 * whole.first)
    np.testing.assert_array_equal(split.length, 4 * whole.length)
    np.testing.assert_array_equal(split.window, whole.window)


def cut(**changed):
    given = {
        "stamps": np.arange(5.0),
        "positions": np.zeros((5, 1)),
        "stds": np.ones((5, 1)),
        **changed,
    }
    return JointMotion(**given)


@pytest.mark.fast
@pytest.mark.parametrize(
    ("joints", "motions", "words"),
    [
        (("door",), (cut(),), "'door' is not in"),
        (("slide",), (), "there are none"),
        (("slide",), (cut(positions=np.zeros((4, 1))),), "shape"),
        (("slide",), (cut(stamps=np.zeros(5)),), "rising"),
        (("slide",), (cut(positions=np.full((5, 1), np.nan)),), "no joint value"),
        (("slide",), (cut(stds=np.zeros((5, 1))),), "stds"),
        (("slide",), (cut(forces=np.zeros((3, 1))),), "forces of shape"),
        (
            ("slide",),
            (cut(forces=np.full((2, 1), np.nan), force_stamps=np.arange(2.0)),),
            "finite forces",
        ),
    ],
)
def test_motions_that_cannot_be_used_are_named(joints, motions, words):
    mechanism = mechanism_of_mjcf(cart_pole())
    with pytest.raises(InputError, match=words):
        fit_motions(mechanism, JointMotionData(joints, motions))
