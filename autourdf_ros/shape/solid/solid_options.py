"""Options of solids: how fine their elements are, and what closes a surface."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class SolidOptions:
    """How a surface becomes volume elements.

    Attributes:
        elements: About how many; a resource bound.
        columns: Along each side of an element, on which its volume is measured; a resource bound.
        mesh_std: How far a given mesh may be from the real surface, of the diagonal of its bounding
            box: the tolerance of a drawing.
        most_leaks: Share of the columns that cross a surface that is open; more of them, and the
            mesh is closed first.
    """

    elements: int = 10_000
    columns: int = 3
    mesh_std: float = 1e-3
    most_leaks: float = 0.02


SOLID_OPTIONS = SolidOptions()
