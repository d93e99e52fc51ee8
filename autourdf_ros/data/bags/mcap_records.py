"""Reads the records of an untrusted MCAP file, whose declared lengths may be wrong.

The format: https://mcap.dev/spec. A record is one byte of opcode, eight of length, and content.
The mcap library parses single records; its own readers unpack a chunk to any size that it declares,
accept a record that is cut off, and end at the first damage.
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
"""Exceptions that parsing a damaged record raises."""

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
    """A record before it is parsed.

    Attributes:
        start: place in its stream (bytes).
        opcode: kind of the record.
        length: declared length of the content (bytes).
        content: as much of it as the file has.
    """

    start: int
    opcode: int
    length: int
    content: bytes

    @property
    def is_whole(self) -> bool:
        """Whether all of the content is there."""
        return len(self.content) == self.length


def raw_records(stream: BinaryIO, size: int) -> Iterator[RawRecord]:
    """Yield the records from the stream's position on; the last may be cut off.

    It never reads more than the file has, and ends where a file ends within a record's opcode and
    length.

    Args:
        size: of the file (bytes).
    """
    while True:
        start = stream.tell()
        prefix = stream.read(PREFIX.size)
        if len(prefix) < PREFIX.size:
            return
        opcode, length = PREFIX.unpack(prefix)
        yield RawRecord(start, opcode, length, stream.read(min(length, size - stream.tell())))


def parse(opcode: int, content: bytes) -> McapRecord | None:
    """Parse a whole record; None for a kind that is not needed here. Raise one of `FAULTS`."""
    stream = ReadDataStream(io.BytesIO(content))
    if opcode == Opcode.MESSAGE:
        return Message.read(stream, len(content))
    kind = _KINDS.get(opcode)
    return kind.read(stream) if kind else None
