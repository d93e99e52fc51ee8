"""Keeps what a compiled library prints away from standard output, which belongs to results."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock

_OUTPUT = 1  # descriptor of standard output
_ALONE = Lock()


@contextmanager
def quiet_library() -> Iterator[None]:
    """Discard what compiled code prints to standard output while the context lasts.

    One thread at a time; what other threads print meanwhile is lost, so that the context holds no
    more than one call of a library. It does nothing where standard output is closed.
    """
    with _ALONE:
        try:
            kept = os.dup(_OUTPUT)
        except OSError:
            yield
            return
        library = ctypes.CDLL(None)
        try:
            library.fflush(None)
            with open(os.devnull, "wb") as nothing:
                os.dup2(nothing.fileno(), _OUTPUT)
            yield
        finally:
            library.fflush(None)  # of the library's buffer, while it leads nowhere
            os.dup2(kept, _OUTPUT)
            os.close(kept)
