"""Parts of the same shape, and the rigid motions between them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.estimation.parts.contact.contact_options import ContactOptions
from autourdf_ros.estimation.parts.contact.prepared_part import PreparedPart


@dataclass(frozen=True)
class CongruentGroup:
    """Parts of the same shape, or of its mirror image.

    Attributes:
        members: Numbers of two or more parts.
        motions: (M, K, 4, 4) that map the first member onto each, K = 1 or more for symmetric
            shapes, as a tuple of arrays (K, 4, 4), the best first. A mirrored member's have
            determinant -1.
        mirrored: Whether a member is congruent only as a mirror image of the first.
    """

    members: tuple[int, ...]
    motions: tuple[NDArray[np.float64], ...]
    mirrored: tuple[bool, ...]

    @property
    def same(self) -> tuple[int, ...]:
        """Members that are congruent without a mirror."""
        pairs = zip(self.members, self.mirrored, strict=True)
        return tuple(member for member, mirrored in pairs if not mirrored)


def congruent_groups(
    parts: Sequence[PreparedPart], options: ContactOptions
) -> tuple[CongruentGroup, ...]:
    """Group parts whose Chamfer distance after alignment is below the threshold."""
    raise NotImplementedError
