"""Tests of bad records: each fault is named."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.spatial.transform import Rotation
from weighed_tools import data_of, true_parameters, weighed

from autourdf_ros.errors import InputError
from autourdf_ros.estimation.inertia.payload.payload_pipeline import (
    IdentifyOptions,
    identify_payload,
)
from autourdf_ros.estimation.inertia.payload.regressor import gravity_in_sensor
from autourdf_ros.estimation.inertia.payload.sensor.record_checks import check_slip
from autourdf_ros.estimation.inertia.payload.sensor.record_preparation import (
    SensorOptions,
    prepare_records,
)
from autourdf_ros.estimation.inertia.payload.sensor_noise import with_noise
from autourdf_ros.shape.solid.solid_body import SolidBody

ARRAYS = ("times", "sensor_poses", "velocities", "accelerations", "wrenches")


def refusal(recording, **changes):
    with pytest.raises(InputError) as caught:
        identify_payload(replace(data_of(recording), **changes), IdentifyOptions())
    return str(caught.value)


def scaled(*factors):
    recording = weighed()
    return replace(recording, wrenches=recording.wrenches * np.repeat(factors, 3))


def test_a_saturated_channel_is_named():
    recording = weighed()
    most = 0.6 * np.abs(recording.wrenches[:, 1]).max()
    clipped = replace(recording, wrenches=np.clip(recording.wrenches, -most, most))
    assert "the sensor is saturated" in refusal(clipped)


def test_wrenches_in_the_world_frame_are_named():
    recording = weighed()
    pairs = recording.wrenches.reshape(-1, 2, 3)
    turned = np.einsum("nij,nkj->nki", recording.sensor_poses[:, :3, :3], pairs).reshape(-1, 6)
    assert "wrong frame" in refusal(replace(recording, wrenches=turned))


def test_turned_axes_of_the_sensor_are_named():
    recording = weighed()
    swapped = replace(recording, wrenches=recording.wrenches[:, [1, 2, 0, 4, 5, 3]])
    text = refusal(swapped)
    assert "wrong frame" in text or "wrong sign" in text


def test_the_other_sign_is_named():
    assert "wrong sign" in refusal(scaled(-1, -1))


@pytest.mark.parametrize("factors", [(1000.0, 1000.0), (0.0005, 0.0005)])
def test_a_wrong_unit_of_force_is_named(factors):
    assert "wrong unit of force" in refusal(scaled(*factors))


def test_a_wrong_unit_of_torque_is_named():
    assert "wrong unit of torque" in refusal(scaled(1.0, 1000.0))


@pytest.mark.slow
def test_a_bias_larger_than_the_load_is_named():
    weight = 9.81 * true_parameters()[0]
    assert "larger than the load" in refusal(weighed(bias=(2 * weight, weight, 0, 0, 0, 0)))


def test_too_few_poses_are_named():
    recording = weighed()
    first = {name: getattr(recording, name)[:40] for name in ARRAYS}
    assert "too few poses" in refusal(replace(recording, **first))


def test_a_slip_in_the_grasp_is_named_with_its_time():
    recording = weighed()
    late = recording.times > 3.0
    shift = true_parameters()[0] * np.array([0.0, 0.02, 0.0])
    wrenches = recording.wrenches.copy()
    wrenches[late, 3:] += np.cross(shift, gravity_in_sensor(recording))[late]
    text = refusal(replace(recording, wrenches=wrenches))
    assert "slips in the grasp" in text
    assert "20" in text.split("shifts by")[1][:6] or "19" in text.split("shifts by")[1][:6]


@pytest.fixture(scope="module")
def turning():
    """Weighed with a motion of noise-free accelerations, so that checks alone are tested."""
    return with_noise(weighed())


def faulty(recording, tare=True):
    with pytest.raises(InputError) as caught:
        prepare_records(recording, SensorOptions(tare=tare, delay=0.0))
    return str(caught.value)


def posed(recording, turns):
    poses = recording.sensor_poses.copy()
    poses[:, :3, :3] = turns.as_matrix()
    return replace(recording, sensor_poses=poses)


@pytest.mark.parametrize("case", ["order", "inverse", "y up"])
def test_poses_that_are_read_in_another_way_are_named(turning, case):
    turns = Rotation.from_matrix(turning.sensor_poses[:, :3, :3])
    read = {
        "order": lambda: Rotation.from_quat(turns.as_quat()[:, [3, 0, 1, 2]]),
        "inverse": turns.inv,
        "y up": lambda: Rotation.from_euler("x", -90, degrees=True) * turns,
    }[case]()
    named = {"order": "in the order w x y z", "inverse": "in the sensor's frame", "y up": "whose y"}
    assert named[case] in faulty(posed(turning, read))


def test_a_sensor_that_was_not_tared_is_named():
    assert "--tared, but" in faulty(weighed(bias=(1.0, -0.5, 2.0, 0.05, 0, 0)), tare=False)


def test_torques_in_newton_millimetres_are_named(turning):
    wrenches = turning.wrenches * np.repeat([1.0, 1000.0], 3)
    assert "are these N mm?" in faulty(replace(turning, wrenches=wrenches))


def test_two_rests_are_too_few_poses_and_no_slip():
    recording = weighed()
    parts = {name: getattr(recording, name)[:115] for name in ARRAYS}
    late = (parts["times"] > 0.7)[:, None]
    shift = true_parameters()[0] * np.cross([0.0, 0.2, 0.0], gravity_in_sensor(recording)[:115])
    parts["wrenches"] = parts["wrenches"] + np.hstack([np.zeros((115, 3)), late * shift])
    with pytest.raises(InputError, match="too few poses: the sensor rests in 2"):
        check_slip(replace(recording, **parts))


def ball(centre, radius):
    axis = np.linspace(-radius, radius, 12)
    grid = np.stack(np.meshgrid(axis, axis, axis), -1).reshape(-1, 3)
    inside = grid[np.linalg.norm(grid, axis=1) < radius] + centre
    cell = axis[1] - axis[0]
    moments = np.tile(np.eye(3) * cell**5 / 12, (len(inside), 1, 1))
    every = np.ones(len(inside), bool)
    return SolidBody(inside, np.full(len(inside), cell**3), moments, None, every, 1e-3)


@pytest.mark.slow
@pytest.mark.parametrize(("centre", "radius"), [((0.5, 0, 0), 0.05), ((0.06, 0, 0), 0.01)])
def test_the_cloud_of_another_object_is_named(centre, radius):
    assert "another object" in refusal(weighed(), body=ball(np.array(centre), radius))


@pytest.mark.parametrize("delay", [float("nan"), 1000.0, -3.0])
def test_a_delay_that_no_sensor_has_is_named(delay):
    with pytest.raises(InputError, match=f"delay {delay:g} s; accepted are -2 to 2 s"):
        SensorOptions(delay=delay)
