"""Wrist wrenches and joint efforts of the simulated cell, against MuJoCo and by hand."""

from dataclasses import replace

import mujoco
import numpy as np
import pytest
import trimesh
from hypothesis import given, settings
from hypothesis import strategies as st
from mounted_arm import arm_file

from autourdf_ros.errors import InputError
from autourdf_ros.model.inertial.inertial_parameters import mass_centre_inertia
from autourdf_ros.model.urdf.simulated_robot import SimulatedRobot
from autourdf_ros.simulation.live.driven_dynamics import DrivenDynamics
from autourdf_ros.simulation.live.force_sensing import EffortOptions, ForceOptions, WristOptions
from autourdf_ros.simulation.live.held_object import homogeneous_object, stated_object
from autourdf_ros.simulation.live.live_cell import LiveCell, MotorOptions
from autourdf_ros.simulation.simulated_cell import CellOptions

CELL = CellOptions(1, 32, 24, (15, 60))
INERTIAL = np.array([1.2, 0.02, 0.03, 0.1, 0.01, 0.012, 0.008, 0.001, 0.0005, -0.0007])
POSE = np.array([[0, -1, 0, 0.02], [1, 0, 0, -0.01], [0, 0, 1, 0.05], [0, 0, 0, 1.0]])
HELD = stated_object(INERTIAL, None, "flange", POSE)
STATE = st.lists(st.floats(-1.0, 1.0), min_size=4, max_size=4).map(np.array)


@pytest.fixture(scope="module")
def arm(tmp_path_factory):
    return SimulatedRobot(arm_file(tmp_path_factory.mktemp("arm")))


@pytest.fixture(scope="module")
def in_mujoco(tmp_path_factory):
    """The arm with the object in MuJoCo, and a force-torque sensor where the flange is mounted."""
    spec = mujoco.MjSpec.from_file(str(arm_file(tmp_path_factory.mktemp("mujoco"))))
    spec.compiler.fusestatic = False
    flange = spec.body("flange")
    body = flange.add_body(pos=POSE[:3, 3], quat=_quaternion(POSE[:3, :3]))
    body.mass, body.ipos, body.explicitinertial = INERTIAL[0], INERTIAL[1:4], True
    body.fullinertia = INERTIAL[4:]
    site = flange.add_site(name="sensor")
    for kind in (mujoco.mjtSensor.mjSENS_FORCE, mujoco.mjtSensor.mjSENS_TORQUE):
        spec.add_sensor(type=kind, objtype=mujoco.mjtObj.mjOBJ_SITE, objname=site.name)
    return spec.compile()


def _quaternion(turn):
    found = np.zeros(4)
    mujoco.mju_mat2Quat(found, turn.ravel())
    return found


@settings(max_examples=30, deadline=None)
@given(STATE, STATE, STATE)
def test_efforts_and_wrenches_are_those_of_mujoco(arm, in_mujoco, position, velocity, rise):
    efforts, wrench = DrivenDynamics(arm, HELD, "flange").forces(position, velocity, 4 * rise)
    data = mujoco.MjData(in_mujoco)
    data.qpos, data.qvel, data.qacc = position, velocity, 4 * rise
    mujoco.mj_inverse(in_mujoco, data)
    np.testing.assert_allclose(efforts, data.qfrc_inverse, atol=1e-6)
    # MuJoCo's sensor states what the flange's parent exerts on the flange.
    np.testing.assert_allclose(wrench, -data.sensordata, atol=1e-6)


@settings(max_examples=20, deadline=None)
@given(STATE)
def test_the_wrench_at_rest_is_the_weight_in_the_sensors_frame(arm, position):
    dynamics = DrivenDynamics(arm, HELD, "flange")
    _, wrench = dynamics.forces(position, np.zeros(4), np.zeros(4))
    turn = dynamics.sensor_pose(position)[:3, :3]
    centre = POSE[:3, :3] @ INERTIAL[1:4] + POSE[:3, 3]
    weights = [(0.3, np.array([0, 0, 0.02])), (INERTIAL[0], centre)]  # the flange's own, as well
    down = turn.T @ [0, 0, -9.81]
    np.testing.assert_allclose(wrench[:3], 1.5 * down, atol=1e-9)
    torque = sum(np.cross(place, mass * down) for mass, place in weights)
    np.testing.assert_allclose(wrench[3:], torque, atol=1e-9)


def test_links_that_move_beyond_the_sensor_count(arm):
    """A sensor above the elbow bears forearm, flange and object."""
    still = np.zeros(4)
    _, wrench = DrivenDynamics(arm, HELD, "upper").forces(still, still, still)
    assert np.linalg.norm(wrench[:3]) == pytest.approx((2.0 + 1.0 + 0.5 + 0.3 + 1.2) * 9.81)


