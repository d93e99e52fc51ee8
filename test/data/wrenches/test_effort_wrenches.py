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
