"""Keeps what a compiled library prints away from a program's own output."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Lock

_OUTPUT, _ERRORS = 1, 2  # descriptors of standard output and standard error
_ALONE = Lock()


@contextmanager
def quiet_library(errors: bool = False) -> Iterator[None]:
    """Discard what compiled code prints to standard output while the context lasts.

    One thread at a time; what other threads print meanwhile is lost, so that the context holds no
    more than one call of a library. It does nothing where a stream is closed.

    Args:
        errors: Whether what it prints to standard error is discarded, too.
    """
    streams = (_OUTPUT, _ERRORS) if errors else (_OUTPUT,)
    with _ALONE:
        try:
            kept = {stream: os.dup(stream) for stream in streams}
        except OSError:
            yield
            return
        library = ctypes.CDLL(None)
        try:
            library.fflush(None)
            with Path(os.devnull).open("wb") as nothing:
                for stream in streams:
                    os.dup2(nothing.fileno(), stream)
            yield
        finally:
            library.fflush(None)  # of the library's buffer, while it leads nowhere
            for stream, copy in kept.items():
                os.dup2(copy, stream)
                os.close(copy)
