"""Reads the rosbag2 recordings of `RecordingWriter`, also when they were cut off."""

from __future__ import annotations

import io
import logging
import os
import struct
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from mcap.exceptions import EndOfFile, InvalidMagic, UnsupportedCompressionError
from mcap.opcode import Opcode
from mcap.records import Channel, Chunk, DataEnd, McapRecord, Message, Metadata
from numpy.typing import NDArray

from autourdf_ros.data.bags import topics
from autourdf_ros.data.bags.mcap_chunks import ChunkError, bound, chunk_content
from autourdf_ros.data.bags.mcap_records import FAULTS, MAGIC, PREFIX, parse, raw_records
from autourdf_ros.data.bags.mcap_salvage import ends_well
from autourdf_ros.data.cloud_files.frame_folder import natural_key
from autourdf_ros.data.cloud_files.point_files import finite_frame
from autourdf_ros.data.frame import Frame, Recording, Sequence
from autourdf_ros.errors import InputError
from autourdf_ros.files.file_version import RECORDING_VERSION

_log = logging.getLogger(__name__)


class UnbegunFileError(InputError):
    """A file ends before its first whole message, since its writer was killed early."""


def accepts(path: Path) -> bool:
    """Return whether `path` is a rosbag2 folder or an MCAP file."""
    if path.is_dir():
        return (path / "metadata.yaml").exists() or any(path.glob("*.mcap"))
    return path.suffix == ".mcap"


def read(path: Path) -> Recording:
    """Read a rosbag2 folder or one MCAP file. Raise InputError when it holds no frame."""
    files = sorted(path.glob("*.mcap"), key=natural_key) if path.is_dir() else [path]
    if not files:
        raise InputError(f"{path}: has no .mcap file; accepted is rosbag2 stored as MCAP")
    collected = _CollectedFrames()
    for file, topic, stamp, data in _all_messages(files):
        try:
            collected.add(file, topic, stamp, data)
        except (ValueError, struct.error) as error:
            raise InputError(f"{file}: message on {topic}: {error}") from error
    sequences = collected.sequences()
    if not sequences:
        raise InputError(
            f"{path}: holds no frame on {topics.CLOUD.name}; "
            f"it has the topics {', '.join(sorted(collected.topics)) or '(none)'}"
        )
    return Recording(sequences, path, collected.fixed_frame, collected.cameras)


class _CollectedFrames:
    """Frames of the messages read so far; joint readings and poses precede their cloud."""

    def __init__(self) -> None:
        self.fixed_frame = "base_link"
        self.cameras: tuple[str, ...] = ()
        self.topics: set[str] = set()
        self._names: list[str] = []
        self._frames: list[list[Frame]] = []
        self._readings: tuple[int, dict[str, float]] | None = None
        self._poses: tuple[int, NDArray[np.float64]] | None = None

    def add(self, file: Path, topic: str, stamp: int, data: bytes) -> None:
        """Add a message of time `stamp` (ns). Raise ValueError or struct.error for damage."""
        self.topics.add(topic)
        if topic == topics.JOINT_STATES.name:
            self._readings = stamp, topics.read_joint_state_message(data)
        elif topic == topics.CAMERAS.name:
            self._poses = stamp, topics.read_cameras_message(data)
        elif topic == topics.EVENTS.name:
            self._add_event(topics.read_event_message(data))
        elif topic == topics.CLOUD.name:
            self._add_cloud(file, stamp, topics.read_cloud_message(data))

    def sequences(self) -> tuple[Sequence, ...]:
        """Return the sequences that have a frame."""
        pairs = zip(self._frames, self._names, strict=True)
        return tuple(Sequence(tuple(frames), name) for frames, name in pairs if frames)

    def _add_event(self, event: dict[str, Any]) -> None:
        if event.get("event") == topics.SEQUENCE_STARTED:
            self._start_sequence(str(event.get("sequence", f"{len(self._names):04d}")))
        elif event.get("event") == topics.RECORDING_STARTED:
            named = event.get("cameras")
            self.cameras = tuple(map(str, named)) if isinstance(named, list) else ()

    def _add_cloud(self, file: Path, stamp: int, cloud: topics.CloudContent) -> None:
        self.fixed_frame = cloud.frame_id
        if not self._frames:
            self._start_sequence("0000")
        readings, poses = self._readings, self._poses
        frame = Frame(
            cloud.points,
            cloud.colors,
            stamp / 1e9,
            readings[1] if readings and readings[0] == stamp else None,
            cloud.cameras,
            poses[1] if poses and poses[0] == stamp else None,
        )
        where = f"{file}: frame {sum(map(len, self._frames))}"
        self._frames[-1].append(finite_frame(where, frame))
        self._readings = self._poses = None

    def _start_sequence(self, name: str) -> None:
        self._names.append(name)
        self._frames.append([])


