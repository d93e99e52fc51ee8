"""Writes a recording frame by frame: a kill at any moment loses at most the last frame."""

from __future__ import annotations

import contextlib
import os
import re
from collections import Counter
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO, Self

import numpy as np
from mcap.writer import CompressionType, Writer

from autourdf_ros.data.bags import topics
from autourdf_ros.data.bags.bag_metadata import QOS, BagFile, BagTopic, write_metadata
from autourdf_ros.data.frame import Frame
from autourdf_ros.data.recording.resuming import Resumable, Setup, recorded_files, resumable
from autourdf_ros.errors import InputError, RecordingError
from autourdf_ros.files.durable_files import sync
from autourdf_ros.files.file_version import RECORDING_VERSION
from autourdf_ros.files.writer_lock import LOCK, lock_within

_DATA_FILE = "recording_{}.mcap"


class RecordingWriter:
    """Appends frames to a rosbag2 folder; a context manager. It never overwrites a recording.

    Args:
        folder: created; must not exist yet or be empty, unless `resume` is given.
        fixed_frame: frame of all points.
        resume: setup of the recording that is in the folder; a data file is added to it.

    Attributes:
        frames: number of frames written by this writer.
        sequences: number of sequences of the recording.

    Raises:
        InputError: the folder holds something else, or another process writes there.
    """

    def __init__(
        self,
        folder: Path | str,
        fixed_frame: str = "base_link",
        resume: Setup | None = None,
    ) -> None:
        self.folder = Path(folder)
        self.fixed_frame = fixed_frame
        self.frames = 0
        self._counts: Counter[str] = Counter()
        self._first = self._last = 0
        if resume:
            recorded_files(self.folder)
        self._lock = lock_within(self.folder)
        try:
            self._earlier = resumable(self.folder, resume) if resume else _nothing(self.folder)
            self._file = _DATA_FILE.format(_next_number(self.folder))
            self._stream = _create(self.folder / self._file)
        except BaseException:
            self._lock.release()
            raise
        self.sequences = self._earlier.sequences
        # Chunks end where a frame ends, never by their size.
        self._mcap = Writer(self._stream, chunk_size=2**62, compression=CompressionType.ZSTD)
        self._mcap.start(profile="ros2", library="autourdf_ros")
        self._mcap.add_metadata(topics.FORMAT, {"version": str(RECORDING_VERSION)})
        self._channels = {topic: self._register(topic) for topic in topics.TOPICS}
        self._pending: list[bytes] = []
        self._whole = 0  # bytes of the file that hold whole frames

    def start_sequence(self, name: str | None = None) -> str:
        """Begin a sequence, with the robot at its start configuration. Return its name."""
        name = f"{self.sequences:04d}" if name is None else name
        self.event(topics.SEQUENCE_STARTED, sequence=name)
        self.sequences += 1
        return name

    def write_frame(self, frame: Frame) -> None:
        """Write one frame; it is on disk on return.

        Raises:
            InputError: points or colours have a wrong shape.
            RecordingError: the disk does not take the frame; the recording ends with the frame
                before.
        """
        _check_shapes(frame)
        stamp = round(frame.stamp * 1e9)
        self._add_pending_events(stamp)
        # What belongs to a cloud comes first, so that a reader knows it when the cloud arrives.
        if frame.joint_positions is not None:
            message = topics.joint_state_message(frame, stamp)
            self._add(topics.JOINT_STATES, message, stamp)
        if frame.camera_poses is not None:
            message = topics.cameras_message(frame.camera_poses, stamp, self.fixed_frame)
            self._add(topics.CAMERAS, message, stamp)
        self._add(topics.CLOUD, topics.cloud_message(frame, stamp, self.fixed_frame), stamp)
        self.frames += 1
        self._flush()

    def event(self, event: str, **details: Any) -> None:
        """Add an event, such as a refused target, written with the next frame.

        Args:
            details: JSON values.
        """
        self._pending.append(topics.event_message(event, details))

    def close(self) -> None:
        """Write the index. Further calls do nothing. Raise RecordingError as `write_frame`."""
        try:
            if not self._stream.closed:
                self._finish()
        finally:
            self._lock.release()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        error: type[BaseException] | None,
        value: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _finish(self) -> None:
        self._add_pending_events(self._last)
        try:
            self._mcap.finish()
            self._stream.flush()
            os.fsync(self._stream.fileno())
            self._stream.close()
            self._write_metadata()
            sync(self.folder)
        except OSError as error:
            raise self._cut(error) from error

    def _register(self, topic: topics.Topic) -> int:
        store = topics.typestore()
        text, _ = store.generate_msgdef(topic.type, ros_version=2)
        schema = self._mcap.register_schema(topic.type, "ros2msg", text.encode())
        metadata = {
            "offered_qos_profiles": QOS,
            "topic_type_hash": store.hash_rihs01(topic.type),
        }
        return self._mcap.register_channel(topic.name, "cdr", schema, metadata)

    def _add_pending_events(self, stamp: int) -> None:
        for message in self._pending:
            self._add(topics.EVENTS, message, stamp)
        self._pending.clear()

    def _add(self, topic: topics.Topic, data: bytes, stamp: int) -> None:
        self._mcap.add_message(
            self._channels[topic],
            log_time=stamp,
            data=data,
            publish_time=stamp,
            sequence=self._counts[topic.name],
        )
        self._first = min(self._first, stamp) if self._counts else stamp
        self._last = max(self._last, stamp)
        self._counts[topic.name] += 1

    def _flush(self) -> None:
        try:
            self._mcap.flush()
            os.fsync(self._stream.fileno())
            self._whole = self._stream.tell()
            self._write_metadata()
        except OSError as error:
            raise self._cut(error) from error

    def _cut(self, error: OSError) -> RecordingError:
        """Truncate the file after the last whole frame, so that no reader meets half a frame."""
        file = self.folder / self._file
        with contextlib.suppress(OSError):  # it tries once more to write what did not fit
            self._stream.close()
        with contextlib.suppress(OSError):
            if self._whole:
                os.truncate(file, self._whole)
            else:
                file.unlink()
        return RecordingError(
            f"{file}: cannot be written: {error.strerror or error}; what was recorded before is "
            "kept, and can be resumed"
        )

    def _write_metadata(self) -> None:
        described = [
            BagTopic(
                topic.name,
                topic.type,
                QOS,
                topics.typestore().hash_rihs01(topic.type),
                self._counts[topic.name] + self._earlier.counts[topic.name],
            )
            for topic in topics.TOPICS
        ]
        file = BagFile(self._file, self._first, self._last, self._counts.total())
        files = [*self._earlier.files, file]
        write_metadata(self.folder, files, described, {"fixed_frame": self.fixed_frame})


