"""The result folder: written whole or not at all."""

from __future__ import annotations

import ctypes
import errno
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from autourdf_ros.description.document import to_document, to_text
from autourdf_ros.description.report import write_report
from autourdf_ros.description.result_files import (
    DOCUMENT,
    FIGURES,
    MESHES,
    REPORT,
    URDF,
    is_result,
)
from autourdf_ros.description.urdf import DEFAULTS, UrdfOptions, urdf_names, write_urdf
from autourdf_ros.errors import InputError
from autourdf_ros.kinematics.reconstruction import Reconstruction
from autourdf_ros.progress import Progress, part, silent
from autourdf_ros.recording.frame import Recording

_OWN = {URDF, DOCUMENT, REPORT, MESHES, FIGURES}
_RENAME_EXCHANGE = 2  # linux/fs.h
_AT_FDCWD = -100  # fcntl.h


def write_result(
    reconstruction: Reconstruction,
    out: Path,
    *,
    name: str,
    recording: Recording,
    options: UrdfOptions = DEFAULTS,
    progress: Progress = silent,
) -> Path:
    """Write a reconstruction's result folder at `out`; returns its absolute path.

    The folder is written beside and renamed, so that a kill at any moment leaves the old or the
    new whole. name: the robot's. recording: what it was reconstructed from.
    Raises InputError as `check_output` does.
    """
    out = check_output(out)
    names = urdf_names(reconstruction.model, name)
    with _replacing(out) as folder:
        write_urdf(
            reconstruction.model,
            folder,
            name=name,
            options=options,
            progress=part(progress, 0.0, 0.6),
        )
        document = to_document(reconstruction, names, recording, options)
        (folder / DOCUMENT).write_text(to_text(document))
        progress("report", 0.6)
        write_report(
            reconstruction,
            document,
            folder,
            progress=part(progress, 0.6, 1.0),
        )
    progress("written", 1.0)
    return out


def check_output(out: Path) -> Path:
    """Absolute path of a result folder that may be written at `out`.

    Raises InputError where something else is there that would be lost, or where no folder can be
    made. Long work calls it first.
    """
    out = out.expanduser().resolve()
    if out.exists() and not out.is_dir():
        raise InputError(f"{out}: is a file; give a new or empty folder, or an earlier result")
    if out.is_dir():
        there = {path.name for path in out.iterdir()}
        if there and not is_result(out):
            raise InputError(
                f"{out}: holds something that is no result of autourdf ({min(there)}); give a new "
                "or empty folder, or an earlier result"
            )
        if foreign := there - _OWN:
            raise InputError(
                f"{out}: holds {min(foreign)} beside an earlier result, which would be lost; "
                "move it away or give another folder"
            )
    existing = next(path for path in out.parents if path.exists())
    if not (existing.is_dir() and os.access(existing, os.W_OK | os.X_OK)):
        raise InputError(f"{out}: cannot be made: {existing} is not a writable folder")
    return out


def remove_leftovers(parent: Path) -> None:
    """Remove what processes that were killed while writing into `parent` left beside results."""
    for path in parent.glob(".*.partial"):
        *_, pid, _ = path.name.split(".")
        if pid.isdecimal() and not Path(f"/proc/{pid}").exists():
            shutil.rmtree(path, ignore_errors=True)


@contextmanager
def _replacing(out: Path) -> Iterator[Path]:
    """Yield a new folder that takes the place of `out` at the end, unless there is an error."""
    out.parent.mkdir(parents=True, exist_ok=True)
    remove_leftovers(out.parent)
    ending = f".{os.getpid()}.partial"
    folder = Path(tempfile.mkdtemp(ending, f".{out.name}.", out.parent))
    folder.chmod(0o755)
    try:
        try:
            yield folder
        except OSError as error:
            raise InputError(f"{out}: cannot be written: {error.strerror or error}") from error
        if out.exists():
            _exchange(folder, out)
        else:
            folder.rename(out)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _exchange(folder: Path, out: Path) -> None:
    """Swap two folders in one step, or in two on a file system that cannot."""
    libc = ctypes.CDLL(None, use_errno=True)
    paths = os.fsencode(folder), os.fsencode(out)
    if libc.renameat2(_AT_FDCWD, paths[0], _AT_FDCWD, paths[1], _RENAME_EXCHANGE) == 0:
        return
    code = ctypes.get_errno()
    if code not in (errno.EINVAL, errno.ENOSYS):
        raise OSError(code, os.strerror(code), str(out))
    old = folder.with_suffix(".old.partial")
    out.rename(old)
    folder.rename(out)
    shutil.rmtree(old, ignore_errors=True)
