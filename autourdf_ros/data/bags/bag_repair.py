"""Writes a whole bag from the readable part of one that was cut off or damaged."""

from __future__ import annotations

import os
import shutil
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from mcap.records import Attachment, Channel, Header, Message, Metadata, Schema
from mcap.writer import CompressionType, Writer

from autourdf_ros.data.bags.bag_metadata import QOS, BagFile, BagTopic, write_metadata
from autourdf_ros.data.bags.mcap_records import MAGIC
from autourdf_ros.data.bags.mcap_salvage import Damage, salvage
from autourdf_ros.data.cloud_files.frame_folder import natural_key
from autourdf_ros.errors import InputError
from autourdf_ros.files.atomic_folder import replacing
from autourdf_ros.files.durable_files import sync
from autourdf_ros.progress import Progress, silent


@dataclass(frozen=True)
class Repair:
    """Result of a repair.

    Attributes:
        messages: number by topic.
        lost: number of unreadable bytes.
        cut: names of files without an end.
    """

    messages: Mapping[str, int]
    lost: int
    cut: tuple[str, ...]


def repair(path: Path, out: Path, progress: Progress = silent) -> Repair:
    """Write the readable part of a bag to a new rosbag2 folder; the bag itself is not changed.

    Every message that was whole on disk is kept; of a compressed chunk that was cut, those before
    the last block that can be decompressed. On an error, and when cancelled, nothing is written.

    Args:
        path: an .mcap file, or a rosbag2 folder of .mcap files.
        out: a new folder outside of `path`.

    Raises:
        InputError: no message can be kept.
    """
    files = _files(path)
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise InputError(f"{out}: exists and is not an empty folder; a repair needs a new one")
    if path.is_dir() and out.resolve().is_relative_to(path.resolve()):
        raise InputError(f"{out}: is in {path}; accepted is a folder outside of the repaired one")
    written: list[BagFile] = []
    channels: dict[str, tuple[Channel, str]] = {}
    counts: Counter[str] = Counter()
    lost, cut = 0, []
    with replacing(out) as folder:
        for number, file in enumerate(files):
            progress(f"repairing {file.name}", number / len(files))
            copy = _Copy(folder / file.name)
            damage = Damage()
            try:
                for record in salvage(file, damage):
                    copy.add(record)
            finally:
                copy.close()
            written.append(copy.written)
            channels |= copy.topics
            counts += copy.counts
            lost += damage.lost
            cut += [file.name] if damage.is_cut else []
        if not counts:
            raise InputError(f"{path}: holds no whole message, so that nothing can be repaired")
        write_metadata(folder, written, _topics(channels, counts), {})
    progress("repairing", 1.0)
    return Repair(dict(sorted(counts.items())), lost, tuple(cut))


def is_cut(file: Path) -> bool:
    """Return whether an MCAP file lacks its end. Raise InputError where it cannot be read."""
    try:
        with file.open("rb") as stream:
            size = stream.seek(0, os.SEEK_END)
            stream.seek(max(size - len(MAGIC), 0))
            return stream.read() != MAGIC or size <= 2 * len(MAGIC)
    except OSError as error:
        raise InputError(f"{file}: cannot be read: {error.strerror or error}") from error


def repair_in_place(file: Path) -> Path:
    """Replace a cut file by its readable part. Return where the cut file is kept.

    A kill in the middle leaves the cut file or the repaired one, and at worst a copy beside.
    """
    part = file.with_name(f".{file.name}.part")
    part.unlink(missing_ok=True)
    copy = _Copy(part)
    try:
        for record in () if _is_unbegun(file) else salvage(file, Damage()):
            copy.add(record)
    except BaseException:
        copy.close()
        part.unlink()
        raise
    copy.close()
    kept = file.with_name(f"{file.name}.cut")
    number = 1
    while kept.exists():
        kept, number = file.with_name(f"{file.name}.{number}.cut"), number + 1
    try:
        kept.hardlink_to(file)
    except OSError:  # a file system without hard links
        shutil.copyfile(file, kept)
    part.replace(file)
    sync(file.parent)
    return kept


