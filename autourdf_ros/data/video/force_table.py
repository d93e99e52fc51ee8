"""Known forces on bodies and efforts of joints beside a video: `forces.csv`."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.data.video.video_checks import check_stamps
from autourdf_ros.errors import InputError
from autourdf_ros.files.durable_files import replace_text

Array = NDArray[np.float64]

FORCES_FILE = "forces.csv"
_FORCE, _POINT, _EFFORT = ("fx", "fy", "fz"), ("px", "py", "pz"), "effort"
_MOST_BYTES = 2**28  # a bound of memory
_ACCEPTED = (
    "accepted is a first line 'time' with BODY.fx, BODY.fy, BODY.fz (N, world), where known "
    "BODY.px, BODY.py, BODY.pz (m, world; without: the origin of the body's frame), and "
    "JOINT.effort (N m or N), then a number in every column of every line"
)


@dataclass(frozen=True)
class ForceTable:
    """What acted from `stamps[k]` until `stamps[k + 1]`, held between.

    Attributes:
        stamps: (F,) seconds of the video's clock, rising.
        forces: (F, 3) on bodies, by name, along the world's axes (N).
        points: (F, 3) in the world where they act (m), by name of the body; a body that has none
            is pushed at the origin of its frame.
        efforts: (F,) of joints, by name (N m or N).
    """

    stamps: Array
    forces: dict[str, Array] = field(default_factory=dict)
    points: dict[str, Array] = field(default_factory=dict)
    efforts: dict[str, Array] = field(default_factory=dict)


def read_forces(path: Path) -> ForceTable:
    """Return the forces of a CSV file.

    Raises:
        InputError: names the file, the line or column, and what is accepted.
    """
    header, rows = _table(path)
    if header[:1] != ["time"] or len(set(header)) != len(header) or len(header) < 2 or not rows:
        raise InputError(f"{path}: columns {', '.join(header)[:80] or 'none'}; {_ACCEPTED}")
    columns = dict(zip(header, np.array(rows, float).T, strict=True))
    stamps = columns.pop("time")
    check_stamps(str(path), stamps)
    forces: dict[str, Array] = {}
    points: dict[str, Array] = {}
    efforts: dict[str, Array] = {}
    for name in columns:
        target, _, kind = name.rpartition(".")
        if not target or kind not in (*_FORCE, *_POINT, _EFFORT):
            raise InputError(f"{path}: column {name!r:.60}; {_ACCEPTED}")
        if kind == _EFFORT:
            efforts[target] = columns[name]
            continue
        group, goal = (_FORCE, forces) if kind in _FORCE else (_POINT, points)
        if lacking := [part for part in group if f"{target}.{part}" not in columns]:
            raise InputError(f"{path}: has {name!r:.60} without {target}.{lacking[0]}; {_ACCEPTED}")
        goal[target] = np.column_stack([columns[f"{target}.{part}"] for part in group])
    if lone := [name for name in points if name not in forces]:
        raise InputError(f"{path}: has points of {lone[0]!r:.60} without forces; {_ACCEPTED}")
    return ForceTable(stamps, forces, points, efforts)


def write_forces(table: ForceTable, path: Path) -> None:
    """Write forces as CSV, whole or not at all."""
    columns: dict[str, Array] = {"time": table.stamps}
    for parts, group in ((_FORCE, table.forces), (_POINT, table.points)):
        for name, values in group.items():
            columns |= {
                f"{name}.{part}": column for part, column in zip(parts, values.T, strict=True)
            }
    columns |= {f"{name}.{_EFFORT}": values for name, values in table.efforts.items()}
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows([repr(float(v)) for v in row] for row in zip(*columns.values(), strict=True))
    replace_text(path, text.getvalue())


def _table(path: Path) -> tuple[list[str], list[list[float]]]:
    try:
        if path.stat().st_size > _MOST_BYTES:
            raise InputError(f"{path}: larger than {_MOST_BYTES} bytes; accepted are smaller ones")
        with path.open(newline="", encoding="utf-8") as file:
            lines = csv.reader(file, skipinitialspace=True)
            header = [name.strip() for name in next(lines, [])]
            rows = [_values(path, n, line, len(header)) for n, line in enumerate(lines, 2) if line]
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise InputError(f"{path}: cannot be read as CSV: {error}; {_ACCEPTED}") from error
    return header, rows


def _values(path: Path, number: int, line: list[str], count: int) -> list[float]:
    if len(line) != count:
        raise InputError(f"{path}: line {number} has {len(line)} values; accepted are {count}")
    try:
        values = [float(value) for value in line]
    except ValueError as error:
        raise InputError(f"{path}: line {number}: {error}; accepted are numbers") from error
    if not np.isfinite(values).all():
        raise InputError(f"{path}: line {number} is not finite; accepted are finite numbers")
    return values
