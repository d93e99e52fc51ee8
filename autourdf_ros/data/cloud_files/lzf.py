"""Unpacks LZF, by which PCD files are compressed."""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray


@njit(cache=True)
def unpack_lzf(packed: NDArray[np.uint8], content: NDArray[np.uint8]) -> int:
    """Fill `content`. Return the number of bytes written, or -1 where one would be out of bounds.

    LibLZF by M. Lehmann: a control byte below 32 is the number of bytes to copy, less one; else it
    holds length (3 bits) and distance of the bytes to repeat.
    """
    read, written = 0, 0
    while read < len(packed):
        control = int(packed[read])
        read += 1
        if control < 32:
            length = control + 1
            if read + length > len(packed) or written + length > len(content):
                return -1
            for _ in range(length):
                content[written] = packed[read]
                read += 1
                written += 1
            continue
        length = control >> 5
        if length == 7:
            if read >= len(packed):
                return -1
            length += int(packed[read])
            read += 1
        if read >= len(packed):
            return -1
        source = written - ((control & 31) << 8) - int(packed[read]) - 1
        read += 1
        length += 2
        if source < 0 or written + length > len(content):
            return -1
        for _ in range(length):
            content[written] = content[source]
            written += 1
            source += 1
    return written
