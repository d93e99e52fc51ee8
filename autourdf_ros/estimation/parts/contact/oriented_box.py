"""The box around a part, along the part's own surfaces, and the panel in it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.estimation.parts.contact.part_samples import PartSamples

Array = NDArray[np.float64]
LEVELS = 60
"""Levels across the thinnest extent among which a panel's faces are sought (resource bound)."""
FACES = 0.3
"""Share of the samples of the largest face that a panel's other face has at least."""
ALONG = 0.97
"""Cosine between a face's normal and an axis along which it counts."""
MODE = 0.996
"""Cosine between two normals of one mode: 5 degrees, as of a coarse mesh's facets."""
WHOLE = 4000
"""Vertices above which a part is bounded by its samples (resource bound)."""


@dataclass(frozen=True)
class OrientedBox:
    """A box around a part.

    Attributes:
        axes: (3, 3) unit, in rows, along the least extent first.
        middle: (3,) m.
        half: (3,) half extents (m), rising.
        slab: (2,) between which faces most of the part is, along the least extent, from the middle
            (m): a door without its handle.
    """

    axes: Array
    middle: Array
    half: Array
    slab: Array

    @property
    def thinness(self) -> float:
        """1 for a sheet, 0 where the slab is as thick as the second extent."""
        return float(1 - min(1.0, np.ptp(self.slab) / 2 / max(self.half[1], 1e-12)))

    @property
    def length(self) -> float:
        """1 for a rod, 0 where the two greatest extents are equal."""
        return float(1 - self.half[1] / max(self.half[2], 1e-12))


def oriented_box(vertices: Array, samples: PartSamples) -> OrientedBox:
    """Find the smallest box of those along normals' modes, principal axes and the frame's axes."""
    points = vertices if len(vertices) < WHOLE else samples.points
    common = _modes(samples.normals)
    offsets = samples.points - samples.points.mean(axis=0)
    frames = [np.eye(3), np.linalg.eigh(offsets.T @ offsets)[1].T]
    frames += [_frame(common[i], common[j]) for i in range(len(common)) for j in range(i)]
    spans = [np.ptp(points @ frame.T, axis=0) for frame in frames]
    size = float(np.linalg.norm(np.ptp(points, axis=0)))
    axes = frames[int(np.argmin([np.prod(span + 1e-3 * size) for span in spans]))]
    axes = axes[np.argsort(np.ptp(points @ axes.T, axis=0), kind="stable")]
    along = points @ axes.T
    low, high = along.min(axis=0), along.max(axis=0)
    middle, half = (low + high) / 2 @ axes, (high - low) / 2
    return OrientedBox(axes, middle, half, _slab(axes[0], middle, half[0], samples))


def _slab(axis: Array, middle: Array, half: float, samples: PartSamples) -> Array:
    """Levels (2,) of the lowest and the highest of the large faces across an axis."""
    faces = np.abs(samples.normals @ axis) > ALONG
    levels = (samples.points[faces] - middle) @ axis
    counts, edges = np.histogram(levels, LEVELS, (-half - 1e-12, half + 1e-12))
    if not counts.any():
        return np.array([-half, half])
    large = np.flatnonzero(counts >= FACES * counts.max())
    centres = (edges[:-1] + edges[1:]) / 2
    low, high = centres[large[0]], centres[large[-1]]
    inner = levels[(levels > low - half / LEVELS) & (levels < high + half / LEVELS)]
    return np.array([inner.min(), inner.max()]) if len(inner) else np.array([-half, half])


def _modes(normals: Array) -> list[Array]:
    """Three directions that most normals have."""
    normals = normals[:: max(1, len(normals) // 500)]
    near = np.abs(normals @ normals.T) > MODE
    left = np.ones(len(normals))
    found: list[Array] = []
    for _ in range(3):
        sums = near @ left
        best = int(sums.argmax())
        if sums[best] <= 0:
            break
        chosen = near[best] & (left > 0)
        found.append(np.linalg.eigh(normals[chosen].T @ normals[chosen])[1][:, 2])
        left[np.abs(normals @ found[-1]) > 0.985] = 0
    return found


def _frame(first: Array, second: Array) -> Array:
    """A right-angled frame (3, 3) with one axis, and another as near as can be."""
    third = np.cross(first, second)
    length = float(np.linalg.norm(third))
    if length < 0.1:
        return np.eye(3)
    third /= length
    return np.stack([first, np.cross(third, first), third])
