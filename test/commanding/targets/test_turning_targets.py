"""Targets that turn a link against gravity."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from autourdf_ros.commanding.screening.forbidden import Forbidden
from autourdf_ros.commanding.screening.path_screen import NOTHING, PathScreen
from autourdf_ros.commanding.targets.turning_targets import TurningOptions, turning_targets
from autourdf_ros.errors import InputError
from autourdf_ros.model.limits.motion_limits import JointLimits

WIDE = JointLimits(-2.0, 2.0, 1.0, 4.0)
LIMITS = dict.fromkeys(("pan", "roll", "bend"), WIDE)
START = {"pan": 0.1, "roll": 0.0, "bend": 0.2}


def fall(values):
    """Of a link on a vertical axis, one along x, and one along y."""
    turn = Rotation.from_euler("ZXY", [values["pan"], values["roll"], values["bend"]])
    return turn.inv().apply([0.0, 0.0, -1.0])


def angles(found):
    falls = np.array(found.falls)
    pairs = np.triu_indices(len(falls), 1)
    return np.arccos(np.clip((falls @ falls.T)[pairs], -1, 1))


@settings(max_examples=10)
@given(st.integers(0, 10_000), st.floats(0.6, 1.5), st.integers(3, 6))
def test_orientations_differ_and_stay_in_reach(seed, reach, poses):
    options = TurningOptions(poses=poses, reach=reach, turn=0.4, seed=seed, drawn=16)
    found = turning_targets(START, LIMITS, fall, NOTHING, options)
    assert len(found.path) == len(found.falls) <= poses
    assert angles(found).min() >= 0.4
    for values in found.path:
        for name, value in values.items():
            assert abs(value - START[name]) <= reach + 1e-12


def test_a_joint_that_does_not_turn_the_link_against_gravity_stays():
    found = turning_targets(START, LIMITS, fall, NOTHING)
    assert {values["pan"] for values in found.path} == {START["pan"]}
    assert len({values["bend"] for values in found.path}) == len(found.path) == 8


def test_directions_are_independent_beside_a_bias():
    found = turning_targets(START, LIMITS, fall, NOTHING, TurningOptions(poses=5))
    centred = np.array(found.falls) - np.mean(found.falls, axis=0)
    assert np.linalg.svd(centred, compute_uv=False)[2] > 0.3


def test_no_way_leads_through_what_is_forbidden():
    box = Forbidden("shelf", {"roll": (0.3, 0.6), "bend": (-3.0, 3.0)})
    screen = PathScreen((box,))
    found = turning_targets(START, LIMITS, fall, screen, TurningOptions(poses=6))
    assert found.refused and "shelf" in found.refused[0][1]
    for ends in pairwise(found.path):
        assert screen.reason(ends) is None


def test_too_few_orientations_are_named_with_the_reason():
    narrow = {name: JointLimits(-0.1, 0.25, 1.0, 4.0) for name in LIMITS}
    with pytest.raises(InputError, match="into 1 orientations that differ by 30 degrees"):
        turning_targets(START, narrow, fall, NOTHING)
    shut = PathScreen((Forbidden("all", {"pan": (-3.0, 3.0)}),))
    with pytest.raises(InputError, match="begin elsewhere, the last way because"):
        turning_targets(START, LIMITS, fall, shut, TurningOptions(drawn=4, rounds=2))


def test_vertical_axes_turn_nothing():
    with pytest.raises(InputError, match="no joint turns the link against gravity"):
        turning_targets({"pan": 0.0}, {"pan": WIDE}, lambda _: np.array([0, 0, -1.0]), NOTHING)
