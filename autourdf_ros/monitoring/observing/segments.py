"""Links cut across into short segments, so that a bend between two of them shows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import trimesh
from numpy.typing import NDArray

MOST = 3  # of a link


@dataclass(frozen=True)
class Segment:
    """Part of a body's surface.

    Attributes:
        body: Number of the body.
        order: Number of the segment, counted from the joint that moves the body.
        start: (3,) where it begins on the line between the body's joints, at the reference (m).
        span: (3,) vector from its start to its end (m).
    """

    body: int
    order: int
    start: NDArray[np.float64]
    span: NDArray[np.float64]


def segments_of(
    body: int,
    mesh: trimesh.Trimesh,
    inward: NDArray[np.float64] | None,
    outward: NDArray[np.float64],
    length: float,
) -> tuple[list[Segment], NDArray[np.int64]]:
    """Cut a body into segments.

    Args:
        body: Number of the body.
        mesh: Its surface.
        inward: (3,) on the joint that moves it; None for the root.
        outward: (K, 3) on the joints of its children. All at the reference, in metres.
        length: Of a segment, about (m).

    Returns:
        The segments, and the (T,) segment of each triangle, counted from 0.
    """
    start, span = _span(mesh, inward, outward)
    whole = float(np.linalg.norm(span))
    count = int(np.clip(round(whole / length), 1, MOST))
    share = (mesh.triangles_center - start) @ span / max(whole**2, 1e-12)
    owner = np.clip(np.floor(share * count), 0, count - 1).astype(np.int64)
    own = span / count
    return [Segment(body, k, start + k * own, own) for k in range(count)], owner


def _span(
    mesh: trimesh.Trimesh, inward: NDArray[np.float64] | None, outward: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the (3,) start and the (3,) vector to the end of the line through a body."""
    middle = np.average(mesh.triangles_center, axis=0, weights=mesh.area_faces)
    if inward is not None and len(outward):
        return inward, outward.mean(axis=0) - inward
    end = outward.mean(axis=0) if inward is None and len(outward) else inward
    if end is None:  # a body without joints
        return middle, np.zeros(3)
    toward = middle - end
    toward = toward / max(float(np.linalg.norm(toward)), 1e-9)
    reach = float(((mesh.vertices - end) @ toward).max())
    if inward is None:
        return end + reach * toward, -reach * toward
    return end, reach * toward
