"""Conversions between messages and arrays."""

from __future__ import annotations

import platform
from array import array
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from builtin_interfaces.msg import Duration, Time
from diagnostic_msgs.msg import DiagnosticStatus, KeyValue
from geometry_msgs.msg import Transform
from numpy.typing import NDArray
from rclpy.node import Node
from scipy.spatial.transform import Rotation
from sensor_msgs.msg import Image, JointState, PointCloud2, PointField
from std_msgs.msg import ColorRGBA, Header
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from autourdf_ros.commanding.trajectory import Trajectory
from autourdf_ros.errors import InputError


def seconds(stamp: Time | Duration) -> float:
    """Return the seconds of a stamp or duration."""
    return float(stamp.sec + stamp.nanosec * 1e-9)


def clock_time(node: Node) -> float:
    """Return the time of a node's clock (s)."""
    return float(node.get_clock().now().nanoseconds * 1e-9)


def time_message(stamp: float) -> Time:
    """Return the time message of a stamp (s)."""
    return Time(**_split(stamp))


def cloud_from_points(
    points: NDArray[np.floating], colors: NDArray[np.uint8] | None, stamp: float, frame_id: str
) -> PointCloud2:
    """Return a cloud of x, y, z as float32, and of rgb packed in a float32 where there are colours.

    Args:
        points: (N, 3) in `frame_id` (m).
        colors: (N, 3) red, green, blue; None: none.
        stamp: of the cloud (s).
        frame_id: frame of the points.
    """
    names = ["x", "y", "z"] + (["rgb"] if colors is not None else [])
    packed = np.empty((len(points), len(names)), "<f4")
    packed[:, :3] = points
    if colors is not None:
        red, green, blue = colors.astype(np.uint32).T
        packed.view("<u4")[:, 3] = red << 16 | green << 8 | blue
    return PointCloud2(
        header=Header(stamp=time_message(stamp), frame_id=frame_id),
        height=1,
        width=len(packed),
        fields=[
            PointField(name=name, offset=4 * index, datatype=PointField.FLOAT32, count=1)
            for index, name in enumerate(names)
        ],
        is_bigendian=False,
        point_step=4 * len(names),
        row_step=packed.nbytes,
        # The setter checks every element of anything but an array.
        data=array("B", packed.tobytes()),
        is_dense=bool(np.isfinite(packed[:, :3]).all()),
    )


def image_message(pixels: NDArray[Any], encoding: str, header: Header) -> Image:
    """Return pixels (H, W) or (H, W, C) as an Image."""
    height, width = pixels.shape[:2]
    rows = np.ascontiguousarray(pixels, pixels.dtype.newbyteorder("<"))
    return Image(
        header=header,
        height=height,
        width=width,
        encoding=encoding,
        is_bigendian=0,
        step=rows.nbytes // height,
        data=array("B", rows.tobytes()),
    )


def joint_positions(message: JointState) -> dict[str, float]:
    """Return positions (rad or m) by joint; joints without a position are left out."""
    return dict(zip(message.name, message.position, strict=False))


def joint_efforts(message: JointState) -> dict[str, float]:
    """Return efforts (N m or N) by joint; joints without an effort are left out."""
    return dict(zip(message.name, message.effort, strict=False))


def joint_state(
    positions: Mapping[str, float],
    stamp: float,
    velocities: Mapping[str, float] | None = None,
    efforts: Mapping[str, float] | None = None,
) -> JointState:
    """Return a JointState.

    Args:
        positions: by joint (rad or m).
        stamp: of the readings (s).
        velocities: of the same joints (per s); None: none.
        efforts: of the same joints (N m or N); None: none.
    """
    return JointState(
        header=Header(stamp=time_message(stamp)),
        name=list(positions),
        position=[float(value) for value in positions.values()],
        velocity=[float(velocities[name]) for name in positions] if velocities else [],
        effort=[float(efforts[name]) for name in positions] if efforts else [],
    )


def transform_matrix(transform: Transform) -> NDArray[np.float64]:
    """Return the (4, 4) matrix of a transform. Raise InputError unless its quaternion is a unit."""
    rotation, shift = transform.rotation, transform.translation
    quaternion = np.array([rotation.x, rotation.y, rotation.z, rotation.w])
    if not np.isclose(np.linalg.norm(quaternion), 1.0, atol=0.01):
        raise InputError(f"transform with quaternion {quaternion}; accepted is one of norm 1")
    matrix = np.eye(4)
    matrix[:3, :3] = Rotation.from_quat(quaternion).as_matrix()
    matrix[:3, 3] = shift.x, shift.y, shift.z
    return matrix


def transform_message(matrix: NDArray[np.floating]) -> Transform:
    """Return the Transform of a rigid (4, 4) matrix."""
    message = Transform()
    for axis, value in zip("xyz", matrix[:3, 3], strict=True):
        setattr(message.translation, axis, float(value))
    for axis, value in zip("xyzw", Rotation.from_matrix(matrix[:3, :3]).as_quat(), strict=True):
        setattr(message.rotation, axis, float(value))
    return message


def trajectory_message(trajectory: Trajectory) -> JointTrajectory:
    """Return a JointTrajectory that starts when it arrives, from where the robot is then."""
    message = JointTrajectory(joint_names=list(trajectory.joints))
    # A point at time 0 would be a jump where the robot is not exactly there.
    for index in range(1, len(trajectory.times)):
        message.points.append(
            JointTrajectoryPoint(
                positions=trajectory.positions[index].tolist(),
                velocities=trajectory.velocities[index].tolist(),
                accelerations=trajectory.accelerations[index].tolist(),
                time_from_start=Duration(**_split(float(trajectory.times[index]))),
            )
        )
    return message


def diagnostic(
    name: str, level: bytes, message: str, values: Mapping[str, object], hardware: str = ""
) -> DiagnosticStatus:
    """Return a diagnostic status.

    Args:
        name: of what is reported.
        level: DiagnosticStatus.OK, WARN, ERROR or STALE.
        message: one line.
        values: by key, as they are printed; a number that is not finite is `unknown`.
        hardware: name of what it is about: the robot, or this machine where it is empty.
    """
    texts = {key: str(value) for key, value in values.items()}
    pairs = [
        KeyValue(key=key, value="unknown" if text in ("nan", "inf", "-inf") else text)
        for key, text in texts.items()
    ]
    identity = hardware or platform.node() or "unnamed machine"
    return DiagnosticStatus(
        name=name, level=level, message=message, values=pairs, hardware_id=identity
    )


def concatenate(trajectories: Sequence[Trajectory], pause: float) -> Trajectory:
    """Return one trajectory of several, with a pause (s) between two, for display."""
    starts = np.cumsum([0.0, *(part.duration + pause for part in trajectories)])[:-1]
    first = trajectories[0]
    pairs = list(zip(starts, trajectories, strict=True))
    return Trajectory(
        first.joints,
        np.concatenate([start + part.times for start, part in pairs]),
        np.concatenate([part.positions for part in trajectories]),
        np.concatenate([part.velocities for part in trajectories]),
        np.concatenate([part.accelerations for part in trajectories]),
    )


def _split(value: float) -> dict[str, int]:
    nanoseconds = round(value * 1e9)
    return {"sec": nanoseconds // 10**9, "nanosec": nanoseconds % 10**9}


def rgba(color: NDArray[np.float64], alpha: float = 1.0) -> ColorRGBA:
    """Return the colour message of (3,) RGB in [0, 1]."""
    return ColorRGBA(**dict(zip("rgb", np.asarray(color, float).tolist(), strict=True)), a=alpha)
