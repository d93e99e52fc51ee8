"""Rigid parts of a robot or an object, as meshes in one frame."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.data.parts.parts_options import PartsOptions
from autourdf_ros.errors import InputError


@dataclass(frozen=True)
class Part:
    """A rigid part.

    Attributes:
        name: Of its file or of its object in a scene; the link gets this name.
        vertices: (V, 3) metres, in the frame of the assembly.
        triangles: (T, 3) indices of vertices, counter-clockwise seen from outside.
    """

    name: str
    vertices: NDArray[np.float64]
    triangles: NDArray[np.int64]

    @cached_property
    def bounds(self) -> NDArray[np.float64]:
        """(2, 3) lower and upper corner of the box along the frame's axes (m)."""
        return np.array([self.vertices.min(0), self.vertices.max(0)])

    @property
    def diagonal(self) -> float:
        """Length of that box's diagonal (m): the size of the part."""
        return float(np.linalg.norm(np.ptp(self.bounds, axis=0)))


@dataclass(frozen=True)
class SetAside:
    """A part that is not used, and why."""

    name: str
    reason: str


@dataclass(frozen=True)
class PartAssembly:
    """Parts that stand together, in the pose in which all joints are at zero.

    Attributes:
        name: Of the robot or object.
        parts: At least two, with unique names.
        set_aside: Parts that were found and not used.
        source: Where they come from; None in memory.
        notes: Sentences for the user about the reading, such as a unit that was recognised.
        reading: Choices of the user with which the source was read.

    Raises:
        InputError: There are fewer than two parts, or names repeat.
    """

    name: str
    parts: tuple[Part, ...]
    set_aside: tuple[SetAside, ...] = ()
    source: Path | None = None
    notes: tuple[str, ...] = ()
    reading: PartsOptions = field(default_factory=PartsOptions)

    def __post_init__(self) -> None:
        if len(self.parts) < 2:
            aside = "".join(f"; set aside: {one.name} ({one.reason})" for one in self.set_aside)
            raise InputError(
                f"{self.source or self.name}: {len(self.parts)} usable part; accepted are two or "
                f"more{aside}"
            )
        names = [part.name for part in self.parts]
        if repeated := sorted({name for name in names if names.count(name) > 1}):
            raise InputError(
                f"{self.source or self.name}: parts named {repeated} occur more than once; "
                "accepted are unique names"
            )

    @cached_property
    def bounds(self) -> NDArray[np.float64]:
        """(2, 3) lower and upper corner of the box around all parts (m)."""
        corners = np.vstack([part.bounds for part in self.parts])
        return np.array([corners.min(0), corners.max(0)])

    @property
    def size(self) -> float:
        """Length of that box's diagonal (m)."""
        return float(np.linalg.norm(np.ptp(self.bounds, axis=0)))
