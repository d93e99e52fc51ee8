"""Write extrinsics as files and commands that ROS takes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import yaml
from scipy.spatial.transform import Rotation

from autourdf_ros.estimation.extrinsics.estimate import Extrinsics
from autourdf_ros.geometry.arrays import Array


def default_frames(count: int) -> tuple[str, ...]:
    """Return names of the cameras' optical frames for users who give none."""
    return tuple(f"camera_{number}_optical_frame" for number in range(1, count + 1))


def publisher_lines(poses: Array, parent: str, frames: Sequence[str]) -> list[str]:
    """Return a command for every camera that publishes its pose (4, 4) in the frame `parent`."""
    lines = []
    for pose, frame in zip(poses, frames, strict=True):
        values = [*pose[:3, 3], *_quaternion(pose)]
        names = ("x", "y", "z", "qx", "qy", "qz", "qw")
        numbers = " ".join(
            f"--{name} {value:.6f}" for name, value in zip(names, values, strict=True)
        )
        lines.append(
            f"ros2 run tf2_ros static_transform_publisher {numbers} --frame-id {parent} "
            f"--child-frame-id {frame}"
        )
    return lines


def as_yaml(found: Extrinsics, parent: str, frames: Sequence[str]) -> str:
    """Return it as YAML: transforms in m and quaternions (x, y, z, w), deviations, verdict."""
    cameras = [
        {
            "frame_id": parent,
            "child_frame_id": frame,
            "translation": [round(float(value), 6) for value in pose[:3, 3]],
            "rotation": [round(float(value), 8) for value in _quaternion(pose)],
            "turn_std_rad": float(f"{turn:.3g}"),
            "shift_std_m": float(f"{shift:.3g}"),
        }
        for pose, frame, turn, shift in zip(
            found.poses, frames, found.turn_stds, found.shift_stds, strict=True
        )
    ]
    content = {
        "verdict": found.verdict,
        "doubts": list(found.doubts),
        "began_from": found.origin,
        "noise_m": float(f"{found.noise:.3g}"),
        "cameras": cameras,
    }
    return str(yaml.safe_dump(content, sort_keys=False))


def _quaternion(pose: Array) -> Array:
    turn = Rotation.from_matrix(pose[:3, :3]).as_quat(canonical=True)
    return np.asarray(turn)
