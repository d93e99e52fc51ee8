"""Topics of a recording, and their messages without a ROS installation.

Recordings are rosbag2 bags stored as MCAP, so that `ros2 bag`, RViz and Foxglove play them.
"""

from __future__ import annotations

import json
import struct
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rosbags.serde import SerdeError
from rosbags.typesys import Stores, get_typestore
from rosbags.typesys.store import Typestore
from scipy.spatial.transform import Rotation

from autourdf_ros.data.frame import Frame


@dataclass(frozen=True)
class Topic:
    """A topic of a recording and its message type (`package/msg/Type`)."""

    name: str
    type: str


CLOUD = Topic("/autourdf/cloud", "sensor_msgs/msg/PointCloud2")
JOINT_STATES = Topic("/autourdf/joint_states", "sensor_msgs/msg/JointState")
EVENTS = Topic("/autourdf/events", "std_msgs/msg/String")
CAMERAS = Topic("/autourdf/cameras", "geometry_msgs/msg/PoseArray")
TOPICS = (CLOUD, JOINT_STATES, CAMERAS, EVENTS)

FORMAT = "autourdf_ros/recording"
"""Name of the metadata record with a recording's `version`."""

SEQUENCE_STARTED = "sequence_started"
RECORDING_STARTED = "recording_started"


@cache
def typestore() -> Typestore:
    """Return the message definitions, which are the same in all distributions since Humble."""
    return get_typestore(Stores.ROS2_JAZZY)


def deserialize(data: bytes, kind: str) -> Any:
    """Return a message of type `kind` from CDR. Raise ValueError where the bytes are none."""
    try:
        return typestore().deserialize_cdr(data, kind)
    except (SerdeError, struct.error, LookupError, OverflowError, MemoryError) as error:
        raise ValueError(f"is no {kind}: {error}") from error


_FIELD_TYPES = {"camera": 6}  # PointField.UINT32


def cloud_message(frame: Frame, stamp: int, frame_id: str) -> bytes:
    """Return a frame as PointCloud2 in CDR.

    Its fields are x y z (float32), rgb packed as RViz expects it, and camera (uint32); the last two
    only where the frame has them.

    Args:
        stamp: nanoseconds.
    """
    types: Any = typestore().types
    field = types["sensor_msgs/msg/PointField"]
    names = ["x", "y", "z"]
    names += ["rgb"] if frame.colors is not None else []
    names += ["camera"] if frame.cameras is not None else []
    packed = np.empty((len(frame.points), len(names)), "<u4")
    packed[:, :3] = np.ascontiguousarray(frame.points, "<f4").view("<u4")
    if frame.colors is not None:
        red, green, blue = frame.colors.astype(np.uint32).T
        packed[:, 3] = red << 16 | green << 8 | blue
    if frame.cameras is not None:
        packed[:, -1] = frame.cameras
    message = types[CLOUD.type](
        header=_header(stamp, frame_id),
        height=1,
        width=len(packed),
        fields=[
            field(name, 4 * index, _FIELD_TYPES.get(name, field.FLOAT32), 1)
            for index, name in enumerate(names)
        ],
        is_bigendian=False,
        point_step=4 * len(names),
        row_step=packed.nbytes,
        data=packed.view(np.uint8).reshape(-1),
        is_dense=True,
    )
    return bytes(typestore().serialize_cdr(message, CLOUD.type))


@dataclass(frozen=True)
class CloudContent:
    """Content of a cloud: points (N, 3), metres, colors (N, 3), cameras (N,), and their frame."""

    points: NDArray[np.float32]
    colors: NDArray[np.uint8] | None
    cameras: NDArray[np.uint8] | None
    frame_id: str


