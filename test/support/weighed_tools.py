"""A held object of two materials, and the wrenches that it exerts on a sensor that turns slowly."""

from dataclasses import replace

import numpy as np
from scipy.spatial.transform import Rotation, Slerp

from autourdf_ros.data.wrenches.wrench_recording import WrenchRecording
from autourdf_ros.estimation.inertia.payload.payload_data import PayloadData
from autourdf_ros.estimation.inertia.payload.regressor import recording_regressor
from autourdf_ros.model.inertial.inertial_parameters import moved, parameters_of
from autourdf_ros.shape.solid.solid_body import SolidBody

CELL = 0.006
WOOD, STEEL = 700.0, 7800.0
POSE = np.array([[1, 0, 0, 0.01], [0, 0, -1, 0.02], [0, 1, 0, 0.05], [0, 0, 0, 1.0]])
"""Of the object's frame in the sensor's frame."""


def _block(low, high):
    axes = [np.arange(a + CELL / 2, b, CELL) for a, b in zip(low, high, strict=True)]
    return np.stack(np.meshgrid(*axes, indexing="ij"), -1).reshape(-1, 3)


def mallet(shape_std=2e-4):
    """Return a body with a brown handle along x and a grey head, and its elements' densities."""
    handle = _block((-0.12, -0.012, -0.012), (0.06, 0.012, 0.012))
    head = _block((0.06, -0.048, -0.024), (0.108, 0.048, 0.024))
    centres = np.concatenate([handle, head])
    is_head = np.arange(len(centres)) >= len(handle)
    colours = np.where(is_head[:, None], [0.5, 0.5, 0.55], [0.5, 0.3, 0.1])
    body = SolidBody(
        centres,
        np.full(len(centres), CELL**3),
        np.tile(np.eye(3) * CELL**5 / 12, (len(centres), 1, 1)),
        colours,
        np.ones(len(centres), bool),
        shape_std,
    )
    return body, np.where(is_head, STEEL, WOOD)


def true_parameters():
    body, density = mallet()
    return moved(density @ body.element_parameters(), POSE)


def slow_motion(count=600, seconds=6.0):
    """Return noise-free records of a sensor that turns between orientations and stops."""
    times = np.linspace(0, seconds, count)
    turns = [[0, 0, 0], [1.4, 0, 0], [1.4, 1.2, 0], [0, 1.2, 0.5], [-1.0, 0.3, 0], [0, 0, 1.0]]
    phase = times / seconds * (len(turns) - 1)
    whole = np.minimum(phase.astype(int), len(turns) - 2)
    part = np.clip((phase - whole) * 1.6, 0, 1)
    smooth = whole + part**3 * (10 - 15 * part + 6 * part**2)
    rotations = Rotation.from_euler("xyz", turns)
    poses = np.tile(np.eye(4), (count, 1, 1))
    poses[:, :3, :3] = Slerp(np.arange(len(turns)), rotations)(smooth).as_matrix()
    poses[:, :3, 3] = np.column_stack([0.1 * smooth, 0.05 * np.sin(smooth), 0.3 + 0.05 * smooth])
    return times, poses


def still_recording():
    """Return the motion as a recording without wrenches, its accelerations from the poses."""
    from autourdf_ros.data.wrenches.wrench_table import recording_of_poses

    times, poses = slow_motion()
    return recording_of_poses(times, poses, np.zeros((len(times), 6)), "test")


def weighed(force=0.05, torque=0.0025, seed=0, parameters=None, bias=(0.0,) * 6):
    """Return the records of the mallet, with noise on wrenches and accelerations."""
    still = still_recording()
    random = np.random.default_rng(seed)
    load = true_parameters() if parameters is None else parameters
    wrenches = recording_regressor(still) @ load + np.asarray(bias)
    wrenches += np.repeat([force, torque], 3) * random.standard_normal(wrenches.shape)
    motion = (force / 2, 5 * force)
    noise = np.repeat(motion, 3) * random.standard_normal(wrenches.shape)
    return replace(
        still,
        wrenches=wrenches,
        accelerations=still.accelerations + noise,
        acceleration_std=motion,
        wrench_std=(force, torque),
    )


def data_of(recording: WrenchRecording, **changes) -> PayloadData:
    return PayloadData(recording, mallet()[0], POSE, **changes)


def random_parameters(seed, points=6):
    random = np.random.default_rng(seed)
    weights = random.uniform(0.1, 1, points)
    homogeneous = np.column_stack([random.normal(0, 0.1, (points, 3)), np.ones(points)])
    return parameters_of((homogeneous.T * weights) @ homogeneous)