def _all_messages(files: list[Path]) -> Iterator[tuple[Path, str, int, bytes]]:
    """Yield file, topic, stamp (ns) and data of each message of a recording.

    A file without a whole message is skipped where there are other files.
    """
    for file in files:
        try:
            yield from ((file, *message) for message in messages(file))
        except UnbegunFileError:
            if len(files) == 1:
                raise
            _log.warning("%s: is cut off before its first frame", file)


def messages(file: Path) -> Iterator[tuple[str, int, bytes]]:
    """Yield topic, stamp (ns) and data of each message in the order written, up to a cut.

    All chunks together may take as much memory as `mcap_chunks.bound` of the file's size.

    Raises:
        InputError: the file cannot be read, or is a recording of another version.
    """
    channels: dict[int, str] = {}
    count = 0
    try:
        with file.open("rb") as stream:
            size = os.fstat(stream.fileno()).st_size
            for record in _records(stream, size):
                if isinstance(record, Metadata) and record.name == topics.FORMAT:
                    _check_version(file, record.metadata.get("version"))
                elif isinstance(record, Channel):
                    channels[record.id] = record.topic
                elif isinstance(record, Message):
                    yield channels[record.channel_id], record.log_time, record.data
                    count += 1
    except OSError as error:
        raise InputError(f"{file}: {error.strerror}") from error
    except UnsupportedCompressionError as error:
        raise InputError(f"{file}: {error}; accepted is zstd, or no compression") from error
    except FAULTS as error:
        if not count:
            kind = UnbegunFileError if isinstance(error, EndOfFile) else InputError
            raise kind(
                f"{file}: {file.stat().st_size} bytes, not a readable MCAP file "
                f"({type(error).__name__}: {error}); accepted is one with at least one whole frame"
            ) from error
        _log.warning("%s: is cut off; read up to the cut, %d messages", file, count)


def _check_version(file: Path, version: str | None) -> None:
    if version != str(RECORDING_VERSION):
        raise InputError(
            f"{file}: is a recording of version {version}; accepted is {RECORDING_VERSION}, what "
            "this autourdf_ros reads, or none"
        )


def _records(stream: BinaryIO, size: int) -> Iterator[McapRecord]:
    """Yield the records of the data. Raise one of `FAULTS` where one is damaged or missing."""
    start = stream.read(len(MAGIC))
    if start != MAGIC:
        raise EndOfFile if MAGIC.startswith(start) else InvalidMagic(start)
    checksum, left = zlib.crc32(start), bound(size)
    for raw in raw_records(stream, size):
        if not raw.is_whole:
            raise EndOfFile
        record = parse(raw.opcode, raw.content)
        if isinstance(record, Chunk):
            left -= record.uncompressed_size
            if left < 0:
                raise ChunkError(f"its chunks would take more than {bound(size)} bytes")
            with io.BytesIO(chunk_content(record)) as inside:
                yield from _chunk_records(inside, record.uncompressed_size)
        elif isinstance(record, DataEnd):
            if record.data_section_crc not in (0, checksum):
                raise ChunkError("the checksum of its data is wrong")
            if not ends_well(stream, size):
                raise EndOfFile
            return
        elif record is not None:
            yield record
        prefix = PREFIX.pack(raw.opcode, raw.length)
        checksum = zlib.crc32(raw.content, zlib.crc32(prefix, checksum))
    raise EndOfFile


def _chunk_records(stream: BinaryIO, size: int) -> Iterator[McapRecord]:
    for raw in raw_records(stream, size):
        if not raw.is_whole:
            raise EndOfFile
        record = None if raw.opcode == Opcode.CHUNK else parse(raw.opcode, raw.content)
        if record is not None:
            yield record
