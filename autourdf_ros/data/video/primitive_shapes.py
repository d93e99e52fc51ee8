"""Primitive shapes of bodies in a video, and their surfaces."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
import trimesh
from numpy.typing import NDArray

from autourdf_ros.errors import InputError
from autourdf_ros.geometry.triangle_mesh import SurfaceMesh, from_trimesh

PrimitiveKind = Literal["box", "sphere", "cylinder", "capsule"]
SIZES: dict[PrimitiveKind, str] = {
    "box": "three edges",
    "sphere": "one radius",
    "cylinder": "radius and length",
    "capsule": "radius and length between the centres of its caps",
}
"""What `size` means (m); cylinders and capsules lie along z, all have their centre in the origin.
"""

_COUNTS: dict[PrimitiveKind, int] = {"box": 3, "sphere": 1, "cylinder": 2, "capsule": 2}
_SIDES = 64  # of round shapes: the chord's error is 0.12 % of the radius


@dataclass(frozen=True)
class PrimitiveShape:
    """A box, sphere, cylinder or capsule.

    Attributes:
        kind: Which one.
        size: As in `SIZES` (m).

    Raises:
        InputError: the kind is unknown, or the sizes are not positive or of another number.
    """

    kind: PrimitiveKind
    size: tuple[float, ...]

    def __post_init__(self) -> None:
        if self.kind not in get_args(PrimitiveKind):
            raise InputError(
                f"shape {self.kind!r} is unknown; accepted are {', '.join(get_args(PrimitiveKind))}"
            )
        finite = np.isfinite(self.size).all() and all(value > 0 for value in self.size)
        if len(self.size) != _COUNTS[self.kind] or not finite:
            raise InputError(
                f"{self.kind}: size is {list(self.size)}; accepted: {SIZES[self.kind]} above 0 (m)"
            )

    def solid(self) -> trimesh.Trimesh:
        """Return its closed surface, normals outward."""
        if self.kind == "box":
            return trimesh.creation.box(self.size)
        if self.kind == "sphere":
            return trimesh.creation.icosphere(subdivisions=4, radius=self.size[0])
        if self.kind == "cylinder":
            return trimesh.creation.cylinder(self.size[0], self.size[1], sections=_SIDES)
        capsule = trimesh.creation.capsule(self.size[1], self.size[0], (_SIDES // 2, _SIDES))
        capsule.apply_translation(-capsule.bounds.mean(axis=0))
        return capsule

    def surface(self, color: NDArray[np.uint8] | None = None) -> SurfaceMesh:
        """Return its surface in `color` (RGB, 0 to 255)."""
        return from_trimesh(self.solid(), color)
