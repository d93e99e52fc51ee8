import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from autourdf_ros.estimation.video.joints.fitting.lower_pairs import (
    PAIR_TYPES,
    PAIRS,
    screw_rates,
    screw_values,
)
from autourdf_ros.geometry.rigid_motion import exp_se3


def element(kind, twists):
    """Motions (T, 4, 4) of a type's subgroup."""
    whole = np.zeros((len(twists), 6))
    whole[:, list(PAIRS[kind].moves)] = twists
    return exp_se3(whole)


def in_a_row(kind, values):
    """Motion (4, 4) of the 1-DoF joints of a type, one after the other."""
    pose = np.eye(4)
    for screw, value in zip(PAIRS[kind].screws, values, strict=True):
        pose = pose @ exp_se3(value * np.eye(6)[screw])
    return pose


@pytest.mark.parametrize("kind", PAIR_TYPES)
@settings(max_examples=20)
@given(seed=st.integers(0, 10**6))
def test_joints_in_a_row_move_as_the_joint_does(kind, seed):
    twists = np.random.default_rng(seed).uniform(-0.7, 0.7, (4, len(PAIRS[kind].moves)))
    motions = element(kind, twists)
    values = screw_values(kind, motions)
    rebuilt = np.array([in_a_row(kind, row) for row in values])
    np.testing.assert_allclose(rebuilt, motions, atol=1e-9)


@pytest.mark.parametrize("kind", [k for k in PAIR_TYPES if k != "fixed"])
def test_rates_are_the_derivatives_of_the_values(kind):
    twists = np.random.default_rng(3).uniform(-0.6, 0.6, (3, len(PAIRS[kind].moves)))
    motions, step = element(kind, twists), 1e-6
    rates = screw_rates(kind, screw_values(kind, motions))
    for column in range(twists.shape[1]):
        small = element(kind, step * np.eye(twists.shape[1])[column][None])
        slope = (screw_values(kind, motions @ small) - screw_values(kind, motions)) / step
        np.testing.assert_allclose(rates[:, :, column], slope, atol=1e-4)


def test_a_turn_of_more_than_a_full_one_is_no_jump():
    angles = np.linspace(0, 8, 50)[:, None]
    np.testing.assert_allclose(
        screw_values("revolute", element("revolute", angles)), angles, atol=1e-9
    )
