"""Makes rosbags read untrusted bags in bounded memory, and without code in a database."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, BinaryIO

import zstandard
from rosbags.rosbag2 import ReaderError, reader, storage_mcap

from autourdf_ros.data.bags.bag_metadata import METADATA_FILE
from autourdf_ros.data.bags.mcap_chunks import bound, unpack_zstd
from autourdf_ros.errors import InputError
from autourdf_ros.files.yaml_reading import parse_yaml

_TABLE = "CREATE TABLE"


def check_bag(path: Path) -> None:
    """Refuse what rosbags would accept: metadata with aliases, databases with views.

    Args:
        path: a rosbag2 folder, or one of its files.

    Raises:
        InputError: names the file.
    """
    if path.is_dir():
        metadata = path / METADATA_FILE
        try:
            parse_yaml(metadata.read_text(encoding="utf-8"), str(metadata))
        except (OSError, UnicodeDecodeError) as error:
            raise InputError(f"{metadata}: cannot be read as text: {error}") from error
    for file in path.glob("*.db3") if path.is_dir() else [path]:
        if file.suffix == ".db3":
            _check_database(file)


def _check_database(file: Path) -> None:
    """Refuse views and computed columns: they can give any number of rows of any size."""
    try:
        with closing(sqlite3.connect(f"{file.resolve().as_uri()}?immutable=1", uri=True)) as base:
            for kind, name, sql in base.execute("SELECT type, name, sql FROM sqlite_master"):
                text = str(sql or "").upper()
                computed = text.startswith(_TABLE) and " AS " in f" {text} ".replace("(", " ( ")
                if kind not in ("table", "index") or computed or "VIRTUAL" in text[:16]:
                    raise InputError(
                        f"{file}: has a {kind} {name!r} that is computed; accepted are plain "
                        "tables and indices, as rosbag2 writes them"
                    )
    except sqlite3.Error as error:
        raise InputError(f"{file}: cannot be read as a bag ({error})") from error


class _Zstd:
    """Replaces the module with which rosbags unpacks, which has no bounds."""

    @staticmethod
    def decompress(packed: bytes) -> bytes:
        """Unpack a message or a chunk. Raise ReaderError where it would be too large."""
        content = unpack_zstd(packed, bound(len(packed)) + 1)
        if len(content) > bound(len(packed)):
            raise ReaderError(f"{len(packed)} bytes would take more than {bound(len(packed))}")
        return content

    @staticmethod
    @contextmanager
    def open(packed: BinaryIO, _: str) -> Iterator[_Counted]:
        """Open a file that is packed as a whole."""
        size = packed.seek(0, 2)
        packed.seek(0)
        with zstandard.ZstdDecompressor().stream_reader(packed) as stream:
            yield _Counted(stream, bound(size))


class _Counted:
    def __init__(self, stream: Any, most: int) -> None:
        self._stream, self._left = stream, most

    def read(self, size: int = -1) -> bytes:
        """Read bytes. Raise ReaderError where more come than are accepted."""
        content: bytes = self._stream.read(size)
        self._left -= len(content)
        if self._left < 0:
            raise ReaderError("would unpack to more than the bound for its size")
        return content


def _chunk(packed: bytes, size: int) -> bytes:
    if size > bound(len(packed)):
        raise ReaderError(f"a chunk of {len(packed)} bytes would take {size}")
    return unpack_zstd(packed, size + 1)


def _lz4_chunk(packed: bytes, size: int) -> bytes:
    # LZ4 unpacks one byte to at most 255.
    if size > bound(len(packed)):
        raise ReaderError(f"a chunk of {len(packed)} bytes would take {size}")
    content: bytes = storage_mcap.lz4_decompress(packed)
    return content


reader.zstd = _Zstd  # type: ignore[assignment]
storage_mcap.DECOMPRESSORS |= {"zstd": _chunk, "lz4": _lz4_chunk}
