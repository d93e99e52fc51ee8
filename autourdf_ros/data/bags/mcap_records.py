"""Walks through the records of an MCAP file, of which any length may be a lie.

The format: https://mcap.dev/spec. A record is one byte of opcode, eight of length, and content.
"""

from __future__ import annotations

import io
import struct
from collections.abc import Iterator
from typing import Any, BinaryIO, NamedTuple

from mcap.data_stream import ReadDataStream
from mcap.exceptions import EndOfFile, McapError
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

MAGIC = b"\x89MCAP0\r\n"
PREFIX = struct.Struct("<BQ")
FAULTS = (McapError, EndOfFile, struct.error, ValueError, KeyError, OverflowError, MemoryError)
"""What parsing a damaged record raises."""

_KINDS: dict[int, Any] = {
    Opcode.HEADER: Header,
    Opcode.SCHEMA: Schema,
    Opcode.CHANNEL: Channel,
    Opcode.CHUNK: Chunk,
    Opcode.ATTACHMENT: Attachment,
    Opcode.METADATA: Metadata,
    Opcode.DATA_END: DataEnd,
}


class RawRecord(NamedTuple):
    """start: where it is in its stream. length: of the content, as declared."""

    start: int
    opcode: int
    length: int
    content: bytes

    @property
    def is_whole(self) -> bool:
        """Whether all of the content is there."""
        return len(self.content) == self.length


def raw_records(stream: BinaryIO, size: int) -> Iterator[RawRecord]:
    """Records from where the stream is; the last may be cut off. size: of the file (bytes).

    Never more is read than the file has. The rest of a file that ends within a record's opcode and
    length is not told.
    """
    while True:
        start = stream.tell()
        prefix = stream.read(PREFIX.size)
        if len(prefix) < PREFIX.size:
            return
        opcode, length = PREFIX.unpack(prefix)
        yield RawRecord(start, opcode, length, stream.read(min(length, size - stream.tell())))


def parse(opcode: int, content: bytes) -> McapRecord | None:
    """A whole record; None where it is of a kind that nobody here needs. Raises `FAULTS`."""
    stream = ReadDataStream(io.BytesIO(content))
    if opcode == Opcode.MESSAGE:
        return Message.read(stream, len(content))
    kind = _KINDS.get(opcode)
    return kind.read(stream) if kind else None
