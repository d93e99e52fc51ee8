"""Reads the readable part of an MCAP file: up to a cut at any byte, and around damaged chunks."""

from __future__ import annotations

import io
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from mcap.exceptions import UnsupportedCompressionError
from mcap.opcode import Opcode
from mcap.records import Channel, Chunk, DataEnd, McapRecord, Schema

from autourdf_ros.data.bags.mcap_chunks import bound, chunk_content, unpack_zstd
from autourdf_ros.data.bags.mcap_records import FAULTS, MAGIC, PREFIX, parse, raw_records
from autourdf_ros.errors import InputError

_FOOTER = struct.Struct("<BQQQI")  # opcode, length, start of summary and of offsets, checksum
_CHUNK_START = struct.Struct("<QQQII")  # times, size, checksum, length of the compression's name
_COUNTED_KINDS = {
    Opcode.HEADER,
    Opcode.SCHEMA,
    Opcode.CHANNEL,
    Opcode.MESSAGE,
    Opcode.CHUNK,
    Opcode.ATTACHMENT,
    Opcode.METADATA,
    Opcode.DATA_END,
}


@dataclass
class Damage:
    """Damage of a file.

    Attributes:
        lost: number of unreadable bytes.
        is_cut: whether the end is missing.
    """

    lost: int = 0
    is_cut: bool = True


def salvage(file: Path, damage: Damage) -> Iterator[McapRecord]:
    """Yield headers, schemas, channels, messages, attachments and metadata in the file's order.

    A chunk that was cut gives what can still be decompressed. A chunk with a wrong checksum gives
    nothing, and those after it are read.

    Args:
        damage: filled meanwhile.

    Raises:
        InputError: the file is no MCAP file, or its compression is not known.
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
    """Yield the schemas and channels that the file's end repeats: a lost chunk may hold them."""
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
    end = stream.tell()
    for raw in raw_records(stream, size):
        if raw.opcode == 0:
            break  # a power cut may leave zeros at the end of a file
        end = raw.start + PREFIX.size + len(raw.content)
        found = list(_inside(raw.opcode, raw.content, raw.is_whole))
        if not found and raw.opcode in _COUNTED_KINDS:
            damage.lost += PREFIX.size + len(raw.content)
        for record in found:
            if isinstance(record, DataEnd):
                # What follows repeats what was read.
                damage.is_cut = not ends_well(stream, size)
                return
            yield record
    damage.lost += size - end


def _inside(opcode: int, content: bytes, is_whole: bool) -> Iterator[McapRecord]:
    """Yield the record itself, or the records of a chunk."""
    if opcode == Opcode.CHUNK:
        yield from _parsed(_chunk_content(content, is_whole))
    elif is_whole:
        record = _record(opcode, content)
        if record is not None:
            yield record


def _chunk_content(content: bytes, is_whole: bool) -> bytes:
    """Return the unpacked content of a chunk, or its beginning; empty where unreadable."""
    try:
        if is_whole:
            chunk = parse(Opcode.CHUNK, content)
            return chunk_content(chunk) if isinstance(chunk, Chunk) else b""
        *_, name_length = _CHUNK_START.unpack_from(content)
        data_start = _CHUNK_START.size + name_length + 8
        name = content[_CHUNK_START.size : data_start - 8].decode()
        # A power cut may have left zeros where data were still to come.
        begun = content[data_start:].rstrip(b"\0")
        if name == "zstd":
            return unpack_zstd(begun, bound(len(begun)))
        return begun if name == "" else b""
    except UnsupportedCompressionError:
        raise
    except FAULTS:
        return b""


def _parsed(data: bytes) -> Iterator[McapRecord]:
    """Yield the whole records at the beginning of `data`."""
    place = 0
    while place + PREFIX.size <= len(data):
        opcode, length = PREFIX.unpack_from(data, place)
        place += PREFIX.size
        if place + length > len(data):
            return
        record = _record(opcode, data[place : place + length])
        if record is not None:
            yield record
        place += length


def _record(opcode: int, content: bytes) -> McapRecord | None:
    try:
        return None if opcode == Opcode.CHUNK else parse(opcode, content)
    except FAULTS:
        return None


def ends_well(stream: BinaryIO, size: int) -> bool:
    """Return whether the file ends with the magic bytes, after its summary."""
    if size - stream.tell() < len(MAGIC):
        return False
    stream.seek(-len(MAGIC), io.SEEK_END)
    return stream.read() == MAGIC
