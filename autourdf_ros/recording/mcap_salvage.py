"""Reads whatever is left of an MCAP file: up to a cut at any byte, and around damaged chunks.

The format: https://mcap.dev/spec. A record is one byte of opcode, eight of length, and content.
"""

from __future__ import annotations

import io
import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import zstandard
from mcap.data_stream import ReadDataStream
from mcap.exceptions import EndOfFile, McapError, UnsupportedCompressionError
from mcap.opcode import Opcode
from mcap.records import (
    Attachment,
    Channel,
    Chunk,
    DataEnd,
    Header,
    McapRecord,
    Message,
    Metadata,
    Schema,
)
from mcap.stream_reader import CRCValidationError, get_chunk_data_stream

from autourdf_ros.errors import InputError

MAGIC = b"\x89MCAP0\r\n"
_PREFIX = struct.Struct("<BQ")
_FOOTER = struct.Struct("<BQQQI")  # opcode, length, start of summary and of offsets, checksum
_CHUNK_START = struct.Struct("<QQQII")  # times, size, checksum, length of the compression's name
_FAULTS = (
    McapError,
    EndOfFile,
    CRCValidationError,
    zstandard.ZstdError,
    struct.error,
    ValueError,
    KeyError,
    MemoryError,
)
_KINDS: dict[int, Any] = {
    Opcode.HEADER: Header,
    Opcode.SCHEMA: Schema,
    Opcode.CHANNEL: Channel,
    Opcode.ATTACHMENT: Attachment,
    Opcode.METADATA: Metadata,
    Opcode.DATA_END: DataEnd,
}


@dataclass
class Damage:
    """What was found amiss. lost: bytes that gave nothing. is_cut: whether the end is missing."""

    lost: int = 0
    is_cut: bool = True


def salvage(file: Path, damage: Damage) -> Iterator[McapRecord]:
    """Headers, schemas, channels, messages, attachments and metadata of a file, in its order.

    A chunk that was cut gives what can still be decompressed; one whose checksum is wrong gives
    nothing, and those after it are read. `damage` is filled meanwhile. Raises InputError where
    the file is no MCAP file, or its compression is not known.
    """
    try:
        size = file.stat().st_size
        with file.open("rb") as stream:
            if stream.read(len(MAGIC)) != MAGIC:
                raise InputError(
                    f"{file}: {size} bytes, not an MCAP file; accepted is one that begins as such"
                )
            yield from _summary(stream, size)
            stream.seek(len(MAGIC))
            yield from _records(stream, size, damage)
    except UnsupportedCompressionError as error:
        raise InputError(f"{file}: {error}; accepted is zstd, or no compression") from error
    except OSError as error:
        raise InputError(f"{file}: cannot be read: {error.strerror or error}") from error


def _summary(stream: BinaryIO, size: int) -> Iterator[McapRecord]:
    """Schemas and channels that the end of a file repeats: a damaged chunk may have held them."""
    stream.seek(max(size - _FOOTER.size - len(MAGIC), 0))
    footer = stream.read(_FOOTER.size)
    if len(footer) < _FOOTER.size or stream.read() != MAGIC:
        return
    opcode, _, start, *_ = _FOOTER.unpack(footer)
    if opcode == Opcode.FOOTER and 0 < start < size:
        stream.seek(start)
        repeated = _parsed(stream.read(size - start - len(MAGIC)))
        yield from (record for record in repeated if isinstance(record, Schema | Channel))


def _records(stream: BinaryIO, size: int, damage: Damage) -> Iterator[McapRecord]:
    while True:
        start = stream.tell()
        prefix = stream.read(_PREFIX.size)
        if len(prefix) < _PREFIX.size:
            damage.lost += len(prefix)
            return
        opcode, length = _PREFIX.unpack(prefix)
        if opcode == 0:
            # What a power cut leaves at the end of a file may be zeros.
            damage.lost += size - start
            return
        content = stream.read(min(length, size - stream.tell()))
        found = list(_inside(opcode, content, is_whole=len(content) == length))
        if not found and (opcode in _KINDS or opcode in (Opcode.CHUNK, Opcode.MESSAGE)):
            damage.lost += len(prefix) + len(content)
        for record in found:
            if isinstance(record, DataEnd):
                # What follows repeats what was read.
                damage.is_cut = not _ends_well(stream, size)
                return
            yield record
        if len(content) < length:
            return


def _inside(opcode: int, content: bytes, is_whole: bool) -> Iterator[McapRecord]:
    """Records in one record: itself, or what a chunk holds."""
    if opcode == Opcode.CHUNK:
        yield from _parsed(_chunk_content(content, is_whole))
    elif is_whole:
        record = _record(opcode, content)
        if record is not None:
            yield record


def _chunk_content(content: bytes, is_whole: bool) -> bytes:
    """Decompressed content of a chunk, or its beginning; empty where nothing can be had."""
    try:
        if is_whole:
            chunk = Chunk.read(ReadDataStream(io.BytesIO(content)))
            data, length = get_chunk_data_stream(chunk, validate_crc=True)
            return bytes(data.read(length))
        *_, name_length = _CHUNK_START.unpack_from(content)
        data_start = _CHUNK_START.size + name_length + 8
        name = content[_CHUNK_START.size : data_start - 8].decode()
        # A power cut may have left zeros where data were still to come.
        begun = content[data_start:].rstrip(b"\0")
        if name == "zstd":
            return zstandard.ZstdDecompressor().decompressobj().decompress(begun)
        return begun if name == "" else b""
    except UnsupportedCompressionError:
        raise
    except (*_FAULTS, zlib.error):
        return b""


def _parsed(data: bytes) -> Iterator[McapRecord]:
    """Whole records at the beginning of `data`."""
    place = 0
    while place + _PREFIX.size <= len(data):
        opcode, length = _PREFIX.unpack_from(data, place)
        place += _PREFIX.size
        if place + length > len(data):
            return
        record = _record(opcode, data[place : place + length])
        if record is not None:
            yield record
        place += length


def _record(opcode: int, content: bytes) -> McapRecord | None:
    try:
        stream = ReadDataStream(io.BytesIO(content))
        if opcode == Opcode.MESSAGE:
            return Message.read(stream, len(content))
        kind = _KINDS.get(opcode)
        return kind.read(stream) if kind else None
    except _FAULTS:
        return None


def _ends_well(stream: BinaryIO, size: int) -> bool:
    """Whether the file ends with the magic, after its summary."""
    if size - stream.tell() < len(MAGIC):
        return False
    stream.seek(-len(MAGIC), io.SEEK_END)
    return stream.read() == MAGIC
