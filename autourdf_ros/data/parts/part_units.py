"""Bring parts to metres, and refuse sizes that metres do not explain."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import numpy as np

from autourdf_ros.data.parts.formats.raw_scene import RawPart
from autourdf_ros.data.parts.parts_options import LIMITS, METRES, PartLimits, PartsOptions
from autourdf_ros.errors import InputError

_TO_Z = {
    "x": np.array([[0.0, 0.0, -1.0], [0.0, 1.0, 0.0], [1.0, 0.0, 0.0]]),
    "y": np.array([[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]]),
    "z": np.eye(3),
}  # rotations that turn an axis to z


def in_metres(part: RawPart, options: PartsOptions) -> RawPart:
    """Return a part in metres with z up, as the user says, else its file, else as it is."""
    factor = METRES[options.unit] if options.unit else part.metres or 1.0
    turn = _TO_Z[options.up or part.up or "z"]
    return replace(part, vertices=factor * part.vertices @ turn.T, metres=1.0, up="z")


def unit_notes(parts: Iterable[RawPart], options: PartsOptions) -> list[str]:
    """Return sentences about the unit and the up axis of the files."""
    parts = tuple(parts)
    notes = []
    declared = {part.metres for part in parts} - {None}
    if options.unit is not None:
        notes.append(f"Lengths are in {options.unit}, as --unit says.")
    elif declared - {1.0}:
        values = ", ".join(f"{value:g}" for value in sorted(declared))  # type: ignore[type-var]
        notes.append(f"Lengths are in units of {values} m, as the files say.")
    ups = {part.up for part in parts} - {None, "z"}
    if options.up in ("x", "y"):
        notes.append(f"The files' {options.up} axis is up, as --up says; it became the z axis.")
    elif options.up is None and ups:
        notes.append(
            f"The files' {' or '.join(sorted(map(str, ups)))} axis is up, as the files or their "
            "format say; it became the z axis. --up z leaves the axes as they are."
        )
    return notes


def check_size(
    source: Path, parts: list[RawPart], options: PartsOptions, limits: PartLimits = LIMITS
) -> float:
    """Return the diagonal of the box around all usable parts (m).

    Raises:
        InputError: The user gives no unit, and the size is not that of a robot or an object.
    """
    corners = [corner for part in parts for corner in (part.vertices.min(0), part.vertices.max(0))]
    size = float(np.linalg.norm(np.ptp(np.array(corners), axis=0))) if corners else 0.0
    if options.unit is None and corners and not limits.least_size <= size <= limits.most_size:
        hint = "give the unit of the files with --unit mm, cm, m or in"
        if limits.least_size <= size * METRES["mm"] <= limits.most_size:
            hint = f"if they are in millimetres ({size / 1000:.3g} m), add --unit mm; else {hint}"
        raise InputError(
            f"{source}: the parts together are {size:.4g} m in size; accepted is "
            f"{limits.least_size:g} to {limits.most_size:g} m: {hint}"
        )
    if not np.isfinite(size):
        raise InputError(f"{source}: the parts together are {size} m in size; accepted is a number")
    return size
