"""Tests of the benchmark's trajectories."""

import numpy as np
import pytest
from weighed_tools import true_parameters, weighed

from autourdf_ros.data.wrenches.trajectory_file import read_trajectory
from autourdf_ros.errors import InputError
from autourdf_ros.estimation.inertia.payload.regressor import recording_regressor


def arrays():
    """A physical trajectory in the world frame."""
    still = weighed(0.0, 0.0)
    turns = still.sensor_poses[:, :3, :3]

    def in_world(values):
        return np.einsum("nij,nkj->nki", turns, values.reshape(-1, 2, 3)).reshape(-1, 6)

    return {
        "time": still.times,
        "sensor_pose": still.sensor_poses,
        "object_pose": still.sensor_poses,
        "sensor_vel": in_world(still.velocities),
        "sensor_acc": in_world(still.accelerations),
        "wrench": in_world(still.wrenches),
    }


def test_a_physical_trajectory_is_read_as_it_is(tmp_path):
    np.savez(tmp_path / "t.npz", **arrays())
    recording, pose = read_trajectory(tmp_path / "t.npz", mirrored=False)
    predicted = recording_regressor(recording) @ true_parameters()
    np.testing.assert_allclose(recording.wrenches, predicted, atol=1e-9)
    np.testing.assert_allclose(pose, np.eye(4), atol=1e-12)


def test_mirrored_wrenches_become_physical(tmp_path):
    content = arrays()
    still = weighed(0.0, 0.0)
    # m (g + a): physics with accelerations and centrifugal terms of the other sign.
    turned = np.einsum(
        "nij,nkj->nki",
        still.sensor_poses[:, :3, :3],
        _mirrored_wrenches(still).reshape(-1, 2, 3),
    )
    np.savez(tmp_path / "t.npz", **{**content, "wrench": turned.reshape(-1, 6)})
    recording, _ = read_trajectory(tmp_path / "t.npz", mirrored=True)
    predicted = recording_regressor(recording) @ true_parameters()
    np.testing.assert_allclose(recording.wrenches, predicted, atol=1e-9)


def _mirrored_wrenches(still):
    rest = recording_regressor(
        type(still)(
            still.times,
            still.sensor_poses,
            0 * still.velocities,
            0 * still.accelerations,
            still.wrenches,
        )
    )
    return 2 * rest @ true_parameters() - recording_regressor(still) @ true_parameters()


def test_what_is_missing_or_of_another_shape_is_named(tmp_path):
    content = arrays()
    np.savez(tmp_path / "t.npz", **{key: content[key] for key in content if key != "wrench"})
    with pytest.raises(InputError, match="lacks wrench"):
        read_trajectory(tmp_path / "t.npz", mirrored=True)
    np.savez(tmp_path / "t.npz", **{**content, "wrench": content["wrench"][:, :3]})
    with pytest.raises(InputError, match="wrench of shape"):
        read_trajectory(tmp_path / "t.npz", mirrored=True)
