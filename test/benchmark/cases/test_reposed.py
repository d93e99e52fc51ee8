from dataclasses import replace

import numpy as np
import pytest
import trimesh
from scipy.spatial.transform import Rotation
from skeletons import write_plates

from autourdf_ros.assessment.metrics.registration_error import registration_error
from autourdf_ros.assessment.metrics.truth.truth import urdf_truth
from autourdf_ros.benchmark.cases.reposed import reposed_error
from autourdf_ros.data.frame import Frame, Recording, Sequence
from autourdf_ros.estimation.motion.reconstruction import Reconstruction, SequenceMotion
from autourdf_ros.model.layers.shape import Surface
from autourdf_ros.model.self_model import Joint, Link, SelfModel
from autourdf_ros.model.urdf.posed_urdf import read_urdf
from autourdf_ros.model.urdf.simulated_robot import SimulatedRobot
from autourdf_ros.simulation.recordings.recorder import RecorderOptions
from autourdf_ros.simulation.simulated_cell import CellOptions

OPTIONS = RecorderOptions(points=1500, cell=CellOptions(cameras=8, width=160, height=160))
START = {"spin": 0.2, "hinge": -0.3, "nod": 0.4}


@pytest.fixture(scope="module")
def urdf(tmp_path_factory):
    return write_plates(tmp_path_factory.mktemp("robot"))


@pytest.fixture(scope="module")
def truth(urdf):
    return urdf_truth(read_urdf(urdf), START)


@pytest.fixture(scope="module")
def robot(urdf):
    return SimulatedRobot(urdf)


@pytest.fixture(scope="module")
def model(robot, truth):
    """The true robot as a reconstruction would hand it over, axes the other way round."""
    poses = truth.robot.body_poses(START)
    links = []
    for number, (mesh, pose) in enumerate(zip(robot.surfaces, poses, strict=True)):
        points, normals = np.empty((0, 3)), np.empty((0, 3))
        if mesh is not None:
            shape = trimesh.Trimesh(mesh.vertices, mesh.triangles, process=False)
            shape.apply_transform(pose)
            points, faces = trimesh.sample.sample_surface(shape, 3000, seed=number)
            normals = shape.face_normals[faces]
        links.append(Link(f"body_{number}", Surface(points, normals)))
    joints = [
        Joint(j.name, j.type, f"body_{j.parent}", f"body_{j.child}", -j.axis, j.point, -3, 3, 0.7)
        for j in truth.skeleton.joints
    ]
    return SelfModel.of("robot", tuple(links), tuple(joints))


def test_the_true_model_is_at_the_floor(model, truth, robot):
    error = reposed_error(model, truth, robot, OPTIONS, configurations=3)
    assert 0 < error.floor < 0.02
    assert error.distance < 1.3 * error.floor


def test_ground_and_clutter_do_not_count(model, truth, robot):
    cell = replace(OPTIONS.cell, ground=True, clutter=3, elevations=(15.0, 60.0))
    error = reposed_error(model, truth, robot, replace(OPTIONS, cell=cell), configurations=1)
    assert error.floor < 0.02
    assert error.distance < 0.05


@pytest.mark.slow
def test_a_wrong_axis_shows(model, truth, robot):
    tilt = Rotation.from_rotvec([0, np.radians(20), 0])
    joints = [replace(j, axis=tilt.apply(j.axis)) for j in model.joints]
    wrong = model.with_parts(joints=joints)
    right = reposed_error(model, truth, robot, OPTIONS, configurations=3)
    error = reposed_error(wrong, truth, robot, OPTIONS, configurations=3)
    assert error.floor == right.floor  # one seed gives one measurement
    assert error.distance > 1.5 * right.distance


def test_the_registration_is_as_good_as_its_motion(model, truth):
    """Points of the reference frame, moved with the true and with a wrong motion."""
    true = truth.robot
    sizes = [len(link.surface.points) for link in model.links]
    labels = np.repeat(np.arange(len(sizes)), sizes)
    points = np.concatenate([link.surface.points for link in model.links])
    values = np.array([[START.get(name, 0.0) for name in true.joint_names]] * 3)
    values += np.linspace(0, 0.4, 3)[:, None]
    reference = true.body_poses(START)
    frames = []
    for row in values:
        moved = true.body_poses(dict(zip(true.joint_names, row, strict=True)))
        motion = (moved @ np.linalg.inv(reference))[labels]
        cloud = np.einsum("nij,nj->ni", motion[:, :3, :3], points) + motion[:, :3, 3]
        frames.append(Frame(cloud.astype(np.float32)))
    recording = Recording((Sequence(tuple(frames)),))
    start = np.array([START.get(name, 0.0) for name in true.joint_names])
    # The model's axes point the other way, and its reference value is 0.7.
    estimated = 0.7 - (values - start)

    def error(joint_values):
        motion = SequenceMotion(
            joint_values,
            np.zeros_like(joint_values),
            np.tile(np.eye(4), (3, 1, 1)),
            np.zeros(3),
            np.ones(3, bool),
            np.zeros(3, bool),
        )
        return registration_error(
            Reconstruction(model, (motion,), 0.0005, points, labels, "trusted"), recording
        )

    assert error(estimated) == pytest.approx(0, abs=1e-6)
    assert error(estimated + 0.1) > 1e-4
    assert np.isnan(error(np.full_like(estimated, np.nan)))
