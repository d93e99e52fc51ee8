"""Tests of wrenches from the efforts of joints."""

from dataclasses import replace

import numpy as np
import pytest
from effort_arm import ARM

from autourdf_ros.data.efforts.effort_recording import EffortRecording
from autourdf_ros.data.wrenches.effort_wrenches import wrenches_from_efforts
from autourdf_ros.errors import InputError

MASS, CENTRE = 0.8, np.array([0.02, -0.01, 0.07])


def loaded_and_empty(tmp_path):
    """Efforts of an arm at many slow poses, with a point mass at the last link and without."""
    pin = pytest.importorskip("pinocchio")
    urdf = tmp_path / "arm.urdf"
    urdf.write_text(ARM)
    model = pin.buildModelFromUrdf(str(urdf))
    times = np.linspace(0, 40, 801)
    rates = np.array([0.11, 0.13, 0.17, 0.19, 0.23, 0.29])
    phase = np.outer(times, rates) + np.arange(6)
    positions, velocities = 0.6 + np.sin(phase), rates * np.cos(phase)
    accelerations = -(rates**2) * np.sin(phase)
    heavy = model.copy()
    heavy.appendBodyToJoint(6, pin.Inertia(MASS, CENTRE, 1e-6 * np.eye(3)), pin.SE3.Identity())
    both = []
    for one in (heavy, model):
        data = one.createData()
        motion = zip(positions, velocities, accelerations, strict=True)
        efforts = np.array([pin.rnea(one, data, *state) for state in motion])
        joints = tuple(f"j{i}" for i in range(6))
        both.append(EffortRecording(joints, times, positions, efforts))
    return urdf, *both


@pytest.mark.slow
def test_the_load_is_what_the_efforts_exceed(tmp_path):
    urdf, loaded, empty = loaded_and_empty(tmp_path)
    for given in (None, empty):
        found = wrenches_from_efforts(loaded, urdf, "l6", given)
        gravity = np.einsum("nji,j->ni", found.sensor_poses[:, :3, :3], found.gravity)
        force = found.wrenches[:, :3]
        mass = (force * gravity).sum() / (gravity**2).sum()
        assert mass == pytest.approx(MASS, rel=0.02)
        torque = np.cross(CENTRE, MASS * gravity)
        assert np.abs(found.wrenches[:, 3:] - torque)[20:-20].max() < 0.1


@pytest.mark.slow
def test_unknown_joints_and_links_are_named(tmp_path):
    urdf, loaded, empty = loaded_and_empty(tmp_path)
    with pytest.raises(InputError, match="no link 'gripper'"):
        wrenches_from_efforts(loaded, urdf, "gripper")
    other = replace(loaded, joints=("k0", *loaded.joints[1:]))
    with pytest.raises(InputError, match="no joint 'k0'"):
        wrenches_from_efforts(other, urdf, "l6")
    short = replace(
        empty, times=empty.times[:99], positions=empty.positions[:99], efforts=empty.efforts[:99]
    )
    with pytest.raises(InputError, match="without the load"):
        wrenches_from_efforts(loaded, urdf, "l6", short)
    (tmp_path / "bad.urdf").write_text("<robot")
    with pytest.raises(InputError, match="cannot be read as a URDF"):
        wrenches_from_efforts(loaded, tmp_path / "bad.urdf", "l6")


def turning_arm(tmp_path, kind="continuous", limit=""):
    """The arm's file with j0, j3 and j5 of another kind, and without their limits."""
    text = ARM
    for number in (0, 3, 5):
        head, tail = text.split(f'<joint name="j{number}" type="revolute">')
        rest = tail.split("<limit", 1)[1].split("/>", 1)[1]
        text = (
            f'{head}<joint name="j{number}" type="{kind}">{tail.split("<limit", 1)[0]}{limit}{rest}'
        )
    path = tmp_path / "turning.urdf"
    path.write_text(text)
    return path


def turned(tmp_path, count=120):
    """Efforts of the arm whose j5 turns twice, by a model with finite ranges and the load."""
    pin = pytest.importorskip("pinocchio")
    (tmp_path / "arm.urdf").write_text(ARM)
    model = pin.buildModelFromUrdf(str(tmp_path / "arm.urdf"))
    model.appendBodyToJoint(6, pin.Inertia(MASS, CENTRE, 1e-6 * np.eye(3)), pin.SE3.Identity())
    times, data = np.linspace(0, 12, count), model.createData()
    rates = np.array([0.11, 0.13, 0.17, 0.19, 0.23, 1.1])
    phase = np.outer(times, rates)
    positions, velocities = 0.6 + np.sin(phase), rates * np.cos(phase)
    accelerations = -(rates**2) * np.sin(phase)
    positions[:, 5], velocities[:, 5], accelerations[:, 5] = phase[:, 5], 1.1, 0.0
    motion = zip(positions, velocities, accelerations, strict=True)
    efforts = np.array([pin.rnea(model, data, *state) for state in motion])
    return EffortRecording(tuple(f"j{i}" for i in range(6)), times, positions, efforts)


def test_joints_that_turn_without_end_are_those_that_turn_as_far(tmp_path):
    """They were refused as having two numbers, and moved the places of the joints behind them."""
    recording = turned(tmp_path)
    expected = wrenches_from_efforts(recording, tmp_path / "arm.urdf", "l6")
    within = recording.positions.copy()
    within[:, 5] = (within[:, 5] + np.pi) % (2 * np.pi) - np.pi  # as drivers state it
    assert np.abs(np.diff(within[:, 5])).max() > 6
    for positions in (recording.positions, within):
        given = replace(recording, positions=positions)
        found = wrenches_from_efforts(given, turning_arm(tmp_path), "l6")
        np.testing.assert_allclose(found.wrenches, expected.wrenches, atol=1e-6)
        np.testing.assert_allclose(found.sensor_poses, expected.sensor_poses, atol=1e-9)
        np.testing.assert_allclose(found.accelerations, expected.accelerations, atol=1e-6)
        np.testing.assert_allclose(found.joints.efforts, expected.joints.efforts, atol=1e-6)


def test_a_joint_without_the_limits_that_its_type_needs_is_named(tmp_path):
    recording = turned(tmp_path, 40)
    with pytest.raises(InputError, match=r"turning\.urdf: cannot be read as a URDF"):
        wrenches_from_efforts(recording, turning_arm(tmp_path, "revolute"), "l6")
    with pytest.raises(InputError, match="'j0' has 6 degrees of freedom; accepted is 1"):
        wrenches_from_efforts(recording, turning_arm(tmp_path, "floating"), "l6")
