"""Choices about samples, contact regions and congruence of parts."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class ContactOptions:
    """Choices about samples, contact regions and congruence of parts.

    Attributes:
        samples: Surface samples of a part (resource bound).
        crease: Angle (degrees) between triangles above which an edge is sharp, and normals are
            not smoothed over it.
        band: Thickness of the contact region beyond the least distance, in diagonals of the smaller
            part.
        far: Least distance, in sizes of the assembly, beyond which a pair has no contact.
        congruent: Greatest Chamfer distance of congruent parts, in diagonals.
        seed: Of the samples.
    """

    samples: int = 2500
    crease: float = 35.0
    band: float = 0.02
    far: float = 0.05
    congruent: float = 0.01
    seed: int = 0
