"""Opens bags of `ros2 bag record`: rosbag2 folders, and single MCAP or SQLite files."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Collection, Iterator
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple, Self

from rosbags.rosbag2 import Reader

from autourdf_ros.data.bags.bounded_bags import check_bag
from autourdf_ros.data.cloud_files.frame_folder import natural_key
from autourdf_ros.errors import InputError

_ACCEPTED = "a rosbag2 folder with metadata.yaml, or an .mcap or .db3 file"
_SUFFIXES = (".mcap", ".db3")


def is_bag(path: Path) -> bool:
    """Return whether a path is a rosbag2 folder, or the file of one."""
    if path.is_dir():
        files = (file for suffix in _SUFFIXES for file in path.glob(f"*{suffix}"))
        return (path / "metadata.yaml").exists() or next(files, None) is not None
    return path.suffix in _SUFFIXES


class BagMessage(NamedTuple):
    """A message in CDR. received: time of the recorder's clock (ns)."""

    topic: str
    received: int
    data: bytes


class PlainBag:
    """A bag opened for reading; a context manager. Entering raises InputError naming the file.

    Attributes:
        types: message type (`package/msg/Type`) of every topic that has messages.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.types: dict[str, str] = {}
        self._stack = ExitStack()
        self._readers: list[Reader] = []

    def __enter__(self) -> Self:
        try:
            for file in _files(self.path):
                self._readers.append(self._guarded(partial(self._open, file)))
        except BaseException:
            self._stack.close()
            raise
        connections = [found for reader in self._readers for found in reader.connections]
        for found in connections:
            if not (isinstance(found.topic, str) and isinstance(found.msgtype, str)):
                self._stack.close()
                raise InputError(
                    f"{self.path}: has a topic {found.topic!r} of type {found.msgtype!r}; "
                    "accepted are names"
                )
        self.types = {found.topic: found.msgtype for found in connections if found.msgcount}
        return self

    def __exit__(
        self,
        error: type[BaseException] | None,
        value: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._stack.close()

    def of_type(self, type_name: str) -> list[str]:
        """Return the topics of a message type, in natural order."""
        found = (topic for topic, found in self.types.items() if found == type_name)
        return sorted(found, key=lambda topic: natural_key(Path(topic)))

    def messages(
        self, topics: Collection[str], progress: Callable[[float], None]
    ) -> Iterator[BagMessage]:
        """Yield the messages on some topics, in the order of reception.

        Args:
            progress: called often with the share of the bag's time in [0, 1].

        Raises:
            InputError: the bag is damaged.
        """
        start = min(reader.start_time for reader in self._readers)
        span = max(max(reader.end_time for reader in self._readers) - start, 1)
        streams = [
            reader.messages([found for found in reader.connections if found.topic in topics])
            for reader in self._readers
            if any(found.topic in topics for found in reader.connections)
        ]
        merged = heapq.merge(*streams, key=lambda item: item[1])
        while True:
            item = self._guarded(lambda: next(merged, None))
            if item is None:
                return
            connection, received, data = item
            progress(min(max((received - start) / span, 0.0), 1.0))
            yield BagMessage(connection.topic, received, bytes(data))

    def _open(self, file: Path) -> Reader:
        check_bag(file)
        return self._stack.enter_context(Reader(file))

    def _guarded(self, job: Callable[[], Any]) -> Any:
        try:
            return job()
        except InputError:
            raise
        except Exception as error:  # rosbags does not wrap the errors of its parsers
            raise InputError(
                f"{self.path}: cannot be read as a bag ({error or type(error).__name__}); "
                f"accepted is {_ACCEPTED}; 'autourdf repair' repairs an .mcap file that was cut off"
            ) from error


def _files(path: Path) -> list[Path]:
    """Return what to open: the folder, or its files where a kill left it without metadata."""
    if not path.exists():
        raise InputError(f"{path}: does not exist; accepted is {_ACCEPTED}")
    if path.is_file() or (path / "metadata.yaml").exists():
        return [path]
    files = [file for file in path.iterdir() if file.suffix in _SUFFIXES]
    if not files:
        raise InputError(f"{path}: has no {' or '.join(_SUFFIXES)} file; accepted is {_ACCEPTED}")
    return sorted(files, key=natural_key)
