"""Replaces a folder whole or not at all."""

from __future__ import annotations

import ctypes
import errno
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from autourdf_ros.errors import InputError
from autourdf_ros.files.durable_files import sync, sync_tree

_RENAME_EXCHANGE = 2  # linux/fs.h
_AT_FDCWD = -100  # fcntl.h
_OLD = "old"


def remove_leftovers(parent: Path) -> None:
    """Remove what killed processes left beside results in `parent`.

    A result that such a process moved away without a replacement is moved back.
    """
    for path in parent.glob(".*.*.*.partial"):
        name, kind, pid, _ = path.name.removeprefix(".").rsplit(".", 3)
        if not pid.isdecimal() or Path(f"/proc/{pid}").exists():
            continue
        if kind == _OLD and not (parent / name).exists():
            path.rename(parent / name)
        else:
            shutil.rmtree(path, ignore_errors=True)


def check_writable(path: Path) -> None:
    """Raise InputError where nothing could be written at `path`; nothing is left of the trial.

    Long work, or a motion, should not begin whose result is lost.
    """
    there = next(parent for parent in path.absolute().parents if parent.exists())
    with _named(path):
        Path(tempfile.mkdtemp(f".{os.getpid()}.partial", f".{path.name}.", there)).rmdir()


@contextmanager
def replacing(out: Path) -> Iterator[Path]:
    """Yield a new folder that replaces `out` at the end, unless there is an error.

    A kill or a power cut at any moment leaves the old or the new folder whole at `out`, and at
    worst a leftover beside it.

    Raises:
        InputError: the folder cannot be written.
    """
    with _named(out):
        out.parent.mkdir(parents=True, exist_ok=True)
        remove_leftovers(out.parent)
        ending = f".{os.getpid()}.partial"
        folder = Path(tempfile.mkdtemp(ending, f".{out.name}.", out.parent))
    try:
        with _named(out):
            folder.chmod(0o755)
            yield folder
            sync_tree(folder)
            if out.exists():
                _exchange(folder, out)
            else:
                folder.rename(out)
            sync(out.parent)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def _named(out: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise InputError(f"{out}: cannot be written: {error.strerror or error}") from error


def _exchange(folder: Path, out: Path) -> None:
    """Swap two folders in one step, or in two on a file system that cannot."""
    libc = ctypes.CDLL(None, use_errno=True)
    paths = os.fsencode(folder), os.fsencode(out)
    if libc.renameat2(_AT_FDCWD, paths[0], _AT_FDCWD, paths[1], _RENAME_EXCHANGE) == 0:
        return
    code = ctypes.get_errno()
    if code not in (errno.EINVAL, errno.ENOSYS):
        raise OSError(code, os.strerror(code), str(out))
    old = folder.with_name(f".{out.name}.{_OLD}.{os.getpid()}.partial")
    out.rename(old)
    folder.rename(out)
    shutil.rmtree(old, ignore_errors=True)
