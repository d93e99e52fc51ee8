"""The shape of an axis's uncertainty."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

SIGMAS = 2.0

_RINGS = 13
_SIDES = 24
_STEEPEST = 1.5  # m across per m along: keeps an unknown direction on the page


def axis_envelope(
    axis: ArrayLike, across: ArrayLike, covariance: ArrayLike, reach: float
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Return triangles around all axes within two standard deviations: a double cone with a waist.

    A rotation of the axis by the vector E a and a shift by E b (E: the two directions of `across`)
    move a point at s on the axis by s (E a) x axis + E b. This is linear in (a, b), so its
    covariance is the estimate's, mapped; two sigma of it are an ellipse.

    Args:
        axis: (3,) unit.
        across: (2, 3) as in `JointEstimate`, in the axis's frame.
        covariance: (4, 4) as in `JointEstimate`; the positions (NaN) of a prismatic joint, which
            has no line, count as known.
        reach: m along the axis on either side of the joint's point, and at most across.

    Returns:
        Vertices (V, 3) relative to the joint's point (m), and faces (F, 3).
    """
    axis, across = np.asarray(axis, float), np.asarray(across, float)
    known = np.nan_to_num(np.array(covariance, dtype=float))
    places = reach * np.linspace(-1, 1, _RINGS)
    circle = np.linspace(0, 2 * np.pi, _SIDES, endpoint=False)
    circle = np.column_stack([np.cos(circle), np.sin(circle)])
    turned = across @ np.cross(across, axis).T
    rings = []
    for place in places:
        linear = np.hstack([place * turned, np.eye(2)])
        widths, directions = np.linalg.eigh(linear @ known @ linear.T)
        most = min(_STEEPEST * abs(place) + 0.1 * reach, reach)
        widths = np.minimum(SIGMAS * np.sqrt(np.maximum(widths, 0.0)), most)
        # The symmetric root rotates steadily from ring to ring; eigenvectors do not.
        ellipse = circle @ (directions * widths) @ directions.T
        rings.append(place * axis + ellipse @ across)
    return np.vstack(rings), _tube(_RINGS, _SIDES)


def _tube(rings: int, sides: int) -> NDArray[np.int64]:
    """Return triangles (2 (rings - 1) sides, 3) between rings of vertices."""
    first = np.arange(rings - 1)[:, None] * sides
    here, after = np.arange(sides), (np.arange(sides) + 1) % sides
    a, b, c, d = (first + k for k in (here, after, sides + here, sides + after))
    return np.concatenate([np.stack([a, b, c], -1), np.stack([b, d, c], -1)]).reshape(-1, 3)
