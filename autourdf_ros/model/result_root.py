"""Which result folders may be named from outside: those below one folder."""

from __future__ import annotations

from pathlib import Path

from autourdf_ros.errors import InputError


def result_below(root: Path, given: str) -> Path:
    """Return the absolute path of a folder, by itself or from `root`, with links followed.

    Raises InputError where it is not below `root`.
    """
    root = root.expanduser().resolve()
    folder = (root / Path(given).expanduser()).resolve()
    if not folder.is_relative_to(root):
        raise InputError(f"{given}: is {folder}; accepted are result folders below {root}")
    return folder
