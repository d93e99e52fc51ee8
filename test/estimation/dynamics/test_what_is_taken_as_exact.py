"""Correlated records count as fewer, and what is taken as exact widens the posterior."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from autourdf_ros.estimation.dynamics.joint_motion_data import JointMotion, JointMotionData
from autourdf_ros.estimation.dynamics.mechanism.simulated_mechanism import mechanism_of_mjcf
from autourdf_ros.estimation.dynamics.pipeline import identify_dynamics
from autourdf_ros.estimation.dynamics.posterior.lasting_errors import lasting_errors
from autourdf_ros.estimation.dynamics.posterior.residual_tests import correlation_times
from autourdf_ros.estimation.dynamics.posterior.taken_as_exact import Variant

SLED = """<mujoco><option timestep="{step}" integrator="RK4"/><worldbody><body name="sled">
<joint name="slide" type="slide" axis="1 0 0" damping="0.8"/>
<geom type="box" size=".1 .1 .1" mass="{mass}"/></body></worldbody></mujoco>"""
PERIOD, MASS, DAMPING, STD = 0.05, 1.5, 0.8, 2e-4


def sled(mass=1.2, step=0.01):
    return mechanism_of_mjcf(SLED.format(mass=mass, step=step), ("mass", "damping"))


def pushed(noise):
    """A sled under a force that is held from stamp to stamp: the exact motion, and noise (T,)."""
    stamps = PERIOD * np.arange(len(noise))
    forces, speed, place = 2 * np.sin(7 * stamps), 0.0, [0.0]
    decay = np.exp(-DAMPING / MASS * PERIOD)
    for force in forces[:-1]:
        last = force / DAMPING
        place.append(place[-1] + last * PERIOD + (speed - last) * (1 - decay) * MASS / DAMPING)
        speed = last + (speed - last) * decay
    positions = (np.array(place) + STD * noise)[:, None]
    stds = np.full_like(positions, STD)
    return JointMotionData(
        ("slide",), (JointMotion(stamps, positions, stds, forces[:, None], stamps),)
    )


def correlated(count, share, seed):
    """Noise (T,) of unit variance of which `share` stays from one record to the next."""
    fresh = np.random.default_rng(seed).standard_normal(count)
    noise = fresh.copy()
    for place in range(1, count):
        noise[place] = share * noise[place - 1] + np.sqrt(1 - share**2) * fresh[place]
    return noise


def times_of(values):
    grid = SimpleNamespace(
        motion=np.zeros(1, int),
        window=np.zeros(len(values), int),
        is_observed=np.isfinite(values)[:, None],
        stamps=np.arange(len(values)),
    )
    fit = SimpleNamespace(
        grid=grid,
        residuals=SimpleNamespace(frames=values[:, None]),
        rollout=SimpleNamespace(mechanism=SimpleNamespace(joints=("one",))),
    )
    return float(correlation_times(fit)[0])


def test_records_of_correlated_noise_count_as_fewer():
    lasting = [times_of(correlated(2000, 0.6, seed)) for seed in range(5)]
    assert np.mean(lasting) == pytest.approx(4.0, rel=0.15)  # (1 + r) / (1 - r)
    white = [times_of(correlated(200, 0.0, seed)) for seed in range(20)]
    assert min(white) >= 1.0
    assert np.mean(white) < 1.5


def test_correlation_of_the_stated_size_widens_the_posterior_and_is_no_doubt():
    even, rough = (
        identify_dynamics(sled(), pushed(correlated(100, share, 3))) for share in (0.0, 0.7)
    )
    assert rough.fit.times[0] > 2.5
    assert rough.posterior.noise[0] == pytest.approx(
        rough.fit.noise[0] * np.sqrt(rough.fit.times[0])
    )
    assert rough.posterior.stds[0] > 1.4 * even.posterior.stds[0]
    assert rough.posterior.warnings == ()


def test_what_is_taken_as_exact_widens_the_posterior_by_what_it_feigns():
    data = pushed(correlated(60, 0.0, 4))
    motion = data.motions[0]
    stronger = replace(motion, forces=1.02 * motion.forces)
    variant = Variant(sled(), replace(data, motions=(stronger,)))
    alone, both = (identify_dynamics(sled(), data, variants=one) for one in ((), (variant,)))
    assert both.posterior.mean == pytest.approx(alone.posterior.mean)
    added = np.sqrt(np.diag(both.posterior.covariance - alone.posterior.covariance))
    assert added == pytest.approx([0.02, 0.02], rel=0.05)  # mass and damping follow the force


def test_lasting_errors_have_the_stated_size_and_leave_gaps():
    angle = np.linspace(0, 3, 50)
    positions = np.column_stack([np.sin(angle), 4 * angle])
    positions[7] = np.nan
    motion = JointMotion(np.arange(50.0), positions, np.full((50, 2), 0.1))
    found = [one.positions - positions for one in lasting_errors(motion, 0.5)]
    assert len(found) == 8  # of two joints, each by cosine and sine of both
    whole = np.sqrt(np.nanmean(np.sum(np.square(found), axis=0), axis=0))
    assert whole == pytest.approx([0.1 * np.sqrt(0.5)] * 2, rel=0.03)
    assert all(np.isnan(one[7]).all() for one in found)
