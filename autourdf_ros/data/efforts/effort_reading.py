"""Reads positions and efforts of joints from a bag, a CSV or an NPZ file."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.data.bags.plain_bag import PlainBag
from autourdf_ros.data.bags.topics import JOINT_STATES, deserialize
from autourdf_ros.data.efforts.effort_files import read_csv_efforts, read_npz_efforts
from autourdf_ros.data.efforts.effort_recording import EffortRecording
from autourdf_ros.errors import InputError
from autourdf_ros.progress import Progress, silent

Array = NDArray[np.float64]

_MOST_MESSAGES = 3_000_000  # a resource bound: eight minutes at 1 kHz and six topics
_NO_EFFORTS = (
    "accepted are JointState messages that hold a position and an effort for every name: switch "
    "the driver's effort readings on"
)


def read_efforts(
    path: Path, topic: str | None = None, progress: Progress = silent
) -> EffortRecording:
    """Read a recording of joint efforts.

    Args:
        path: A rosbag2 folder, an .mcap or .db3 file, or a .csv or .npz file.
        topic: Of JointState messages in a bag; None: the only one, or /joint_states.
        progress: Is called with stage and fraction.

    Raises:
        InputError: naming file, topic and joint, and what is accepted.
    """
    if not path.exists():
        raise InputError(f"{path}: does not exist; accepted is a bag, a .csv or an .npz file")
    if path.suffix.lower() == ".csv":
        return read_csv_efforts(path)
    if path.suffix.lower() == ".npz":
        return read_npz_efforts(path)
    with PlainBag(path) as bag:
        chosen = _topic(bag, topic)
        return _joined(_messages(bag, chosen, progress), f"{path}: topic {chosen}")


def _topic(bag: PlainBag, topic: str | None) -> str:
    found = bag.of_type(JOINT_STATES.type)
    if topic is not None:
        if topic not in found:
            raise InputError(
                f"{bag.path}: has no topic {topic!r} of type {JOINT_STATES.type}; it has "
                f"{', '.join(found) or 'none of that type'}"
            )
        return topic
    if len(found) == 1:
        return found[0]
    if "/joint_states" in found:
        return "/joint_states"
    raise InputError(
        f"{bag.path}: topics of type {JOINT_STATES.type}: {', '.join(found) or 'none'}; accepted "
        "is one of them, by --topic"
    )


def _messages(
    bag: PlainBag, topic: str, progress: Progress
) -> Iterator[tuple[float, tuple[str, ...], Array, Array, Array]]:
    """Stamp, names, and positions, velocities and efforts, of every message."""
    for number, message in enumerate(
        bag.messages([topic], lambda share: progress("reading efforts", share))
    ):
        where = f"{bag.path}: topic {topic}: message {number + 1}"
        if number >= _MOST_MESSAGES:
            raise InputError(f"{where}; accepted are up to {_MOST_MESSAGES} messages")
        try:
            content = deserialize(message.data, JOINT_STATES.type)
        except ValueError as error:
            raise InputError(f"{where} {error}") from error
        names = tuple(content.name)
        values = [np.asarray(content.position), np.asarray(content.velocity)]
        values.append(np.asarray(content.effort))
        if len(values[0]) != len(names) or any(len(one) not in (0, len(names)) for one in values):
            raise InputError(
                f"{where} has {len(names)} names, {len(values[0])} positions, {len(values[1])} "
                f"velocities and {len(values[2])} efforts; {_NO_EFFORTS}"
            )
        stamp = content.header.stamp
        time = stamp.sec + stamp.nanosec / 1e9 or message.received / 1e9
        yield time, names, values[0], values[1], values[2]


def _joined(
    messages: Iterator[tuple[float, tuple[str, ...], Array, Array, Array]], source: str
) -> EffortRecording:
    """One table of all messages; joints of messages of their own, at the first ones' stamps."""
    tables: dict[tuple[str, ...], list[Array]] = {}
    silent_names: dict[str, None] = {}
    for time, names, positions, velocities, efforts in messages:
        if not len(efforts):
            silent_names.update(dict.fromkeys(names))
            continue
        speeds = velocities if len(velocities) else np.full(len(names), np.nan)
        row = np.concatenate([[time], positions, efforts, speeds])
        tables.setdefault(names, []).append(row)
    if not tables:
        named = (
            f"efforts of {', '.join(silent_names)} are missing" if silent_names else "no message"
        )
        raise InputError(f"{source}: {named}; {_NO_EFFORTS}")
    sorted_tables = {names: _in_order(rows) for names, rows in tables.items()}
    main = max(sorted_tables, key=lambda names: len(sorted_tables[names]) * len(names))
    times = sorted_tables[main][:, 0]
    joints: list[str] = []
    columns: list[Array] = []
    for names, table in sorted_tables.items():
        # Joints of another message count at the stamps of the first; a few stray ones do not.
        if len(table) < 2 or not set(names).isdisjoint(joints):
            continue
        joints += names
        own = table[:, 1:]
        if names != main:
            own = np.column_stack([np.interp(times, table[:, 0], column) for column in own.T])
        columns.append(own.reshape(len(times), 3, len(names)))
    positions, efforts, speeds = np.concatenate(columns, axis=2).transpose(1, 0, 2)
    known = None if np.isnan(speeds).any() else speeds
    return EffortRecording(tuple(joints), times, positions, efforts, known, source)


def _in_order(rows: list[Array]) -> Array:
    """The records in the order of their stamps, each stamp once."""
    table = np.array(rows)
    _, first = np.unique(table[:, 0], return_index=True)
    return np.asarray(table[first])