def _nothing(folder: Path) -> Resumable:
    """Return the contents of an empty folder. Raise InputError where it is not empty."""
    if any(file.name != LOCK for file in folder.iterdir()):
        raise InputError(f"{folder}: is not empty; a recording needs a new folder")
    return Resumable((), Counter(), 0)


def _next_number(folder: Path) -> int:
    taken = (re.match(r"recording_(\d+)\.mcap", file.name) for file in folder.iterdir())
    return max((int(match[1]) + 1 for match in taken if match), default=0)


def _create(file: Path) -> BinaryIO:
    try:
        stream = file.open("xb")
        sync(file.parent)
        return stream
    except OSError as error:
        raise InputError(f"{file}: cannot record there: {error.strerror}") from error


def _check_shapes(frame: Frame) -> None:
    shape = frame.points.shape
    if len(shape) != 2 or shape[1] != 3:
        raise InputError(f"frame with points of shape {shape}; accepted is (N, 3)")
    for name, array, accepted in (
        ("colors", frame.colors, shape),
        ("cameras", frame.cameras, shape[:1]),
    ):
        if array is not None and (array.shape != accepted or array.dtype != np.uint8):
            raise InputError(
                f"frame with {name} {array.dtype} of shape {array.shape}; "
                f"accepted is uint8 of shape {accepted}"
            )
    poses, cameras = frame.camera_poses, frame.cameras
    least = 0 if cameras is None or not len(cameras) else int(cameras.max()) + 1
    if poses is not None and (poses.shape[1:] != (4, 4) or len(poses) < least):
        raise InputError(
            f"frame with camera_poses of shape {poses.shape}; accepted is (C, 4, 4) with C at "
            f"least {least}"
        )
