"""Bring parts to metres, and refuse sizes that metres do not explain."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np

from autourdf_ros.data.parts.formats.raw_scene import RawPart
from autourdf_ros.data.parts.parts_options import LIMITS, METRES, PartLimits, PartsOptions
from autourdf_ros.errors import InputError


def in_metres(part: RawPart, options: PartsOptions) -> RawPart:
    """Return a part in metres, by the unit of the user, else of its file, else as it is."""
    factor = METRES[options.unit] if options.unit else part.metres or 1.0
    return replace(part, vertices=part.vertices * factor, metres=1.0)


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
