"""Edges and ends of a part's box, at which a door, a lid or a lever may be hinged."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.estimation.parts.contact.oriented_box import OrientedBox

Array = NDArray[np.float64]


def box_edges(box: OrientedBox) -> tuple[Array, Array]:
    """Return directions (E, 3) and middles (E, 3) of where a part may be hinged.

    At each of the four sides of the panel in the box: both edges, and the line between them, at
    which a panel turns that is hinged within its thickness. At each end of the box, the line
    through the middle along the least extent, about which a lever turns.
    """
    directions, middles = [], []
    for along, across in ((1, 2), (2, 1)):
        for side in (-1.0, 1.0):
            for level in (box.slab[0], box.slab.mean(), box.slab[1]):
                directions.append(box.axes[along])
                middles.append(
                    box.middle + side * box.half[across] * box.axes[across] + level * box.axes[0]
                )
    for across in (1, 2):
        for side in (-1.0, 1.0):
            directions.append(box.axes[0])
            middles.append(box.middle + side * box.half[across] * box.axes[across])
    return np.array(directions), np.array(middles)
