"""Meshes as a file holds them, before units, names and checks."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class RawPart:
    """A mesh as its file holds it.

    Attributes:
        name: As it is written; not yet legal nor unique.
        vertices: (V, 3) in the unit of the file; may hold values that are not finite.
        triangles: (T, 3) indices below V.
        metres: Of one unit of length, where the file or its format says; None otherwise.
    """

    name: str
    vertices: NDArray[np.float64]
    triangles: NDArray[np.int64]
    metres: float | None = None


@dataclass(frozen=True)
class RawScene:
    """The meshes of a file.

    Attributes:
        parts: In the order of the file.
        rigid: Whether every part is rigid as it is, so that none is split.
        notes: Sentences for the user about the reading.
    """

    parts: tuple[RawPart, ...]
    rigid: bool = False
    notes: tuple[str, ...] = ()


def joined(parts: tuple[RawPart, ...], name: str) -> RawPart:
    """Return several meshes as one, named `name`; without any, a mesh without triangles."""
    if not parts:
        return RawPart(name, np.empty((0, 3)), np.empty((0, 3), np.int64))
    firsts = np.cumsum([0] + [len(one.vertices) for one in parts[:-1]])
    return RawPart(
        name,
        np.concatenate([one.vertices for one in parts]),
        np.concatenate([one.triangles + first for one, first in zip(parts, firsts, strict=True)]),
        parts[0].metres,
    )
