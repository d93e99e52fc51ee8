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


def hasty_recording(move, seed=0, uneven=False, jolts=False, parameters=None):
    """Return stamped poses and noisy wrenches of the mallet on a sensor that moves and stops.

    Args:
        move: Seconds from one orientation to the next, which follows a quintic; stops take 0.4 s.
        seed: Of the noise.
        uneven: Steps of 1 to 24 ms, not about 10 ms.
        jolts: Whether the acceleration is constant, then its opposite, and no quintic's.
        parameters: (10,) of all that hangs on the sensor; None: of the mallet.
    """
    from autourdf_ros.data.wrenches.wrench_table import recording_of_poses

    random = np.random.default_rng(seed)
    seconds = 5 * (move + 0.4)
    times = np.arange(0, seconds, 0.01)
    times = np.sort(times + random.uniform(-0.004, 0.004, len(times)))
    if uneven:
        times = np.cumsum(random.uniform(0.001, 0.024, int(seconds / 0.0125)))
    moving = _exact_motion(times, move, jolts)
    load = true_parameters() if parameters is None else parameters
    noise = np.repeat([0.05, 0.0025], 3) * random.standard_normal((len(times), 6))
    wrenches = recording_regressor(moving) @ load + noise
    poses = moving.sensor_poses.copy()
    poses[:, :3, 3] += 1e-5 * random.standard_normal((len(times), 3))
    turned = Rotation.from_rotvec(1e-5 * random.standard_normal((len(times), 3)))
    poses[:, :3, :3] = poses[:, :3, :3] @ turned.as_matrix()
    return recording_of_poses(times, poses, wrenches, "hasty")


def _hasty_poses(times, move, jolts):
    angles = np.array(
        [[0, 0, 0], [1.4, 0, 0], [1.4, 1.2, 0], [0, 1.2, 0.5], [-1.0, 0.3, 0], [0, 0, 1.0]]
    )
    whole = np.clip((times / (move + 0.4)).astype(int), 0, 4)
    part = np.clip((times - whole * (move + 0.4)) / move, 0, 1)
    if jolts:
        part = np.where(part < 0.5, 2 * part**2, 1 - 2 * (1 - part) ** 2)
    else:
        part = part**3 * (10 - 15 * part + 6 * part**2)
    turns = angles[whole] + (angles[whole + 1] - angles[whole]) * part[:, None]
    done = whole + part
    poses = np.tile(np.eye(4), (len(times), 1, 1))
    poses[:, :3, :3] = Rotation.from_euler("xyz", turns).as_matrix()
    poses[:, :3, 3] = np.column_stack([0.1 * done, 0.05 * np.sin(done), 0.3 + 0.05 * done])
    return poses


def _exact_motion(times, move, jolts, step=1e-4):
    """Velocities and accelerations by differences of noise-free poses, far below the records'."""
    before, now, after = (_hasty_poses(times + shift, move, jolts) for shift in (-step, 0, step))
    back = now[:, :3, :3].transpose(0, 2, 1)
    own = lambda vectors: np.einsum("nij,nj->ni", back, vectors)  # noqa: E731
    places = [one[:, :3, 3] for one in (before, now, after)]
    early = -Rotation.from_matrix(back @ before[:, :3, :3]).as_rotvec()
    late = Rotation.from_matrix(back @ after[:, :3, :3]).as_rotvec()
    linear = own(places[2] - places[0]) / (2 * step), own(np.diff(places, 2, axis=0)[0]) / step**2
    angular = (early + late) / (2 * step), (late - early) / step**2
    velocities, accelerations = (np.hstack(pair) for pair in zip(linear, angular, strict=True))
    return WrenchRecording(times, now, velocities, accelerations, np.zeros_like(velocities))
