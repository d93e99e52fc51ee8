"""Folders that are named after a robot and numbered."""

from __future__ import annotations

import re
from pathlib import Path

_NUMBER = re.compile(r"_\d{4,}$")
_UNUSABLE = re.compile(r"[^\w.-]+")


def next_folder(parent: Path, name: str) -> Path:
    """Return the path of a new folder in `parent`: NAME_0001, or the number after the largest.

    Args:
        parent: folder of all of them; it need not exist.
        name: of the robot; what no path may hold becomes an underscore.
    """
    usable = _UNUSABLE.sub("_", name).strip("._-") or "robot"
    taken = [
        int(path.name.removeprefix(f"{usable}_"))
        for path in parent.glob(f"{usable}_*")
        if path.name.removeprefix(f"{usable}_").isdecimal()
    ]
    return parent / f"{usable}_{max(taken, default=0) + 1:04d}"


def robot_of(folder: Path) -> str:
    """Return the robot's name of a numbered folder, or the folder's own name."""
    return _NUMBER.sub("", folder.name) or folder.name
