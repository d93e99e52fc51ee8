import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from skeletons import JOINTS, NOISE, recorded, write_plates

from autourdf_ros.assessment.metrics.truth.body_points import BodySurfaces
from autourdf_ros.assessment.metrics.truth.observability import joint_visibilities, noise_level
from autourdf_ros.assessment.metrics.truth.true_motion import (
    TrueMotion,
    read_motion,
    written_motion,
)
from autourdf_ros.data.frame import Frame, Recording, Sequence
from autourdf_ros.errors import InputError
from autourdf_ros.model.urdf.simulated_robot import SimulatedRobot

NAMES = [name for name, *_ in JOINTS]


@pytest.fixture(scope="module")
def robot(tmp_path_factory):
    return SimulatedRobot(write_plates(tmp_path_factory.mktemp("robot")))


def swinging(robot, moving, amplitude=0.5, frames=6):
    values = np.zeros((frames, len(robot.names)))
    for name in moving:
        values[:, robot.names.index(name)] = amplitude * np.sin(np.linspace(0, 2, frames))
    return values


def seen(robot, values):
    recording = recorded(robot, values)
    motion = TrueMotion(robot, values, np.tile(np.eye(4), (len(values), 1, 1)))
    return {item.name for item in joint_visibilities(recording, motion) if item.observable}


def test_a_spinning_cylinder_and_a_body_without_shape_cannot_be_seen(robot):
    assert seen(robot, swinging(robot, NAMES)) == {"hinge", "nod"}


@pytest.mark.parametrize("still", ["hinge", "nod"])
def test_a_joint_that_did_not_move_cannot_be_seen(robot, still):
    moving = [name for name in NAMES if name != still]
    assert seen(robot, swinging(robot, moving)) == {"hinge", "nod"} - {still}


@pytest.mark.slow
@settings(max_examples=5, deadline=None)
@given(st.integers(0, 1000))
def test_the_rise_grows_with_the_square_of_the_motion(robot, seed):
    def rise(amplitude):
        values = swinging(robot, ["hinge"], amplitude)
        motion = TrueMotion(robot, values, np.tile(np.eye(4), (len(values), 1, 1)))
        judged = joint_visibilities(recorded(robot, values, seed), motion)
        return next(item.rise for item in judged if item.name == "hinge")

    assert rise(0.06) == pytest.approx(4 * rise(0.03), rel=0.15)


def test_the_noise_is_measured(robot):
    values = swinging(robot, NAMES)
    recording = recorded(robot, values)
    surfaces = BodySurfaces(robot.surfaces)
    motion = TrueMotion(robot, values, np.tile(np.eye(4), (len(values), 1, 1)))
    attributed = [
        surfaces.attribute(frame.points, poses)
        for frame, poses in zip(recording.frames, motion.poses, strict=True)
    ]
    assert noise_level(attributed) == pytest.approx(NOISE, rel=0.05)
    sizes = np.bincount(attributed[0].labels)
    assert sizes[robot.names.index("blind") + 1] == 0
    np.testing.assert_allclose(sizes[sizes > 0], 600, atol=30)


def test_points_far_from_the_robot_belong_to_nothing(robot):
    surfaces = BodySurfaces(robot.surfaces)
    poses = robot.body_poses(np.zeros(len(robot.names)))
    points = surfaces.attribute(np.array([[5, 5, 5], [0.15, 0.15, 0.05]], np.float32), poses)
    assert points.labels.tolist() == [-1, 0]


def test_the_motion_comes_from_the_readings(robot):
    values = swinging(robot, NAMES)
    recording = recorded(robot, values, count=10)
    np.testing.assert_array_equal(read_motion(robot, recording).values, values)
    frames = (*recording.frames, Frame(np.zeros((1, 3), np.float32), joint_positions={"spin": 0}))
    with pytest.raises(InputError, match="frame 6 has no reading of joint blind, hinge, nod"):
        read_motion(robot, Recording((Sequence(frames),)))


def test_the_motion_comes_from_the_truth_file(robot, tmp_path):
    values = swinging(robot, NAMES)
    recording = recorded(robot, values, count=10)
    frames = [
        {"joints": dict(zip(robot.names, row, strict=True)), "shift": [0.01 * number, 0, 0]}
        for number, row in enumerate(values.tolist())
    ]
    path = tmp_path / "truth.json"
    path.write_text(json.dumps({"sequences": [{"frames": frames}]}))
    motion = written_motion(path, robot, recording)
    np.testing.assert_array_equal(motion.values, values)
    expected = robot.body_poses(values[3])[2, :3, 3] + [0.03, 0, 0]
    np.testing.assert_allclose(motion.poses[3, 2, :3, 3], expected, atol=1e-12)
    path.write_text(json.dumps({"sequences": [{"frames": frames[1:]}]}))
    with pytest.raises(InputError, match="has 5 frames, the recording 6"):
        written_motion(path, robot, recording)
    path.write_text("{}")
    with pytest.raises(InputError, match="holds no joint values"):
        written_motion(path, robot, recording)
