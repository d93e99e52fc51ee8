"""Wrenches of a bag: geometry_msgs/WrenchStamped, with the sensor's poses from its transforms."""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.data.bags import topics
from autourdf_ros.data.bags.bag_index import TRANSFORMS, add_transforms
from autourdf_ros.data.bags.plain_bag import PlainBag
from autourdf_ros.data.bags.transform_tree import TransformTree
from autourdf_ros.data.wrenches.wrench_recording import WrenchRecording
from autourdf_ros.data.wrenches.wrench_table import recording_of_poses
from autourdf_ros.errors import InputError
from autourdf_ros.progress import Progress, silent, staged

Array = NDArray[np.float64]

WRENCH_STAMPED = "geometry_msgs/msg/WrenchStamped"


def read_wrench_bag(
    path: Path, topic: str | None = None, world: str | None = None, progress: Progress = silent
) -> WrenchRecording:
    """Return the wrenches of a bag; the sensor's frame is that of the messages.

    Args:
        path: A rosbag2 folder, or an .mcap or .db3 file.
        topic: Of the wrenches; None: the only one.
        world: Frame that does not move, z up; None: the topmost of the transforms.
        progress: Is called with stage and fraction.

    Raises:
        InputError: names the bag, the topic or the frame.
    """
    with PlainBag(path) as bag:
        name = _topic(bag, topic)
        tree = TransformTree()
        found: list[tuple[int, str, list[float]]] = []
        wanted = {name, *bag.of_type(TRANSFORMS)}
        for message in bag.messages(wanted, staged(progress, "reading wrenches")):
            try:
                if message.topic == name:
                    found.append(_wrench(message.data, message.received))
                else:
                    add_transforms(tree, message)
            except (struct.error, ValueError, IndexError) as error:
                raise InputError(
                    f"{path}: topic {message.topic} at {message.received / 1e9:.3f} s: cannot be "
                    f"read as {bag.types[message.topic]} ({error})"
                ) from error
    return _recording(path, name, found, tree, world)


def _topic(bag: PlainBag, topic: str | None) -> str:
    known = bag.of_type(WRENCH_STAMPED)
    if topic is not None and topic in known:
        return topic
    if topic is None and len(known) == 1:
        return known[0]
    what = "no wrenches" if not known else "wrenches on several topics"
    what = what if topic is None else f"no wrenches on {topic}"
    raise InputError(
        f"{bag.path}: has {what}; its topics of {WRENCH_STAMPED} are "
        f"{', '.join(known) or '(none)'}: name one with --topic"
    )


def _wrench(data: bytes, received: int) -> tuple[int, str, list[float]]:
    message: Any = topics.deserialize(data, WRENCH_STAMPED)
    stamp = message.header.stamp.sec * 10**9 + message.header.stamp.nanosec
    force, torque = message.wrench.force, message.wrench.torque
    values = [force.x, force.y, force.z, torque.x, torque.y, torque.z]
    return stamp or received, message.header.frame_id, values


def _recording(
    path: Path,
    topic: str,
    found: list[tuple[int, str, list[float]]],
    tree: TransformTree,
    world: str | None,
) -> WrenchRecording:
    frames = {frame for _, frame, _ in found}
    if len(frames) != 1 or "" in frames:
        raise InputError(
            f"{path}: topic {topic} has wrenches in the frames {sorted(frames)}; accepted is one"
        )
    frame = frames.pop()
    root = world or tree.common_ancestor([frame])
    stamps: list[int] = []
    wrenches: list[list[float]] = []
    poses: list[Array] = []
    apart: list[float] = []
    for stamp, _, values in sorted(found):
        if stamps and stamp == stamps[-1]:
            continue
        pose = _pose(tree, root or frame, frame, stamp)
        if pose is not None:
            stamps.append(stamp)
            wrenches.append(values)
            poses.append(pose)
            apart.append(tree.apart(root or frame, frame, stamp))
    if len(stamps) < 2 or root in (None, frame):
        raise InputError(
            f"{path}: no transforms from {frame!r} to a frame that does not move at the wrenches' "
            f"times; the frames are {', '.join(tree.frames) or '(none)'}: record /tf and /tf_static"
        )
    times = (np.array(stamps) - stamps[0]) / 1e9
    source = f"{path}: {topic}"
    return recording_of_poses(times, np.array(poses), np.array(wrenches), source, np.array(apart))


def _pose(tree: TransformTree, root: str, frame: str, stamp: int) -> Array | None:
    """The sensor's pose; None at a time at which the transforms do not know it."""
    try:
        return tree.lookup(root, frame, stamp)
    except InputError:
        return None
