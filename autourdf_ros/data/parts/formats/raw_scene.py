"""Meshes as a file holds them, before units, names and checks."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

UpAxis = Literal["x", "y", "z"]


@dataclass(frozen=True)
class RawPart:
    """A mesh as its file holds it.

    Attributes:
        name: As it is written; not yet legal nor unique.
        vertices: (V, 3) in the unit of the file; may hold values that are not finite.
        triangles: (T, 3) indices below V.
        metres: Of one unit of length, where the file or its format says; None otherwise.
        up: Axis that points up, where the file or its format says; None otherwise.
    """

    name: str
    vertices: NDArray[np.float64]
    triangles: NDArray[np.int64]
    metres: float | None = None
    up: UpAxis | None = None


@dataclass(frozen=True)
class RawScene:
    """The meshes of a file or folder.

    Attributes:
        parts: In the order of the file.
        rigid: Whether every part is rigid as it is, so that none is split unless on request.
        notes: Sentences for the user about the reading.
    """

    parts: tuple[RawPart, ...]
    rigid: bool = False
    notes: tuple[str, ...] = ()


def joined(parts: tuple[RawPart, ...], name: str) -> RawPart:
    """Return several meshes of one file as one, named `name`; without any, an empty mesh."""
    if not parts:
        return RawPart(name, np.empty((0, 3)), np.empty((0, 3), np.int64))
    firsts = np.cumsum([0] + [len(one.vertices) for one in parts[:-1]])
    corners = [one.triangles + first for one, first in zip(parts, firsts, strict=True)]
    vertices = np.concatenate([one.vertices for one in parts])
    return replace(parts[0], name=name, vertices=vertices, triangles=np.concatenate(corners))


def fans(sizes: NDArray[np.int64], corners: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the (T, 3) triangles of polygons, each as a fan about its first corner.

    Args:
        sizes: (P,) corners of each polygon, at least three.
        corners: All corners, polygon by polygon.
    """
    counts = sizes - 2
    starts = np.repeat(np.cumsum(sizes) - sizes, counts)
    steps = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
    return corners[np.stack([starts, starts + steps + 1, starts + steps + 2], axis=1)]


def used_only(part: RawPart) -> RawPart:
    """Return the mesh without the vertices of no triangle."""
    used, corners = np.unique(part.triangles, return_inverse=True)
    return replace(part, vertices=part.vertices[used], triangles=corners.reshape(-1, 3))


def placed(part: RawPart, pose: NDArray[np.float64]) -> RawPart:
    """Return the mesh moved by a (4, 4) matrix; triangles of a mirrored one are turned around."""
    corners = part.triangles
    if np.linalg.det(pose[:3, :3]) < 0:
        corners = corners[:, ::-1]
    return replace(part, vertices=part.vertices @ pose[:3, :3].T + pose[:3, 3], triangles=corners)
