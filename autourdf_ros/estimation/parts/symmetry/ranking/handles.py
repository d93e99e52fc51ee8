"""Where the handle of a panel is, and what that says about the panel's axes."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.estimation.parts.contact.prepared_part import PreparedPart
from autourdf_ros.estimation.parts.symmetry.proposals.axes import Axes

Array = NDArray[np.float64]
PROTRUDES = 0.25
"""Share of a panel's thickness beyond which a sample belongs to a handle."""
FEWEST = 3
"""Samples of which a handle has at least (resource bound)."""


def handle_features(mover: PreparedPart, axes: Axes) -> dict[str, Array]:
    """Measure every axis (K,) against what protrudes from the mover's panel, all times `thin`.

    Returns:
        handle: How far the handle is from the axis, beyond the mover's middle, in half extents.
        handled: 1 with a handle, the same for all axes.
        handle_off: Distance of the handle from the panel's middle, in half extents, the same for
            all axes: about 1 for a hinged door, 0 for a drawer.
        handle_along: The same along the axis: of a panel that slides sideways.
        bar: Cosine between axis and handle, times the handle's length.
    """
    names = ("handle", "handled", "handle_off", "handle_along", "bar")
    points = protruding(mover)
    if len(points) < FEWEST:
        return {name: np.zeros(len(axes)) for name in names}
    box = mover.box
    offset = points.mean(axis=0) - box.middle
    offset = offset - (offset @ box.axes[0]) * box.axes[0]
    levels = (points - points.mean(axis=0)) @ box.axes[1:].T
    spans = np.ptp(levels, axis=0)
    shares = np.abs(box.axes[1:] @ offset) / np.maximum(box.half[1:], 1e-12)
    longest = int(spans.argmax())
    slender = 1 - spans.min() / max(float(spans.max()), 1e-12)
    cosines = np.abs(axes.directions @ box.axes[1:].T)
    values = (
        _opposite(offset, box.middle, box.half[1], axes),
        np.ones(len(axes)),
        np.full(len(axes), min(float(shares.max()), 1.0)),
        np.minimum(cosines @ shares, 1.0),
        slender * cosines[:, longest],
    )
    return {name: box.thinness * value for name, value in zip(names, values, strict=True)}


def protruding(mover: PreparedPart) -> Array:
    """Return the samples (N, 3) that are beyond the faces of a part's panel."""
    box, points = mover.box, mover.samples.points
    levels = (points - box.middle) @ box.axes[0]
    margin = PROTRUDES * float(np.ptp(box.slab)) + 1e-9
    beyond = (levels < box.slab[0] - margin) | (levels > box.slab[1] + margin)
    return np.asarray(points[beyond])


def _opposite(offset: Array, middle: Array, half: float, axes: Axes) -> Array:
    """How far a handle is from the axes beyond the middle of its panel (K,), in half extents."""
    away = middle - axes.points
    away = away - (away * axes.directions).sum(axis=1, keepdims=True) * axes.directions
    sizes = np.maximum(np.linalg.norm(away, axis=1), 1e-12)
    return np.clip(away @ offset / sizes / half, -1.0, 1.0)
