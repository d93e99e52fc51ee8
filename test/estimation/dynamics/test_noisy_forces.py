"""Noise of forces, friction of light joints, and what a prediction may look at."""

from dataclasses import replace

import mujoco
import numpy as np
import pytest
from swinging_mechanisms import CART_POLE_TRUTH, cart_pole, observed

from autourdf_ros.data.efforts.effort_recording import EffortRecording
from autourdf_ros.estimation.dynamics.joint_motion_data import JointMotion, JointMotionData
from autourdf_ros.estimation.dynamics.mechanism.simulated_mechanism import mechanism_of_mjcf
from autourdf_ros.estimation.dynamics.posterior.laplace_posterior import laplace_posterior
from autourdf_ros.estimation.dynamics.robot.described_mechanism import (
    RobotSimulation,
    mechanism_of_urdf,
)
from autourdf_ros.estimation.dynamics.robot.motion_prediction import BY_STAMP, predict_motions
from autourdf_ros.estimation.dynamics.robot.recorded_motions import (
    CuttingOptions,
    fitted_motions,
    predicted_motions,
)
from autourdf_ros.estimation.dynamics.shooting.map_fit import fit_motions

LINK = """<link name="{name}"><inertial><origin xyz="0 0 0"/><mass value="{mass}"/>
<inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial></link>"""
FRICTION = 0.5


@pytest.fixture
def arm(tmp_path):
    """A wheel of 0.01 kg m² about a vertical axis."""
    path = tmp_path / "arm.urdf"
    path.write_text(
        f'<robot name="arm">{LINK.format(name="base", mass=1)}{LINK.format(name="wheel", mass=0.5)}'
        '<joint name="turn" type="continuous"><parent link="base"/><child link="wheel"/>'
        f'<axis xyz="0 0 1"/><dynamics friction="{FRICTION}" damping="0"/></joint></robot>'
    )
    return mechanism_of_urdf(path, ["turn"], RobotSimulation(free=("friction", "damping")))


def test_friction_does_not_fade_with_the_speed_of_a_light_joint(arm):
    model = arm.nominal
    data = mujoco.MjData(model)
    data.qvel[0] = 0.4
    mujoco.mj_forward(model, data)
    assert data.qacc[0] == pytest.approx(-FRICTION / 0.01, rel=0.01)


@pytest.mark.slow
def test_noise_of_forces_is_not_taken_for_noise_of_positions():
    stamps, noise = np.arange(150) / 50.0, 1.0
    forces = np.zeros((len(stamps), 2))
    forces[:, 0] = 4 * np.sin(4.4 * stamps) + 3 * np.sin(8.2 * stamps + 1)
    mechanism = mechanism_of_mjcf(cart_pole(), ("damping", "friction"))
    true = np.log([_truth(name) for name in mechanism.table.names])
    scores = []
    for seed in range(3):
        exact = observed(cart_pole(), stamps, np.array([0.0, 2.0]), seed, forces).motions[0]
        read = forces.copy()
        read[:, 0] += noise * np.random.default_rng(seed).standard_normal(len(stamps))
        noisy = replace(exact, forces=read, force_stds=np.array([noise, 0.0]))
        found = laplace_posterior(
            fit_motions(mechanism, JointMotionData(("slide", "hinge"), (noisy,)), BY_STAMP)
        )
        assert found.warnings == ()
        scores.append((found.mean - true) / found.stds)
    assert np.abs(scores).max() < 3.5
    assert found.stds[list(found.names).index("friction of slide")] > 0.02


def _truth(name):
    kind, _, joint = name.partition(" of ")
    return CART_POLE_TRUTH[f"{joint}_{kind}"]


def test_a_prediction_looks_at_nothing_that_it_predicts(arm):
    recording = spun(arm)
    held_out = predicted_motions(recording, CuttingOptions(predicted=1.0, commanded=True))
    place = arm.table.prior_mean
    place[arm.table.names.index("damping of turn")] = np.log(1e-6)
    made = predict_motions(arm, place, held_out)
    assert made.errors[0] < 0.002
    moved = [replace(one, positions=one.positions + 1.0) for one in held_out.ahead.motions]
    other = replace(held_out, ahead=replace(held_out.ahead, motions=tuple(moved)))
    np.testing.assert_array_equal(predict_motions(arm, place, other).predicted, made.predicted)


def spun(arm):
    """A recording of a wheel that efforts turn, held from stamp to stamp."""
    data, rows = mujoco.MjData(arm.nominal), []
    for step in range(400):
        effort = 1.2 * np.sin(0.09 * step)
        rows.append((step / 100, data.qpos[0], effort))
        data.qfrc_applied[0] = effort
        mujoco.mj_step(arm.nominal, data, 5)
    times, positions, efforts = np.array(rows).T
    positions = positions + 1e-5 * np.random.default_rng(0).standard_normal(len(times))
    return EffortRecording(("turn",), times, positions[:, None], efforts[:, None])


def test_commanded_efforts_are_held_and_read_ones_are_means(arm):
    recording = spun(arm)
    held = fitted_motions(recording, CuttingOptions(commanded=True)).motions[0]
    read = fitted_motions(recording, CuttingOptions()).motions[0]
    np.testing.assert_allclose(read.forces[:-1], (held.forces[:-1] + held.forces[1:]) / 2)
    assert isinstance(held, JointMotion)
    np.testing.assert_allclose(held.forces[:5, 0], recording.efforts[:5, 0])
