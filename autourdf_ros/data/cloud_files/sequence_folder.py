"""Reads folders SEQUENCE/FRAME/robot.ply with optional joint_cfg.txt: the layout of AutoURDF."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

from autourdf_ros.data.cloud_files.frame_folder import natural_key
from autourdf_ros.data.cloud_files.point_files import read_points
from autourdf_ros.data.frame import Frame, Recording, Sequence
from autourdf_ros.errors import InputError

CLOUD_FILE = "robot.ply"
READINGS_FILE = "joint_cfg.txt"


def accepts(path: Path) -> bool:
    """Return whether `path` holds SEQUENCE/FRAME/robot.ply."""
    return path.is_dir() and next(path.glob(f"*/*/{CLOUD_FILE}"), None) is not None


def read(path: Path) -> Recording:
    """Read all sequences in natural order. Raise InputError naming the file at fault."""
    folders: dict[Path, list[Path]] = {}
    for file in sorted(path.glob(f"*/*/{CLOUD_FILE}"), key=lambda found: natural_key(found)):
        folders.setdefault(file.parent.parent, []).append(file)
    sequences = []
    for folder, files in folders.items():
        frames = tuple(_read_frame(file, float(index)) for index, file in enumerate(files))
        sequences.append(Sequence(frames, folder.name))
    return Recording(tuple(sequences), path)


def _read_frame(file: Path, stamp: float) -> Frame:
    frame = read_points(file, stamp)
    readings = file.with_name(READINGS_FILE)
    if not readings.exists():
        return frame
    return replace(frame, joint_positions=read_joint_cfg(readings))


def read_joint_cfg(file: Path) -> dict[str, float]:
    """Read lines `name:value` (rad or m). Raise InputError naming the line at fault."""
    joints: dict[str, float] = {}
    try:
        lines = file.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{file}: not readable as text: {error}") from error
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        name, colon, text = line.rpartition(":")
        name = name.strip()
        try:
            value = float(text)
        except ValueError:
            value = math.nan
        if not colon or not name or not math.isfinite(value) or name in joints:
            raise InputError(
                f"{file}: line {number} is {line!r}; accepted is name:value, a finite number, "
                "each name once"
            )
        joints[name] = value
    return joints
