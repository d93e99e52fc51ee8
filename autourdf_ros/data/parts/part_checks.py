"""Clean part meshes and find those that cannot be used."""

from __future__ import annotations

import hashlib
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.data.parts.formats.raw_scene import RawPart
from autourdf_ros.data.parts.part_assembly import SetAside
from autourdf_ros.data.parts.parts_options import LIMITS, PartLimits


def merge_vertices(part: RawPart, limits: PartLimits = LIMITS) -> RawPart:
    """Merge the vertices at one place; drop unused vertices and triangles without three corners.

    Vertices count as one in a cell of `limits.merging` of the part's extent. A part with vertices
    that are not finite stays as it is.
    """
    used = np.unique(part.triangles)
    points = part.vertices[used]
    if not len(used) or not _plain(points, limits).all():
        return part
    _, kept, places = np.unique(_cells(points, limits), return_index=True, return_inverse=True)
    renumbered = np.zeros(len(part.vertices), np.int64)
    renumbered[used] = places
    corners = renumbered[part.triangles]
    whole = (
        (corners[:, 0] != corners[:, 1])
        & (corners[:, 1] != corners[:, 2])
        & (corners[:, 2] != corners[:, 0])
    )
    return replace(part, vertices=points[kept], triangles=corners[whole])


def _plain(points: NDArray[np.float64], limits: PartLimits) -> NDArray[np.bool_]:
    """Return (N,) whether a point is finite and no more than absurdly far away."""
    return np.asarray((np.abs(points) <= limits.farthest).all(axis=1))  # false for NaN


def _cells(points: NDArray[np.float64], limits: PartLimits) -> NDArray[np.int64]:
    """Return one number (N,) for each point; points of one cell have the same."""
    low = points.min(0)
    extent = float(np.ptp(points, axis=0).max()) or 1.0
    steps = round(1.0 / limits.merging)
    cells = np.rint((points - low) / extent * (steps - 1)).astype(np.int64)
    return (cells[:, 0] * steps + cells[:, 1]) * steps + cells[:, 2]


def fault(part: RawPart, limits: PartLimits = LIMITS) -> str:
    """Return why a part whose vertices are merged cannot be used; empty where it can."""
    if not len(part.triangles):
        return "has no triangles"
    if wrong := int((~_plain(part.vertices, limits)).sum()):
        return f"has {wrong} vertices that are not finite, or beyond {limits.farthest:g}"
    if len(part.vertices) < limits.least_vertices:
        return f"has {len(part.vertices)} vertices; accepted are {limits.least_vertices} or more"
    centred = part.vertices - part.vertices.mean(0)
    _, axes = np.linalg.eigh(centred.T @ centred)
    extents = np.ptp(centred @ axes, axis=0)  # the thinnest direction first
    if extents[1] <= limits.flatness * extents[2]:
        return "is degenerate: its vertices lie on a line"
    if extents[0] <= limits.flatness * extents[2]:
        return "is degenerate: its vertices lie in a plane"
    return ""


def with_few_duplicates(parts: list[RawPart]) -> tuple[list[RawPart], list[SetAside]]:
    """Set aside the parts whose vertices are those of an earlier part, if all others are as well.

    Robots have links that lie in each other, such as the stubs of a hand's fingers: beside other
    parts, they stay.
    """
    first: dict[str, str] = {}
    kept: list[RawPart] = []
    aside: list[SetAside] = []
    for part in parts:
        same = first.setdefault(_places(part), part.name)
        if same == part.name:
            kept.append(part)
        else:
            aside.append(SetAside(part.name, f"is a duplicate of {same} at the same place"))
    return (kept, aside) if len(kept) < 2 else (parts, [])


def _places(part: RawPart) -> str:
    """Return a digest of the vertices in any order."""
    ordered = part.vertices[np.lexsort(part.vertices.T)] + 0.0  # of -0.0, 0.0
    return hashlib.sha256(ordered.tobytes()).hexdigest()
