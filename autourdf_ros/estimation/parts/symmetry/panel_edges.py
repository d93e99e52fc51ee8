"""Edges of panels, at which a door or a lid may be hinged."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.estimation.parts.contact.prepared_part import PreparedPart
from autourdf_ros.estimation.parts.symmetry.directions import modes, principal_directions
from autourdf_ros.estimation.parts.symmetry.symmetry_options import SymmetryOptions

Array = NDArray[np.float64]


def oriented_box(part: PreparedPart, options: SymmetryOptions) -> tuple[Array, Array, Array]:
    """Return axes (3, 3) in rows, middle (3,) and half extents (3,), the thinnest first.

    Of the frames along the part's normals, its principal axes and the frame of the assembly, the
    one in which the box is smallest.
    """
    points = part.part.vertices if len(part.part.vertices) < 4000 else part.samples.points
    common = modes(part.samples.normals, np.ones(len(part.samples.points)), 3, options)
    frames = [np.eye(3), principal_directions(part.samples.points)]
    frames += [_frame(common[i], common[j]) for i in range(len(common)) for j in range(i)]
    spans = [np.ptp(points @ frame.T, axis=0) for frame in frames]
    frame = frames[int(np.argmin([np.prod(span + 1e-3 * part.diagonal) for span in spans]))]
    order = np.argsort(np.ptp(points @ frame.T, axis=0))
    frame = frame[order]
    along = points @ frame.T
    low, high = along.min(axis=0), along.max(axis=0)
    return frame, (low + high) / 2 @ frame, (high - low) / 2


def _frame(first: Array, second: Array) -> Array:
    """A right-angled frame (3, 3) with one axis, and another as near as can be."""
    third = np.cross(first, second)
    length = np.linalg.norm(third)
    if length < 0.1:
        return np.eye(3)
    third /= length
    return np.stack([first, np.cross(third, first), third])


def box_edges(part: PreparedPart, options: SymmetryOptions) -> tuple[Array, Array]:
    """Return directions (E, 3) and middles (E, 3) of where a box may be hinged.

    The twelve edges, and the middles between two edges across the thinnest extent, at which a panel
    turns that is hinged within its thickness.
    """
    frame, middle, half = oriented_box(part, options)
    directions, middles = [], []
    for along in range(3):
        others = [axis for axis in range(3) if axis != along]
        for signs in ((-1, -1), (-1, 1), (1, -1), (1, 1)):
            offset = sum(
                sign * half[axis] * frame[axis] for sign, axis in zip(signs, others, strict=True)
            )
            directions.append(frame[along])
            middles.append(middle + offset)
    for along, across in ((1, 2), (2, 1)):
        for sign in (-1, 1):
            directions.append(frame[along])
            middles.append(middle + sign * half[across] * frame[across])
    return np.array(directions), np.array(middles)
