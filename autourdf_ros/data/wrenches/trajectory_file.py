"""Trajectories of the payload benchmark: NPZ files of a simulated motion in the world frame."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.data.cloud_files.npz_reading import read_npz
from autourdf_ros.data.wrenches.wrench_recording import GRAVITY, WrenchRecording
from autourdf_ros.errors import InputError

Array = NDArray[np.float64]

ARRAYS = ("time", "sensor_pose", "sensor_vel", "sensor_acc", "wrench", "object_pose")


def read_trajectory(file: Path, mirrored: bool) -> tuple[WrenchRecording, Array]:
    """Return a noise-free trajectory and the object's pose (4, 4) in the sensor's frame.

    Args:
        file: With `ARRAYS`, all in the world frame: poses (n, 4, 4); vel, acc and wrench (n, 6),
            linear part first, of the sensor's origin.
        mirrored: Whether the wrenches are m (g + a), not the physical m (g - a), as in the data of
            Nadeau et al. Their negatives obey physics where gravity points upwards, and so they
            are returned.

    Raises:
        InputError: names the file and the array.
    """
    found = read_npz(file, ARRAYS)
    if lacking := [name for name in ARRAYS if name not in found]:
        raise InputError(f"{file}: lacks {', '.join(lacking)}; accepted are {', '.join(ARRAYS)}")
    poses = np.asarray(found["sensor_pose"], float)
    if poses.ndim != 3 or poses.shape[1:] != (4, 4):
        raise InputError(f"{file}: sensor_pose of shape {poses.shape}; accepted is (n, 4, 4)")
    sign = -1.0 if mirrored else 1.0
    recording = WrenchRecording(
        times=np.asarray(found["time"], float),
        sensor_poses=poses,
        velocities=_turned(file, "sensor_vel", found["sensor_vel"], poses),
        accelerations=_turned(file, "sensor_acc", found["sensor_acc"], poses),
        wrenches=sign * _turned(file, "wrench", found["wrench"], poses),
        gravity=sign * np.array(GRAVITY),
        source=str(file),
    )
    return recording, np.linalg.inv(poses[0]) @ np.asarray(found["object_pose"][0], float)


def _turned(file: Path, name: str, values: Array, poses: Array) -> Array:
    """Vectors (n, 6) of the world frame along the sensor's axes."""
    if np.shape(values) != (len(poses), 6):
        raise InputError(
            f"{file}: {name} of shape {np.shape(values)}; accepted is ({len(poses)}, 6)"
        )
    pairs = np.asarray(values, float).reshape(-1, 2, 3)
    return np.asarray(np.einsum("nji,nkj->nki", poses[:, :3, :3], pairs).reshape(-1, 6))
