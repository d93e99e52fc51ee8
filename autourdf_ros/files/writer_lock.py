"""Lock that prevents two processes from writing in one place."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path
from types import TracebackType
from typing import Self

from autourdf_ros.errors import InputError


def lock_beside(out: Path) -> WriterLock:
    """Lock a folder that exists or will exist; its parents are created."""
    out = out.expanduser().resolve()
    return WriterLock(out.with_name(f".{out.name}.lock"), out)


def lock_within(folder: Path) -> WriterLock:
    """Lock the contents of a folder, which is created."""
    return WriterLock(folder / LOCK, folder)


LOCK = ".lock"


class WriterLock:
    """A lock that one process of this machine holds until it releases it or ends in any way.

    It is a lock of the process (fcntl(2)), which no child inherits.

    Args:
        file: created, and removed by `release`; that of a killed holder stays, free to be locked.
        place: what is written, for errors.

    Raises:
        InputError: another process holds the lock, or nothing can be written.
    """

    def __init__(self, file: Path, place: Path) -> None:
        self._file = file
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
            self._descriptor = _locked(file)
            os.truncate(self._descriptor, 0)
            os.write(self._descriptor, f"{os.getpid()}\n".encode())
        except BlockingIOError as error:
            raise InputError(
                f"{place}: another process is writing there, {_holder(file)}; wait for it or end "
                "it, or give another folder"
            ) from error
        except OSError as error:
            raise InputError(
                f"{place}: cannot be written: {error.strerror}; accepted is a folder in which "
                "files can be made"
            ) from error

    def release(self) -> None:
        """Release the lock. Further calls do nothing."""
        if self._descriptor >= 0:
            self._file.unlink(missing_ok=True)
            os.close(self._descriptor)
            self._descriptor = -1

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        error: type[BaseException] | None,
        value: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.release()


def _locked(file: Path) -> int:
    """Open and lock the file. Raise BlockingIOError where another process holds the lock."""
    while True:
        descriptor = os.open(file, os.O_RDWR | os.O_CREAT, 0o666)
        try:
            fcntl.lockf(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            # The holder before may just have removed the file; then this locks nothing.
            if file.exists() and os.path.samestat(os.fstat(descriptor), file.stat()):
                return descriptor
        except BaseException:
            os.close(descriptor)
            raise
        os.close(descriptor)


def _holder(file: Path) -> str:
    try:
        return f"number {int(file.read_text())}"
    except (OSError, ValueError):
        return "which has just begun"