def read_cloud_message(data: bytes) -> CloudContent:
    """Read a message of `cloud_message`. Raise ValueError when it has other fields."""
    message: Any = deserialize(data, CLOUD.type)
    names = [field.name for field in message.fields]
    expected = [name for name in ("x", "y", "z", "rgb", "camera") if name in {*"xyz", *names}]
    if names != expected or message.is_bigendian or message.point_step != 4 * len(names):
        raise ValueError(
            f"cloud with fields {names}; accepted is x y z, optional rgb and camera, of 4 bytes"
        )
    packed = message.data.view("<u4").reshape(-1, len(names))
    colors = cameras = None
    if "rgb" in names:
        rgb = packed[:, 3]
        colors = np.stack([rgb >> 16, rgb >> 8, rgb], axis=1).astype(np.uint8)
    if "camera" in names:
        cameras = packed[:, -1].astype(np.uint8)
    points = np.ascontiguousarray(packed[:, :3]).view("<f4").astype(np.float32, copy=False)
    return CloudContent(points, colors, cameras, message.header.frame_id)


def read_header(data: bytes) -> tuple[int, str]:
    """Return stamp (ns) and frame of a message in CDR that begins with a header.

    It reads the header only.

    Raises:
        struct.error, IndexError, ValueError: there is no header.
    """
    # Four bytes with the byte order, then the stamp, and frame_id with a terminating zero.
    order = "<" if data[1] & 1 else ">"
    sec, nanosec, length = struct.unpack_from(order + "iII", data, 4)
    return sec * 10**9 + nanosec, data[16 : 16 + length - 1].decode()


def joint_state_message(frame: Frame, stamp: int) -> bytes:
    """Return the frame's joint positions as JointState in CDR. stamp: nanoseconds."""
    positions = frame.joint_positions or {}
    empty = np.zeros(0)
    types: Any = typestore().types
    message = types[JOINT_STATES.type](
        header=_header(stamp, ""),
        name=list(positions),
        position=np.array(list(positions.values()), float),
        velocity=empty,
        effort=empty,
    )
    return bytes(typestore().serialize_cdr(message, JOINT_STATES.type))


def read_joint_state_message(data: bytes) -> dict[str, float]:
    """Read joint positions by name (rad or m)."""
    message: Any = deserialize(data, JOINT_STATES.type)
    return dict(zip(message.name, message.position.tolist(), strict=True))


def cameras_message(poses: NDArray[np.float64], stamp: int, frame_id: str) -> bytes:
    """Return poses (C, 4, 4) of the cameras' optical frames as PoseArray in CDR. stamp: ns."""
    types: Any = typestore().types
    pose, point = types["geometry_msgs/msg/Pose"], types["geometry_msgs/msg/Point"]
    quaternion = types["geometry_msgs/msg/Quaternion"]
    turns = Rotation.from_matrix(poses[:, :3, :3]).as_quat().tolist()
    message = types[CAMERAS.type](
        header=_header(stamp, frame_id),
        poses=[
            pose(position=point(*place), orientation=quaternion(*turn))
            for place, turn in zip(poses[:, :3, 3].tolist(), turns, strict=True)
        ],
    )
    return bytes(typestore().serialize_cdr(message, CAMERAS.type))


def read_cameras_message(data: bytes) -> NDArray[np.float64]:
    """Read poses (C, 4, 4). Raise ValueError where a quaternion is zero."""
    message: Any = deserialize(data, CAMERAS.type)
    poses = np.tile(np.eye(4), (len(message.poses), 1, 1))
    for matrix, pose in zip(poses, message.poses, strict=True):
        turn, place = pose.orientation, pose.position
        matrix[:3, :3] = Rotation.from_quat([turn.x, turn.y, turn.z, turn.w]).as_matrix()
        matrix[:3, 3] = place.x, place.y, place.z
    return poses


def event_message(event: str, details: dict[str, Any]) -> bytes:
    """Return an event as String in CDR: JSON with the key `event`."""
    types: Any = typestore().types
    message = types[EVENTS.type](data=json.dumps({"event": event, **details}))
    return bytes(typestore().serialize_cdr(message, EVENTS.type))


def read_event_message(data: bytes) -> dict[str, Any]:
    """Read the JSON object of an event."""
    message: Any = deserialize(data, EVENTS.type)
    return dict(json.loads(message.data))


def _header(stamp: int, frame_id: str) -> object:
    types: Any = typestore().types
    time = types["builtin_interfaces/msg/Time"](*divmod(stamp, 10**9))
    return types["std_msgs/msg/Header"](stamp=time, frame_id=frame_id)
