"""Prepares an existing recording for further frames."""

from __future__ import annotations

import struct
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from mcap.exceptions import McapError
from mcap.reader import make_reader

from autourdf_ros.data.bags import recording_bag as bag
from autourdf_ros.data.bags import topics
from autourdf_ros.data.bags.bag_metadata import BagFile
from autourdf_ros.data.bags.bag_repair import is_cut, repair_in_place
from autourdf_ros.data.cloud_files.frame_folder import natural_key
from autourdf_ros.errors import InputError


@dataclass(frozen=True)
class Setup:
    """Subject of a recording: the frame of its points, its cameras in order, its joints."""

    fixed_frame: str
    cameras: tuple[str, ...]
    joints: tuple[str, ...]


@dataclass(frozen=True)
class Resumable:
    """Contents of a recording so far.

    Attributes:
        files: data files in order.
        counts: number of messages by topic.
        sequences: number that the next sequence gets.
    """

    files: tuple[BagFile, ...]
    counts: Counter[str]
    sequences: int


def resumable(folder: Path, setup: Setup) -> Resumable:
    """Repair cut files of a recording, and check that it has the same setup.

    Raises:
        InputError: names what differs, or there is no recording to resume.
    """
    files = recorded_files(folder)
    for file in files:
        if is_cut(file):
            repair_in_place(file)
    names = _check(folder, files, setup)
    summaries = [_summary(file) for file in files]
    counts: Counter[str] = Counter()
    for _, counted in summaries:
        counts += counted
    numbers = [int(name) + 1 for name in names if name.isdecimal()]
    return Resumable(
        tuple(file for file, _ in summaries), counts, max([len(names), *numbers], default=0)
    )


def recorded_files(folder: Path) -> list[Path]:
    """Return the data files of a recording in order. Raise InputError where there is none."""
    files = sorted(folder.glob("*.mcap"), key=natural_key) if folder.is_dir() else []
    if not files:
        raise InputError(f"{folder}: holds no recording that could be resumed (resume)")
    return files


def _check(folder: Path, files: Sequence[Path], setup: Setup) -> list[str]:
    """Return the names of the sequences. Raise InputError where the setup differs."""
    names: list[str] = []
    for file in files:
        for topic, _, data in bag.messages(file):
            try:
                if topic == topics.CLOUD.name:
                    frame = topics.read_header(data)[1]
                    _same(folder, "the frame", frame, setup.fixed_frame)
                elif topic == topics.JOINT_STATES.name:
                    joints = topics.read_joint_state_message(data)
                    _same(folder, "joints", _listed(sorted(joints)), _listed(sorted(setup.joints)))
                elif topic == topics.EVENTS.name:
                    event = topics.read_event_message(data)
                    if event.get("event") == topics.SEQUENCE_STARTED:
                        names.append(str(event.get("sequence")))
                    elif event.get("event") == topics.RECORDING_STARTED:
                        cameras = _listed(event.get("cameras", ()))
                        _same(folder, "cameras", cameras, _listed(setup.cameras))
            except (ValueError, struct.error) as error:
                raise InputError(f"{file}: message on {topic}: {error}") from error
    return names


def _same(folder: Path, what: str, recorded: str, now: str) -> None:
    if recorded != now:
        raise InputError(
            f"{folder}: cannot be resumed: it has {what} {recorded}; accepted is the same as now, "
            f"{now}"
        )


def _summary(file: Path) -> tuple[BagFile, Counter[str]]:
    try:
        with file.open("rb") as stream:
            summary = make_reader(stream).get_summary()
    except (McapError, OSError, struct.error) as error:
        raise InputError(f"{file}: cannot be read: {error}") from error
    statistics = summary.statistics if summary is not None else None
    if summary is None or statistics is None:
        raise InputError(f"{file}: has no summary; accepted is a recording of this package")
    counts = Counter(
        {
            summary.channels[channel].topic: count
            for channel, count in statistics.channel_message_counts.items()
        }
    )
    first, last = statistics.message_start_time, statistics.message_end_time
    return BagFile(file.name, first, last, statistics.message_count), counts


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names)
