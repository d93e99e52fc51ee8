"""The shape of what is not known of an axis."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

SIGMAS = 2.0

_RINGS = 13
_SIDES = 24
_STEEPEST = 1.5  # m across per m along: what is not known at all stays on the page


def axis_envelope(
    axis: ArrayLike, across: ArrayLike, covariance: ArrayLike, reach: float
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Triangles around all axes within two standard deviations: a double cone with a waist.

    axis: (3,) unit. across, covariance: as in `JointEstimate`, in the axis's frame; the positions
    (NaN) of a prismatic joint, which has none, count as known. reach: m along the axis on either
    side of the joint's point, and at most across. Returns vertices (V, 3) about the joint's point,
    and faces (F, 3).

    A point at s on an axis turned by the rotation vector E a and shifted by E b (E the two
    directions of `across`) goes s (E a) x axis + E b across: this is linear in (a, b), so that its
    covariance is that of the estimate, mapped; two sigma of it are an ellipse.
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
        # The symmetric root, which turns steadily from ring to ring as eigenvectors do not.
        ellipse = circle @ (directions * widths) @ directions.T
        rings.append(place * axis + ellipse @ across)
    return np.vstack(rings), _tube(_RINGS, _SIDES)


def _tube(rings: int, sides: int) -> NDArray[np.int64]:
    """Triangles (2 (rings - 1) sides, 3) between rings of vertices."""
    first = np.arange(rings - 1)[:, None] * sides
    here, after = np.arange(sides), (np.arange(sides) + 1) % sides
    a, b, c, d = (first + k for k in (here, after, sides + here, sides + after))
    return np.concatenate([np.stack([a, b, c], -1), np.stack([b, d, c], -1)]).reshape(-1, 3)
