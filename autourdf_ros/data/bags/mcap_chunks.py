"""Unpacks the chunks of MCAP files of anybody's, within bounds.

The format: https://mcap.dev/spec.
"""

from __future__ import annotations

import zlib

import zstandard
from mcap.exceptions import McapError, UnsupportedCompressionError
from mcap.records import Chunk
from mcap.stream_reader import get_chunk_data_stream

MOST_TIMES = 100
"""Times its own size that a chunk may take when it is unpacked, and `LEAST` beside."""

LEAST = 2**28
"""Bytes that a chunk may always take: a cloud that is empty packs far better than a full one."""


class ChunkError(McapError):
    """A chunk is damaged, or would take more memory than it is worth."""


def bound(packed: int) -> int:
    """Bytes that `packed` bytes may take when they are unpacked."""
    return MOST_TIMES * packed + LEAST


def chunk_content(chunk: Chunk) -> bytes:
    """Content of a whole chunk; its size and checksum are those that it declares.

    Raises ChunkError where they are not, or above `bound`; UnsupportedCompressionError.
    """
    size, packed = chunk.uncompressed_size, chunk.data
    if size > bound(len(packed)):
        raise ChunkError(
            f"a chunk of {len(packed)} bytes would take {size}; accepted are {bound(len(packed))}"
        )
    if chunk.compression == "zstd":
        content = unpack_zstd(packed, size)
    elif chunk.compression == "lz4":  # of which one byte gives 255 at most
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
    """What zstandard makes of `packed`, up to `most` bytes, or to where it was cut."""
    content = bytearray()
    try:
        # Whatever size the frame declares, only what is really there is ever held.
        with zstandard.ZstdDecompressor(max_window_size=2**27).stream_reader(packed) as stream:
            while len(content) < most:
                piece = stream.read(min(2**20, most - len(content)))
                if not piece:
                    break
                content += piece
    except zstandard.ZstdError:
        pass  # what came before it is whole
    return bytes(content)
