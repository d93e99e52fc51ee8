"""Index of a bag from one pass: joint readings, transforms, and headers of the clouds."""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from autourdf_ros.data.bags import topics
from autourdf_ros.data.bags.plain_bag import BagMessage, PlainBag
from autourdf_ros.data.bags.transform_tree import TransformTree
from autourdf_ros.errors import InputError
from autourdf_ros.progress import Progress, staged

TRANSFORMS = "tf2_msgs/msg/TFMessage"


class CloudHeader(NamedTuple):
    """Stamp (ns) and frame of a cloud."""

    stamp: int
    frame_id: str


@dataclass(frozen=True)
class BagTopics:
    """Topics of a bag that are used."""

    clouds: tuple[str, ...]
    joint_states: tuple[str, ...]
    transforms: tuple[str, ...]


@dataclass(frozen=True)
class BagIndex:
    """Contents of a bag without the points.

    Attributes:
        topics: that were read.
        clouds: headers by topic, in the order of reception.
        readings: (stamp in seconds, positions by joint in rad or m).
        transforms: over the time of the bag.
    """

    topics: BagTopics
    clouds: Mapping[str, Sequence[CloudHeader]]
    readings: Sequence[tuple[float, Mapping[str, float]]]
    transforms: TransformTree


def choose_topics(
    bag: PlainBag, clouds: Sequence[str] = (), joint_states: Sequence[str] = ()
) -> BagTopics:
    """Return the topics to use: those given, or else all clouds and the joint states.

    Of several topics of joint states it uses `/joint_states`, or else all with that ending.

    Raises:
        InputError: names a topic that is missing or of another type, and what the bag has.
    """
    if topics.CLOUD.name in bag.types:
        raise InputError(
            f"{bag.path}: is a recording already, it has {topics.CLOUD.name}: 'autourdf "
            "reconstruct' takes it as it is"
        )
    _check_types(bag, clouds, topics.CLOUD.type)
    found = tuple(clouds) or tuple(bag.of_type(topics.CLOUD.type))
    if not found:
        have = [f"{topic} ({kind})" for topic, kind in sorted(bag.types.items())]
        raise InputError(f"{bag.path}: has no {topics.CLOUD.type}; it has {_listed(have)}")
    states = joint_state_topics(bag, joint_states)
    return BagTopics(found, states, tuple(bag.of_type(TRANSFORMS)))


def read_index(bag: PlainBag, chosen: BagTopics, progress: Progress) -> BagIndex:
    """Read everything but the points. Raise InputError naming the topic and time at fault."""
    clouds: dict[str, list[CloudHeader]] = {topic: [] for topic in chosen.clouds}
    readings: list[tuple[float, Mapping[str, float]]] = []
    tree = TransformTree()
    wanted = {*chosen.clouds, *chosen.joint_states, *chosen.transforms}
    for message in bag.messages(wanted, staged(progress, "indexing the bag")):
        try:
            if message.topic in clouds:
                clouds[message.topic].append(_cloud_header(message))
            elif message.topic in chosen.joint_states:
                readings.append(joint_reading(message))
            else:
                add_transforms(tree, message)
        except (struct.error, ValueError, IndexError) as error:
            raise InputError(
                f"{bag.path}: topic {message.topic} at {message.received / 1e9:.3f} s: cannot be "
                f"read as {bag.types[message.topic]} ({error})"
            ) from error
    return BagIndex(chosen, clouds, readings, tree)


def joint_state_topics(bag: PlainBag, given: Sequence[str] = ()) -> tuple[str, ...]:
    """Return the topics of joint states to use: those given, or else as `choose_topics`; or none.

    Raises:
        InputError: as `choose_topics`.
    """
    _check_types(bag, given, topics.JOINT_STATES.type)
    if given:
        return tuple(given)
    found = bag.of_type(topics.JOINT_STATES.type)
    if "/joint_states" in found:
        return ("/joint_states",)
    states = [topic for topic in found if topic.endswith("/joint_states")]
    if len(found) > 1 and not states:
        raise InputError(
            f"{bag.path}: has joint states on {_listed(found)}; give those that the robot "
            "measured with --joint-states"
        )
    return tuple(states or found)


def _check_types(bag: PlainBag, wanted: Sequence[str], kind: str) -> None:
    for topic in wanted:
        if bag.types.get(topic) != kind:
            raise InputError(
                f"{bag.path}: topic {topic} {_described(bag.types.get(topic))}; accepted is "
                f"{kind}: {_listed(bag.of_type(kind))}"
            )


def _cloud_header(message: BagMessage) -> CloudHeader:
    stamp, frame_id = topics.read_header(message.data)
    return CloudHeader(stamp or message.received, frame_id)


def joint_reading(message: BagMessage) -> tuple[float, Mapping[str, float]]:
    """Return stamp (s) and positions of a JointState. Raise ValueError where it is none."""
    state: Any = topics.deserialize(message.data, topics.JOINT_STATES.type)
    stamp = state.header.stamp.sec * 10**9 + state.header.stamp.nanosec
    # A joint may have a velocity or an effort only.
    positions = dict(zip(state.name, state.position.tolist(), strict=False))
    return (stamp or message.received) / 1e9, positions


def add_transforms(tree: TransformTree, message: BagMessage) -> None:
    """Add the transforms of a TFMessage to a tree. Raise ValueError where it is none."""
    is_static = message.topic.endswith("tf_static")
    content: Any = topics.deserialize(message.data, TRANSFORMS)
    for item in content.transforms:
        shift, turn = item.transform.translation, item.transform.rotation
        tree.add(
            (item.header.frame_id, item.child_frame_id),
            item.header.stamp.sec * 10**9 + item.header.stamp.nanosec,
            ([shift.x, shift.y, shift.z], [turn.x, turn.y, turn.z, turn.w]),
            is_static,
        )


def _described(kind: str | None) -> str:
    return "is not in it, or empty" if kind is None else f"is {kind}"


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names) or "(none)"
