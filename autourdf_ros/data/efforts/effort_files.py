"""Reads positions and efforts of joints from CSV and NPZ files."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.data.efforts.effort_recording import EffortRecording
from autourdf_ros.errors import InputError

CSV_ACCEPTED = (
    "accepted is a first line 'time, NAME.position, NAME.effort, …' (NAME.velocity where known), "
    "and a number in every column of every other line"
)
NPZ_ACCEPTED = (
    "accepted is an NPZ with joints (J names), times (n), positions and efforts (n, J), and "
    "velocities (n, J) where known"
)
_MOST_BYTES = 2 * 10**9  # a resource bound
_KINDS = ("position", "effort", "velocity")


def read_csv_efforts(path: Path) -> EffortRecording:
    """Read a CSV file.

    Raises:
        InputError: naming the file, the line and what is accepted.
    """
    _check_size(path)
    try:
        with path.open(newline="", encoding="utf-8") as file:
            rows = csv.reader(file, skipinitialspace=True)
            header = [name.strip() for name in next(rows, [])]
            table = [_numbers(row, header, path, line) for line, row in enumerate(rows, 2) if row]
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise InputError(f"{path}: cannot be read: {error}; {CSV_ACCEPTED}") from error
    if len(set(header)) != len(header) or "time" not in header or not table:
        raise InputError(f"{path}: columns {', '.join(header) or 'none'}; {CSV_ACCEPTED}")
    columns = dict(zip(header, np.array(table).T, strict=True))
    named = [name for name in header if name != "time"]
    unknown = [name for name in named if name.rpartition(".")[2] not in _KINDS]
    if unknown:
        raise InputError(f"{path}: column {unknown[0]!r}; {CSV_ACCEPTED}")
    joints = tuple(dict.fromkeys(name.rpartition(".")[0] for name in named))
    for joint in joints:
        for kind in _KINDS[:2]:
            if f"{joint}.{kind}" not in columns:
                raise InputError(f"{path}: has no column '{joint}.{kind}'; {CSV_ACCEPTED}")
    arrays = {
        kind: np.column_stack([columns[f"{joint}.{kind}"] for joint in joints])
        for kind in _KINDS
        if all(f"{joint}.{kind}" in columns for joint in joints)
    }
    return EffortRecording(
        joints,
        columns["time"],
        arrays["position"],
        arrays["effort"],
        arrays.get("velocity"),
        source=str(path),
    )


def _numbers(row: list[str], header: list[str], path: Path, line: int) -> list[float]:
    if len(row) != len(header):
        raise InputError(f"{path}: line {line} has {len(row)} values; {CSV_ACCEPTED}")
    try:
        return [float(value) for value in row]
    except ValueError as error:
        raise InputError(f"{path}: line {line}: {error}; {CSV_ACCEPTED}") from error


def read_npz_efforts(path: Path) -> EffortRecording:
    """Read an NPZ file.

    Raises:
        InputError: naming the file, the array and what is accepted.
    """
    _check_size(path)
    try:
        with np.load(path, allow_pickle=False) as file:
            found = {name: np.array(file[name]) for name in file.files}
    except (OSError, ValueError, EOFError, KeyError, MemoryError) as error:
        raise InputError(f"{path}: cannot be read: {error}; {NPZ_ACCEPTED}") from error
    except Exception as error:  # zipfile and zlib have errors of their own
        raise InputError(f"{path}: cannot be read: {error}; {NPZ_ACCEPTED}") from error
    lacking = [name for name in ("joints", "times", "positions", "efforts") if name not in found]
    if lacking or found["joints"].dtype.kind != "U" or found["joints"].ndim != 1:
        what = f"has no {lacking[0]}" if lacking else "its joints are no names"
        raise InputError(f"{path}: {what}; {NPZ_ACCEPTED}")
    joints = tuple(found["joints"].tolist())
    times = _array(found["times"], path, "times")
    if times.ndim != 1:
        raise InputError(f"{path}: times of shape {times.shape}; {NPZ_ACCEPTED}")
    speeds = _array(found["velocities"], path, "velocities") if "velocities" in found else None
    return EffortRecording(
        joints,
        times,
        _array(found["positions"], path, "positions"),
        _array(found["efforts"], path, "efforts"),
        speeds,
        str(path),
    )


def _array(values: NDArray[np.generic], path: Path, name: str) -> NDArray[np.float64]:
    if values.dtype.kind not in "fiu":
        raise InputError(f"{path}: {name} are of type {values.dtype}; {NPZ_ACCEPTED}")
    return np.asarray(values, float)


def _check_size(path: Path) -> None:
    try:
        size = path.stat().st_size
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from error
    if size > _MOST_BYTES:
        raise InputError(f"{path}: has {size} bytes; accepted are up to {_MOST_BYTES}")
