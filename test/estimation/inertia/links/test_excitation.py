"""Motions that show much, within limits, from rest to rest."""

import numpy as np
import pytest
from simulated_arm import simulated_arm

from autourdf_ros.errors import InputError
from autourdf_ros.estimation.inertia.links.information.base_parameters import base_parameters
from autourdf_ros.estimation.inertia.links.information.exciting_motion import (
    ExcitationOptions,
    KnownParameters,
    optimised_excitation,
)
from autourdf_ros.model.limits.motion_limits import JointLimits

LIMITS = {name: JointLimits(-1.0, 1.5, 1.2, 4.0) for name in ("yaw", "pitch", "roll")}
START = np.zeros(3)
FEW = ExcitationOptions(duration=6.0, population=12, elite=4, generations=4)


def planned(arm, limits=LIMITS, start=START, options=FEW):
    known = KnownParameters(
        base_parameters(arm.model), 0.1 * np.eye(arm.model.size), np.full(3, 0.5)
    )
    return optimised_excitation(arm.model, known, start, limits, options)


@pytest.mark.slow
def test_it_starts_and_ends_at_rest_and_stays_within_its_limits(tmp_path):
    found = planned(simulated_arm(tmp_path))
    np.testing.assert_allclose(found.positions[[0, -1]], 0, atol=1e-9)
    np.testing.assert_allclose(found.velocities[[0, -1]], 0, atol=1e-9)
    assert found.positions.min() >= -1.0
    assert found.positions.max() <= 1.5
    assert np.abs(found.velocities).max() <= 1.2
    assert np.abs(found.accelerations).max() <= 4.0
    slopes = np.gradient(found.positions, found.times, axis=0)
    np.testing.assert_allclose(slopes[2:-2], found.velocities[2:-2], atol=2e-3)


@pytest.mark.slow
def test_searching_longer_shows_no_less_and_the_seed_decides(tmp_path):
    arm = simulated_arm(tmp_path)
    once = planned(arm, options=ExcitationOptions(duration=6.0, population=12, generations=1))
    more = planned(arm, options=ExcitationOptions(duration=6.0, population=12, generations=5))
    assert more.information >= once.information
    again = planned(arm, options=ExcitationOptions(duration=6.0, population=12, generations=5))
    np.testing.assert_array_equal(more.positions, again.positions)


def test_limits_that_lack_a_joint_or_leave_the_start_out_are_refused(tmp_path):
    arm = simulated_arm(tmp_path)
    with pytest.raises(InputError, match="joint 'roll' has no limits"):
        planned(arm, limits={name: LIMITS[name] for name in ("yaw", "pitch")})
    with pytest.raises(InputError, match=r"joint 'yaw' starts at 2; accepted is -1 to 1\.5"):
        planned(arm, start=np.array([2.0, 0, 0]))
