"""Choices of the user for the reading of parts, and what counts as a usable part."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from autourdf_ros.data.parts.formats.raw_scene import UpAxis

LengthUnit = Literal["mm", "cm", "m", "in"]

METRES: dict[str, float] = {"mm": 0.001, "cm": 0.01, "m": 1.0, "in": 0.0254}
"""Metres of one unit of length."""


@dataclass(frozen=True)
class PartsOptions:
    """Choices of the user.

    Attributes:
        unit: Of the lengths in the files; None: as the file or its format says, else metres.
        up: Axis of the files that points up; None: as the file or its format says, else z.
        split: Whether parts that are named are split into connected components, too. A file of
            one mesh is split in any case.
    """

    unit: LengthUnit | None = None
    up: UpAxis | None = None
    split: bool = False


@dataclass(frozen=True)
class PartLimits:
    """What counts as a usable part, and as a size that metres explain.

    Attributes:
        least_size: Of an assembly without a unit (m), a physical limit: a finger's phalanx.
        most_size: Of an assembly without a unit (m), a physical limit: a gantry; a robot of
            0.1 m in millimetres is above it.
        farthest: Greatest coordinate in a file, in its unit: what squares without overflow.
        least_vertices: Of a part: a tetrahedron.
        merging: Cell in which vertices count as one, as a multiple of a part's extent.
        flatness: Least thickness of a part as a multiple of its extent; thinner is flat.
        small_component: Diagonal below which a connected component is joined to the nearest
            large one, as a multiple of the mesh's diagonal.
        joining: Greatest distance of such a component from the nearest large one, as a multiple
            of the mesh's diagonal; farther away it is set aside.
    """

    least_size: float = 0.005
    most_size: float = 30.0
    farthest: float = 1e9
    least_vertices: int = 4
    merging: float = 2.0**-21
    flatness: float = 1e-5
    small_component: float = 0.02
    joining: float = 0.02


LIMITS = PartLimits()
