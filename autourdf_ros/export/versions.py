"""Versions of a result folder: the one in place, and the three before it, which can come back.

The earlier ones lie in a hidden folder beside. Programs that show an earlier one go on finding its
meshes in the folder: their names hold a hash of their content, and those that a kept version names
are linked there.
"""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from autourdf_ros.errors import InputError
from autourdf_ros.export.revision import Edit, revise
from autourdf_ros.files.atomic_folder import replacing
from autourdf_ros.files.writer_lock import lock_beside
from autourdf_ros.files.xml_reading import read_xml
from autourdf_ros.model.result_files import DOCUMENT, MESHES, URDF, check_output, result_document
from autourdf_ros.model.result_paths import refuse_outside
from autourdf_ros.progress import Progress, silent

KEPT = 3
"""Earlier versions that are kept."""


def versions_folder(out: Path) -> Path:
    """Return the folder beside a result folder in which its earlier versions lie."""
    return out.with_name(f".{out.name}.versions")


def earlier_versions(out: Path) -> tuple[Path, ...]:
    """Return the folders of the versions before that in place, the newest first."""
    found = [path for path in versions_folder(out).glob("*") if path.name.isdecimal()]
    # After a kill just before the new version took its place, the last one is that in place.
    now = _document(out)
    return tuple(path for path in sorted(found, reverse=True) if _document(path) not in (now, b""))


def write_version(out: Path, edit: Edit, *, note: str = "", progress: Progress = silent) -> Path:
    """Write a new version of a result folder, as `edit` changes it; return its absolute path.

    It is written beside and takes the folder's place in one step. A kill at any moment leaves the
    old or the new version in place, and all earlier ones.

    Args:
        out: The result folder.
        edit: As in `revise`.
        note: A sentence for the user about the change, if any.
        progress: Is called with stage and fraction.

    Raises:
        InputError: `out` is no result folder, is damaged, or another process writes there.
    """
    result_document(out)
    refuse_outside(read_xml(out / URDF), out)
    out = check_output(out)
    with lock_beside(out):

        def pruned(folder: Path, document: dict[str, Any]) -> dict[str, Any]:
            new = edit(folder, document)
            _remove_other_meshes(folder)
            return new

        def keep(folder: Path) -> None:
            kept = _with_current(out)[:KEPT]
            _link_meshes(kept, folder)

        revise(out, out, pruned, note=note, finish=keep, progress=progress)
        for version in earlier_versions(out)[KEPT:]:
            _remove(version)
    return out


def rollback(out: Path) -> Path:
    """Put the version before in place of a result folder's current one; return its path.

    The current one is dropped, but for the meshes that programs may still show.

    Raises:
        InputError: `out` is no result folder, has no earlier version, or is being written.
    """
    result_document(out)
    out = check_output(out)
    with lock_beside(out):
        earlier = earlier_versions(out)
        if not earlier:
            raise InputError(
                f"{out}: has no earlier version; accepted is a folder that a command has changed "
                f"(the last {KEPT} versions before are kept)"
            )
        with replacing(out) as folder:
            shutil.copytree(earlier[0], folder, dirs_exist_ok=True, copy_function=_link)
            _link_meshes([out, *earlier[1:]], folder)
        _remove(earlier[0])
        with contextlib.suppress(OSError):  # others are kept
            versions_folder(out).rmdir()
    return out


def forget_versions(out: Path) -> None:
    """Remove the earlier versions of a folder that another result has replaced."""
    folder = versions_folder(out)
    if folder.exists():
        _remove(folder)


def _with_current(out: Path) -> list[Path]:
    """The earlier versions of what comes next: a copy of that in place, and those before it."""
    earlier = list(earlier_versions(out))
    folder = versions_folder(out)
    numbers = [int(path.name) for path in folder.glob("*") if path.name.isdecimal()]
    last = folder / f"{max(numbers, default=0):06d}"
    if _document(last) != _document(out):
        last = folder / f"{max(numbers, default=0) + 1:06d}"
        with replacing(last) as copy:
            shutil.copytree(out, copy, dirs_exist_ok=True, copy_function=_link)
    return [last, *earlier]


def _remove(folder: Path) -> None:
    """Remove a folder, under another name: killed meanwhile, half of it is no version.

    `remove_leftovers` removes what a kill leaves.
    """
    away = folder.with_name(f".{folder.name.strip('.')}.gone.{os.getpid()}.partial")
    folder.rename(away)
    shutil.rmtree(away, ignore_errors=True)


def _document(folder: Path) -> bytes:
    try:
        return (folder / DOCUMENT).read_bytes()
    except OSError:
        return b""


def _link_meshes(versions: Iterable[Path], folder: Path) -> None:
    """Let `folder` have the meshes that these versions name, beside its own."""
    for version in versions:
        for name in _mesh_files(version):
            target = folder / name
            if not target.exists():
                target.parent.mkdir(parents=True, exist_ok=True)
                _link(version / name, target)


def _remove_other_meshes(folder: Path) -> None:
    """Remove the meshes that the folder's URDF does not name: they were of earlier versions."""
    own = {folder / name for name in _mesh_files(folder)}
    for path in (folder / MESHES).rglob("*"):
        if path.is_file() and path not in own:
            path.unlink()


def _mesh_files(folder: Path) -> set[Path]:
    """Meshes that a folder's URDF names, relative to it, with the materials and pictures beside."""
    named = {mesh.get("filename", "") for mesh in read_xml(folder / URDF).iter("mesh")}
    inside = (folder / MESHES).resolve()
    return {
        beside.relative_to(folder)
        for mesh in (folder / name for name in named)
        if mesh.resolve().is_relative_to(inside) and mesh.is_file()
        for beside in mesh.parent.iterdir()
        if beside.stem == mesh.stem
    }


def _link(source: str | Path, target: str | Path) -> None:
    """A second name of a file, or a copy where the file system has none. No file is rewritten."""
    try:
        os.link(source, target)
    except OSError:
        shutil.copy2(source, target)