def _is_unbegun(file: Path) -> bool:
    """Return whether the file ends within the first bytes that every MCAP file has."""
    with file.open("rb") as stream:
        start = stream.read(len(MAGIC))
    return start != MAGIC and MAGIC.startswith(start)


class _Copy:
    """A new MCAP file with the records of another."""

    def __init__(self, file: Path) -> None:
        self._stream = file.open("xb")
        self._writer = Writer(self._stream, compression=CompressionType.ZSTD)
        self._started = False
        self._schemas: dict[int, tuple[Schema, int]] = {}
        self._channels: dict[int, tuple[Channel, int]] = {}
        self._first = self._last = 0
        self._name = file.name
        self.topics: dict[str, tuple[Channel, str]] = {}
        self.counts: Counter[str] = Counter()

    @property
    def written(self) -> BagFile:
        """Description of the file."""
        return BagFile(self._name, self._first, self._last, self.counts.total())

    def add(self, record: object) -> None:
        """Write a record of a kind that is kept; ignore others."""
        if isinstance(record, Header):
            self._start(record.profile)
            return
        self._start("ros2")
        if isinstance(record, Schema) and record.id not in self._schemas:
            number = self._writer.register_schema(record.name, record.encoding, record.data)
            self._schemas[record.id] = record, number
        elif isinstance(record, Channel) and record.id not in self._channels:
            self._add_channel(record)
        elif isinstance(record, Message) and record.channel_id in self._channels:
            self._add_message(record)
        elif isinstance(record, Attachment):
            self._writer.add_attachment(
                record.create_time, record.log_time, record.name, record.media_type, record.data
            )
        elif isinstance(record, Metadata):
            self._writer.add_metadata(record.name, record.metadata)

    def close(self) -> None:
        """Write the summary and the end."""
        self._start("ros2")
        self._writer.finish()
        self._stream.flush()
        os.fsync(self._stream.fileno())
        self._stream.close()

    def _start(self, profile: str) -> None:
        if not self._started:
            self._writer.start(profile=profile, library="autourdf_ros repair")
            self._started = True

    def _add_channel(self, channel: Channel) -> None:
        schema, number = self._schemas.get(channel.schema_id, (None, 0))
        registered = self._writer.register_channel(
            channel.topic, channel.message_encoding, number, channel.metadata
        )
        self._channels[channel.id] = channel, registered
        self.topics.setdefault(channel.topic, (channel, schema.name if schema else ""))

    def _add_message(self, message: Message) -> None:
        channel, number = self._channels[message.channel_id]
        self._writer.add_message(
            number, message.log_time, message.data, message.publish_time, message.sequence
        )
        self._first = min(self._first, message.log_time) if self.counts else message.log_time
        self._last = max(self._last, message.log_time)
        self.counts[channel.topic] += 1


def _files(path: Path) -> list[Path]:
    if not path.exists():
        raise InputError(
            f"{path}: does not exist; accepted is an .mcap file, or a folder of .mcap files"
        )
    files = sorted(path.glob("*.mcap"), key=natural_key) if path.is_dir() else [path]
    if not files or any(file.suffix != ".mcap" for file in files):
        raise InputError(
            f"{path}: is no .mcap file and holds none; accepted is rosbag2 stored as MCAP (in a "
            ".db3 file, SQLite itself keeps what was written before a cut)"
        )
    return files


def _topics(
    channels: Mapping[str, tuple[Channel, str]], counts: Mapping[str, int]
) -> Sequence[BagTopic]:
    return [
        BagTopic(
            name,
            kind,
            channel.metadata.get("offered_qos_profiles", QOS),
            channel.metadata.get("topic_type_hash", ""),
            counts.get(name, 0),
        )
        for name, (channel, kind) in channels.items()
    ]
