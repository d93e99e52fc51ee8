"""Keeps the files that a result folder names within it: who made it may be anybody."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from lxml import etree

from autourdf_ros.errors import InputError

_LIBRARY = re.compile(rb"^\s*mtllib[ \t]+(.+?)\s*$", re.MULTILINE)
_TEXTURE = re.compile(rb"^\s*(?:map_\w+|bump|disp|decal|refl)[ \t]+(.+?)\s*$", re.MULTILINE)


def refuse_outside(urdf: etree._Element, folder: Path) -> None:
    """Raise InputError where a mesh of a result's URDF, or what that names, is outside `folder`.

    Links and `..` are followed before that is looked at. Accepted are relative paths only. A file
    that does not exist is not reported.
    """
    root = folder.resolve()
    for element in urdf.iter("mesh", "texture"):
        _refuse(folder, element.get("filename", ""), root, folder)
    for mesh in {element.get("filename", "") for element in urdf.iter("mesh")}:
        for library in _named(folder / mesh, ".obj", _LIBRARY):
            beside = (folder / mesh).parent
            _refuse(beside, library, root, folder)
            for texture in _named(beside / library, ".mtl", _TEXTURE):
                _refuse((beside / library).parent, texture, root, folder)


def _named(file: Path, suffix: str, pattern: re.Pattern[bytes]) -> Iterator[str]:
    if file.suffix.lower() == suffix and file.is_file():
        yield from (name.decode(errors="replace") for name in pattern.findall(file.read_bytes()))


def _refuse(beside: Path, name: str, root: Path, folder: Path) -> None:
    if "\0" in name:
        raise InputError(f"{folder}: names the file {name!r}; accepted is a path without zeros")
    found = (beside / name).resolve()
    if "://" in name or Path(name).is_absolute() or not found.is_relative_to(root):
        raise InputError(
            f"{folder}: names the file {name}, which is not in it; accepted are relative paths of "
            "files within the result folder"
        )
