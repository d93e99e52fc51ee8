"""Unpacks the chunks of untrusted MCAP files within bounds.

The format: https://mcap.dev/spec.
"""

from __future__ import annotations

import zlib

import zstandard
from mcap.exceptions import McapError, UnsupportedCompressionError
from mcap.records import Chunk
from mcap.stream_reader import get_chunk_data_stream

MOST_TIMES = 100
"""A chunk may unpack to this many times its own size, plus `LEAST`."""

LEAST = 2**28
"""Bytes to which any chunk may unpack: an empty cloud packs far better than a full one."""


class ChunkError(McapError):
    """A chunk is damaged, or would unpack to more than its bound."""


def bound(packed: int) -> int:
    """Return the number of bytes to which `packed` bytes may unpack."""
    return MOST_TIMES * packed + LEAST


def chunk_content(chunk: Chunk) -> bytes:
    """Return the content of a whole chunk.

    Raises:
        ChunkError: its size or checksum is not as declared, or the size is above `bound`.
        UnsupportedCompressionError: its compression is not known.
    """
    size, packed = chunk.uncompressed_size, chunk.data
    if size > bound(len(packed)):
        raise ChunkError(
            f"a chunk of {len(packed)} bytes would take {size}; accepted are {bound(len(packed))}"
        )
    if chunk.compression == "zstd":
        content = unpack_zstd(packed, size)
    elif chunk.compression == "lz4":  # one byte unpacks to at most 255
        content = get_chunk_data_stream(chunk)[0].read(size)
    elif chunk.compression == "":
        content = packed
    else:
        raise UnsupportedCompressionError(chunk.compression)
    if len(content) != size:
        raise ChunkError(f"a chunk has {len(content)} bytes, it declares {size}")
    if chunk.uncompressed_crc and zlib.crc32(content) != chunk.uncompressed_crc:
        raise ChunkError("a chunk's checksum is wrong")
    return content


def unpack_zstd(packed: bytes, most: int) -> bytes:
    """Return what `packed` unpacks to, up to `most` bytes or to where it was cut."""
    content = bytearray()
    try:
        # Independently of the declared size, only unpacked bytes are held.
        with zstandard.ZstdDecompressor(max_window_size=2**27).stream_reader(packed) as stream:
            while len(content) < most:
                piece = stream.read(min(2**20, most - len(content)))
                if not piece:
                    break
                content += piece
    except zstandard.ZstdError:
        pass  # what precedes it is whole
    return bytes(content)
