"""Choices about samples, contact regions and congruence of parts."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class ContactOptions:
    """Choices about samples, contact regions and congruence of parts.

    Attributes:
        samples: Evenly spread surface samples of a part (resource bound).
        pool: Random surface samples of a part (resource bound).
        region: Samples of each part in a contact region (resource bound).
        resampled: How often a small contact region is sampled anew (resource bound).
        crease: Angle (degrees) between triangles above which an edge is sharp, and normals are
            not smoothed over it.
        band: Thickness of the contact region beyond the least distance, in diagonals of the smaller
            part.
        strong: Share of the smaller part's surface in the contact region at which a contact is as
            strong as can be.
        far: Least distance, in sizes of the assembly, beyond which a pair has no contact.
        congruent: Greatest Chamfer distance of congruent parts, in diagonals.
        seed: Of the samples.
    """

    samples: int = 2500
    pool: int = 12000
    region: int = 800
    resampled: int = 2
    crease: float = 35.0
    band: float = 0.02
    strong: float = 0.1
    far: float = 0.05
    congruent: float = 0.01
    seed: int = 0
