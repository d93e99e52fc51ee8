"""Wrenches with poses from a table of one's own: CSV with a header, or NPZ of the same names."""

from __future__ import annotations

import csv
import math
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from autourdf_ros.data.cloud_files.npz_reading import read_npz
from autourdf_ros.data.wrenches.pose_motion import MOTION_OPTIONS, motion_of_poses
from autourdf_ros.data.wrenches.wrench_recording import GRAVITY, WrenchRecording, check_times
from autourdf_ros.errors import InputError

Array = NDArray[np.float64]

POSE = ("px", "py", "pz", "qx", "qy", "qz", "qw")
WRENCH = ("fx", "fy", "fz", "tx", "ty", "tz")
VELOCITY = ("vx", "vy", "vz", "wx", "wy", "wz")
ACCELERATION = ("ax", "ay", "az", "alphax", "alphay", "alphaz")
APART = "apart"
"""Time (s) between the two transforms that a pose lies between; 0 where one has its time."""
COLUMNS = ("time", *POSE, *WRENCH)
ACCEPTED = (
    f"columns {', '.join(COLUMNS)} (s, m, N, N m; the sensor's pose in the world frame, the load's "
    "wrench on the sensor along the sensor's axes)"
)
_MOST_BYTES = 512 * 2**20
"""Of a table: a bound of memory."""


def read_wrench_table(file: Path) -> WrenchRecording:
    """Return the records of a .csv or .npz file.

    Velocities and accelerations (`VELOCITY`, `ACCELERATION`, along the sensor's axes) are optional;
    without them the poses are differentiated. So is `APART`.

    Raises:
        InputError: names the file, the line or column, and what is accepted.
    """
    names = (*COLUMNS, *VELOCITY, *ACCELERATION, APART)
    if file.suffix == ".npz":
        columns = {name: np.asarray(values) for name, values in read_npz(file, names).items()}
    else:
        columns = _read_csv(file, names)
    if lacking := [name for name in COLUMNS if name not in columns]:
        raise InputError(f"{file}: lacks {', '.join(lacking)}; accepted are {ACCEPTED}")
    for name, values in columns.items():
        if values.ndim != 1 or values.dtype.kind not in "fiu":
            raise InputError(
                f"{file}: {name} of shape {values.shape}, type {values.dtype}; accepted are numbers"
            )
    if len({len(values) for values in columns.values()}) > 1:
        raise InputError(f"{file}: columns of different lengths; accepted is one value a record")
    return _recording(file, columns)


def recording_of_poses(
    times: Array, poses: Array, wrenches: Array, source: str, apart: Array | None = None
) -> WrenchRecording:
    """Return a recording whose motion is differentiated from poses in the world.

    Records whose motion a gap hides are left out and counted: between two poses that are far apart
    a pose is a guess, and so is the acceleration next to a gap.

    Args:
        times: (n,) s.
        poses: (n, 4, 4) of the sensor.
        wrenches: (n, 6) of the load.
        source: For messages.
        apart: (n,) s, see `APART`; None: each pose was measured at its record's time.

    Raises:
        InputError: times do not increase, or gaps hide the whole motion.
    """
    check_times(times, source)
    placed = np.ones(len(times), bool) if apart is None else _placed(times, apart)
    if placed.sum() < 2:
        raise InputError(_HIDDEN.format(source))
    motion = motion_of_poses(times[placed], poses[placed])
    known = motion.known
    if known.sum() < 2:
        raise InputError(_HIDDEN.format(source))
    return WrenchRecording(
        times[placed][known],
        poses[placed][known],
        motion.velocities[known],
        motion.accelerations[known],
        wrenches[placed][known],
        np.array(GRAVITY),
        motion.acceleration_std,
        source=source,
        left_out=len(times) - int(known.sum()),
    )


_HIDDEN = (
    "{}: gaps between the records, or between the transforms that their poses come from, hide the "
    "motion; accepted are records that are no more than a few intervals apart"
)


def _placed(times: Array, apart: Array) -> NDArray[np.bool_]:
    """Whether the transforms of each pose are no farther apart than those of most, or records."""
    even = max(float(np.median(np.diff(times))), float(np.median(apart)))
    return np.asarray(apart <= MOTION_OPTIONS.gap * even)


def _recording(file: Path, columns: dict[str, Array]) -> WrenchRecording:
    times = columns["time"].astype(float)
    turns = _stacked(columns, POSE[3:])
    norms = np.linalg.norm(turns, axis=1)
    if not (np.abs(norms - 1) < 0.01).all():
        raise InputError(
            f"{file}: quaternions of norm {norms.min():.3g}; accepted is 1 (qx qy qz qw)"
        )
    poses = np.tile(np.eye(4), (len(times), 1, 1))
    poses[:, :3, :3] = Rotation.from_quat(turns).as_matrix()
    poses[:, :3, 3] = _stacked(columns, POSE[:3])
    wrenches = _stacked(columns, WRENCH)
    given = [set(group) <= set(columns) for group in (VELOCITY, ACCELERATION)]
    if all(given):
        motion = _stacked(columns, VELOCITY), _stacked(columns, ACCELERATION)
        return WrenchRecording(times, poses, *motion, wrenches, source=str(file))
    return recording_of_poses(times, poses, wrenches, str(file), columns.get(APART))


def _stacked(columns: dict[str, Array], names: tuple[str, ...]) -> Array:
    return np.column_stack([columns[name] for name in names]).astype(float)


def _read_csv(file: Path, names: tuple[str, ...]) -> dict[str, Array]:
    try:
        if file.stat().st_size > _MOST_BYTES:
            raise InputError(
                f"{file}: larger than {_MOST_BYTES} bytes; accepted are smaller tables"
            )
        with file.open(newline="", encoding="utf-8") as stream:
            lines = csv.reader(stream, skipinitialspace=True)
            head = [name.strip() for name in next(lines, [])]
            if len(head) == 1 and ";" in head[0]:
                raise InputError(
                    f"{file}: columns are separated by ';'; accepted are ',' between columns and "
                    "'.' in numbers (is it of a spreadsheet with decimal commas?)"
                )
            table = [
                _numbers(file, number, line, head) for number, line in enumerate(lines, 2) if line
            ]
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise InputError(
            f"{file}: cannot be read as CSV: {error}; accepted are {ACCEPTED}"
        ) from error
    if len(set(head)) != len(head):
        raise InputError(f"{file}: has a column twice; accepted are {ACCEPTED}")
    values = np.array(table, float).reshape(-1, max(len(head), 1))
    return {name: values[:, head.index(name)] for name in names if name in head}


def _numbers(file: Path, number: int, line: list[str], head: list[str]) -> list[float]:
    if len(line) != len(head):
        raise InputError(f"{file}: line {number} has {len(line)} values; accepted are {len(head)}")
    try:
        values = [float(value) for value in line]
    except ValueError as error:
        raise InputError(f"{file}: line {number}: {error}; accepted are numbers") from error
    for name, value in zip(head, values, strict=True):
        if not math.isfinite(value):
            raise InputError(f"{file}: line {number}: {name} is {value}, which is not finite")
    return values
