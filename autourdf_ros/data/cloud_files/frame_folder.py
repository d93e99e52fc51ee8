"""Reads a folder of PLY, PCD or NPZ files, each one frame of a single sequence."""

from __future__ import annotations

import re
from pathlib import Path

from autourdf_ros.data.cloud_files.point_files import SUFFIXES, read_points
from autourdf_ros.data.frame import Recording, Sequence


def accepts(path: Path) -> bool:
    """Return whether `path` is a folder that holds a frame."""
    return path.is_dir() and bool(_files(path))


def read(path: Path) -> Recording:
    """Read frames in natural order (2 before 10). Raise InputError naming the file at fault."""
    frames = tuple(read_points(file, float(index)) for index, file in enumerate(_files(path)))
    return Recording((Sequence(frames, path.name),), path)


def natural_key(path: Path) -> list[tuple[int, str]]:
    """Return a sort key that orders numbers within names by their value."""
    parts = re.split(r"(\d+)", str(path))
    return [(int(part), "") if part.isdigit() else (-1, part) for part in parts]


def _files(path: Path) -> list[Path]:
    found = (file for file in path.iterdir() if file.suffix.lower() in SUFFIXES)
    return sorted(found, key=natural_key)
