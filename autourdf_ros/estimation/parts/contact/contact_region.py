"""Where two parts are near each other."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.estimation.parts.contact.contact_options import ContactOptions
from autourdf_ros.estimation.parts.contact.prepared_part import PreparedPart


@dataclass(frozen=True)
class ContactRegion:
    """Points of both parts near the other one.

    Attributes:
        distance: Least distance between the surfaces (m).
        points: (M, 3) of both surfaces (m).
        normals: (M, 3) unit, of no reliable sign.
        gaps: (M,) distance of each point to the other part (m).
        second: (M,) whether a point is of the second part.
        strength: Of the contact, in [0, 1]: 1 where the parts touch over much of the smaller one.
    """

    distance: float
    points: NDArray[np.float64]
    normals: NDArray[np.float64]
    gaps: NDArray[np.float64]
    second: NDArray[np.bool_]
    strength: float

    @property
    def centre(self) -> NDArray[np.float64]:
        """(3,) middle of the region, both parts counting the same (m)."""
        sides = [self.points[self.second], self.points[~self.second]]
        return np.mean([side.mean(axis=0) for side in sides if len(side)], axis=0)


def contact_region(
    first: PreparedPart, second: PreparedPart, options: ContactOptions
) -> ContactRegion:
    """Find the least distance of two parts, and their points within a band beyond it."""
    raise NotImplementedError
