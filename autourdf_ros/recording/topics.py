"""The topics of a recording, and their messages without a ROS installation.

Recordings are rosbag2 bags stored as MCAP, so that `ros2 bag`, RViz and Foxglove play them.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rosbags.typesys import Stores, get_typestore
from rosbags.typesys.store import Typestore

from autourdf_ros.recording.frame import Frame


@dataclass(frozen=True)
class Topic:
    """A topic of a recording and its message type (`package/msg/Type`)."""

    name: str
    type: str


CLOUD = Topic("/autourdf/cloud", "sensor_msgs/msg/PointCloud2")
JOINT_STATES = Topic("/autourdf/joint_states", "sensor_msgs/msg/JointState")
EVENTS = Topic("/autourdf/events", "std_msgs/msg/String")
TOPICS = (CLOUD, JOINT_STATES, EVENTS)

SEQUENCE_STARTED = "sequence_started"


@cache
def typestore() -> Typestore:
    """Message definitions; those used here are the same in every distribution since Humble."""
    return get_typestore(Stores.ROS2_JAZZY)


def cloud_message(frame: Frame, stamp: int, frame_id: str) -> bytes:
    """PointCloud2 in CDR: x y z float32, and rgb packed as RViz expects it where there are colours.

    stamp: nanoseconds.
    """
    types: Any = typestore().types
    field = types["sensor_msgs/msg/PointField"]
    names = ["x", "y", "z"] + (["rgb"] if frame.colors is not None else [])
    packed = np.empty((len(frame.points), len(names)), np.dtype("<f4"))
    packed[:, :3] = frame.points
    if frame.colors is not None:
        red, green, blue = frame.colors.astype(np.uint32).T
        packed.view("<u4")[:, 3] = red << 16 | green << 8 | blue
    message = types[CLOUD.type](
        header=_header(stamp, frame_id),
        height=1,
        width=len(packed),
        fields=[field(name, 4 * i, field.FLOAT32, 1) for i, name in enumerate(names)],
        is_bigendian=False,
        point_step=4 * len(names),
        row_step=packed.nbytes,
        data=packed.view(np.uint8).reshape(-1),
        is_dense=True,
    )
    return bytes(typestore().serialize_cdr(message, CLOUD.type))


def read_cloud_message(data: bytes) -> tuple[NDArray[np.float32], NDArray[np.uint8] | None, str]:
    """Points (N, 3), colours (N, 3) or None, and frame_id of a message by `cloud_message`.

    Raises ValueError when the message has other fields.
    """
    message: Any = typestore().deserialize_cdr(data, CLOUD.type)
    names = [field.name for field in message.fields]
    if names not in (["x", "y", "z"], ["x", "y", "z", "rgb"]) or message.is_bigendian:
        raise ValueError(f"cloud with fields {names}; accepted are x y z and x y z rgb as float32")
    packed = message.data.view("<f4").reshape(-1, len(names))
    colors = None
    if len(names) == 4:
        rgb = np.ascontiguousarray(packed[:, 3]).view("<u4")
        colors = np.stack([rgb >> 16, rgb >> 8, rgb], axis=1).astype(np.uint8)
    return np.ascontiguousarray(packed[:, :3], np.float32), colors, message.header.frame_id


def joint_state_message(frame: Frame, stamp: int) -> bytes:
    """JointState in CDR with the frame's joint positions. stamp: nanoseconds."""
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
    """Joint positions by name."""
    message: Any = typestore().deserialize_cdr(data, JOINT_STATES.type)
    return dict(zip(message.name, message.position.tolist(), strict=True))


def event_message(event: str, details: dict[str, Any]) -> bytes:
    """String in CDR holding JSON with the key `event`."""
    types: Any = typestore().types
    message = types[EVENTS.type](data=json.dumps({"event": event, **details}))
    return bytes(typestore().serialize_cdr(message, EVENTS.type))


def read_event_message(data: bytes) -> dict[str, Any]:
    """The JSON object of an event."""
    message: Any = typestore().deserialize_cdr(data, EVENTS.type)
    return dict(json.loads(message.data))


def _header(stamp: int, frame_id: str) -> object:
    types: Any = typestore().types
    time = types["builtin_interfaces/msg/Time"](*divmod(stamp, 10**9))
    return types["std_msgs/msg/Header"](stamp=time, frame_id=frame_id)