def test_readings_have_friction_noise_and_bias(arm):
    bias = (1.0, 2.0, 3.0, 0.1, 0.2, 0.3)
    wrist = WristOptions("flange", 0.2, 0.01, bias)
    cell = LiveCell(arm, CELL, MotorOptions(), "neutral", forces=ForceOptions(wrist, held=HELD))
    rest = [cell.forces() for _ in range(2000)]
    truth = cell.truth()
    efforts, wrench = DrivenDynamics(arm, HELD, "flange").forces(*np.zeros((3, 4)))
    wrenches = np.array([one.wrench for one in rest])
    np.testing.assert_allclose(wrenches.std(axis=0), [0.2] * 3 + [0.01] * 3, rtol=0.1)
    np.testing.assert_allclose(wrenches.mean(axis=0), wrench + bias, atol=0.03)
    read = np.array([one.efforts for one in rest])
    np.testing.assert_allclose(read.std(axis=0), truth["efforts"]["noise"], rtol=0.1)
    np.testing.assert_allclose(read.mean(axis=0), efforts, atol=0.1)
    assert truth["wrench"]["bias"] == list(bias)
    assert truth["held_object"]["mass"] == pytest.approx(1.2)


def test_moving_joints_have_friction_and_their_motion_costs_effort(arm):
    quiet = ForceOptions(efforts=EffortOptions(noise=0.0))
    cell = LiveCell(arm, CELL, MotorOptions(), "neutral", forces=quiet)
    cell.go_to([0.5, 0.0, 0.0, 0.0])
    cell.advance(0.1)
    friction = cell.truth()["efforts"]
    speed = cell.readings()[1]["pan"]
    at_speed = friction["viscous"][0] * speed
    frictionless = replace(quiet.efforts, coulomb=0.0, viscous=0.0)
    smooth = LiveCell(arm, CELL, MotorOptions(), "neutral", forces=ForceOptions(None, frictionless))
    smooth.go_to([0.5, 0.0, 0.0, 0.0])
    smooth.advance(0.1)
    more = cell.forces().efforts - smooth.forces().efforts
    np.testing.assert_allclose(more, [friction["coulomb"][0] + at_speed, 0, 0, 0], atol=1e-9)
    assert speed > 0 and smooth.forces().efforts[0] > 0  # it accelerates about the vertical axis


def test_a_robot_without_masses_has_no_efforts(toy):
    cell = LiveCell(toy, CELL, MotorOptions(), "neutral", forces=ForceOptions())
    assert cell.forces().efforts is None and cell.forces().wrench is None


def test_an_object_of_one_density_from_a_mesh(tmp_path, arm):
    box = trimesh.creation.box((0.1, 0.04, 0.02))
    box.export(tmp_path / "box.stl")
    held = homogeneous_object(tmp_path / "box.stl", 2700.0, "flange", POSE)
    mass, centre, inertia = mass_centre_inertia(held.parameters)
    assert mass == pytest.approx(2700 * 8e-5, rel=1e-3)
    np.testing.assert_allclose(centre, POSE[:3, 3], atol=2e-5)
    expected = mass / 12 * np.array([0.1**2 + 0.02**2, 0.04**2 + 0.02**2, 0.1**2 + 0.04**2])
    np.testing.assert_allclose(np.diag(inertia), expected, rtol=1e-2)
    fresh = SimulatedRobot(arm.urdf)
    before = len(fresh.surfaces[4].triangles)
    LiveCell(fresh, CELL, MotorOptions(), "neutral", forces=ForceOptions(held=held))
    assert len(fresh.surfaces[4].triangles) == before + 12  # cameras see it


@pytest.mark.parametrize(
    ("use", "complaint"),
    [
        (lambda arm, folder: DrivenDynamics(arm, None, "hand"), "'hand' is no link that moves"),
        (lambda arm, folder: DrivenDynamics(arm, None, "base"), "'base' is no link that moves"),
        (
            lambda arm, folder: stated_object(np.r_[1, 0, 0, 0, 1, 1, 3, 0, 0, 0], None, "", POSE),
            "no body has them",
        ),
        (
            lambda arm, folder: homogeneous_object(folder / "no.stl", 1000.0, "flange", POSE),
            "no.stl: is no file",
        ),
    ],
)
def test_what_cannot_be_used_is_named(arm, tmp_path, use, complaint):
    with pytest.raises(InputError, match=complaint):
        use(arm, tmp_path)
