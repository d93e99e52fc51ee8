"""Parts of the same shape, and the rigid motions between them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import permutations, product

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import cKDTree

from autourdf_ros.estimation.parts.contact.contact_options import ContactOptions
from autourdf_ros.estimation.parts.contact.prepared_part import PreparedPart

Array = NDArray[np.float64]
ALIKE = 0.04
"""Relative difference of principal extents and surface below which two parts are compared."""
DEGENERATE = 0.1
"""Relative difference of principal extents below which their directions are arbitrary."""
SPOKES = 12
"""Turns about an axis of arbitrary directions that are tried (resource bound)."""
COMPARED = 300
"""Samples by which two parts are compared (resource bound)."""
EXACT = 0.1
"""Share of the tolerance by which copies differ: nearer than that, a mirror is not considered."""
COARSE = 100
"""Samples by which alignments are chosen (resource bound)."""
REFINED = 4
"""Alignments that are refined, of either handedness (resource bound)."""
STEPS = 12
"""Of the iterated closest points (resource bound)."""
DISTINCT = 0.05
"""Difference of the entries of two rotations above which they are different alignments."""


@dataclass(frozen=True)
class CongruentGroup:
    """Parts of the same shape, or of its mirror image.

    Attributes:
        members: Numbers of two or more parts.
        motions: For each member, (K, 4, 4) that map the first member onto it, the best first; K > 1
            for symmetric shapes. A mirrored member's have determinant -1.
        mirrored: Whether a member is congruent only as a mirror image of the first.
    """

    members: tuple[int, ...]
    motions: tuple[Array, ...]
    mirrored: tuple[bool, ...]

    @property
    def same(self) -> tuple[int, ...]:
        """Members that are congruent without a mirror."""
        pairs = zip(self.members, self.mirrored, strict=True)
        return tuple(member for member, mirrored in pairs if not mirrored)


def congruent_groups(
    parts: Sequence[PreparedPart],
    options: ContactOptions = ContactOptions(),  # noqa: B008  (frozen)
) -> tuple[CongruentGroup, ...]:
    """Group parts whose Chamfer distance after alignment is below the threshold."""
    frames = [_Frame.of(part) for part in parts]
    left = list(range(len(parts)))
    groups = []
    while left:
        first = left.pop(0)
        members, motions, mirrored = [first], [np.eye(4)[None]], [False]
        for other in list(left):
            if not frames[first].like(frames[other]):
                continue
            found = congruent_motions(parts[first], parts[other], options)
            if found is not None:
                left.remove(other)
                members.append(other)
                motions.append(found)
                mirrored.append(bool(np.linalg.det(found[0, :3, :3]) < 0))
        if len(members) > 1:
            groups.append(CongruentGroup(tuple(members), tuple(motions), tuple(mirrored)))
    return tuple(groups)


def congruent_motions(
    first: PreparedPart, second: PreparedPart, options: ContactOptions
) -> Array | None:
    """Return the motions (K, 4, 4) that map a part onto another, or None.

    From the alignments of the principal axes, refined by closest points. Motions without a mirror
    are preferred.
    """
    tolerance = options.congruent * max(first.diagonal, second.diagonal)
    scored = []
    for start in _starts(first, second, tolerance):
        motion = _closest(first, second, start)
        distance = _chamfer(first, second, motion)
        if distance < tolerance:
            scored.append((distance, motion))
    if not scored:
        return None
    limit = EXACT * tolerance + 2 * min(distance for distance, _ in scored)
    proper = [one for one in scored if np.linalg.det(one[1][:3, :3]) > 0 and one[0] < limit]
    kept: list[Array] = []
    for distance, motion in sorted(proper or scored, key=lambda one: one[0]):
        new = all(np.abs(motion[:3, :3] - one[:3, :3]).max() > DISTINCT for one in kept)
        if new and (not kept or distance < limit):
            kept.append(motion)
    return np.array(kept)


def _starts(first: PreparedPart, second: PreparedPart, tolerance: float) -> list[Array]:
    """The alignments by which samples are nearest, without and with a mirror.

    Distances are between samples here, which is quick.
    """
    tree = cKDTree(second.samples.points)
    points = first.samples.points[:COARSE]
    spacing = np.sqrt(second.samples.area)
    scored: dict[bool, list[tuple[float, Array]]] = {False: [], True: []}
    for motion in (*_vertex_motions(first, second), *_principal_motions(first, second)):
        gaps = tree.query(points @ motion[:3, :3].T + motion[:3, 3])[0]
        mirrored = bool(np.linalg.det(motion[:3, :3]) < 0)
        if gaps.mean() < 5 * tolerance + spacing:
            scored[mirrored].append((float(gaps.mean()), motion))
    found = [sorted(some, key=lambda one: one[0])[:REFINED] for some in scored.values()]
    return [motion for some in found for _, motion in some]


@dataclass(frozen=True)
class _Frame:
    """Middle, principal axes in columns and extents of a part, and its surface."""

    middle: Array
    axes: Array
    extents: Array
    area: float

    @classmethod
    def of(cls, part: PreparedPart) -> _Frame:
        points = part.samples.points
        middle = points.mean(axis=0)
        values, axes = np.linalg.eigh(np.cov((points - middle).T))
        return cls(middle, axes, np.sqrt(np.maximum(values, 0)), float(part.surface.areas.sum()))

    def like(self, other: _Frame) -> bool:
        """Whether the extents and the surfaces are nearly equal."""
        differences = np.abs(self.extents - other.extents).max() / max(self.extents.max(), 1e-12)
        surfaces = abs(self.area - other.area) / max(self.area, other.area)
        return bool(differences < ALIKE and surfaces < 2 * ALIKE)


def _motion(rotation: Array, source: Array, target: Array) -> Array:
    motion = np.eye(4)
    motion[:3, :3] = rotation
    motion[:3, 3] = target - rotation @ source
    return motion


def _fitted(source: Array, target: Array, mirrored: bool) -> Array:
    """The motion that maps points (N, 3) onto others best (Kabsch, 1976)."""
    middles = source.mean(axis=0), target.mean(axis=0)
    left, _, right = np.linalg.svd((target - middles[1]).T @ (source - middles[0]))
    sign = -1.0 if mirrored else 1.0
    flip = np.diag([1.0, 1.0, sign * np.sign(np.linalg.det(left @ right))])
    return _motion(left @ flip @ right, *middles)


def _vertex_motions(first: PreparedPart, second: PreparedPart) -> list[Array]:
    """Motions between copies of one mesh, by vertices."""
    ours, others = first.part.vertices, second.part.vertices
    if ours.shape != others.shape:
        return []
    return [_fitted(ours, others, mirrored) for mirrored in (False, True)]


def _principal_motions(first: PreparedPart, second: PreparedPart) -> list[Array]:
    """Motions that align the principal axes, in all ways that the extents allow."""
    ours, others = _Frame.of(first), _Frame.of(second)
    limit = DEGENERATE * ours.extents.max()
    rotations = []
    for order in permutations(range(3)):
        if np.abs(ours.extents[list(order)] - ours.extents).max() > limit:
            continue
        for signs in product((1.0, -1.0), repeat=3):
            rotations.append(others.axes @ (ours.axes[:, list(order)] * np.array(signs)).T)
    near = np.abs(np.diff(ours.extents)) < limit
    if near.any():
        axis = others.axes[:, 2 if near[0] else 0]
        rotations = [
            _turn(axis, 2 * np.pi * spoke / SPOKES) @ rotation
            for rotation in rotations
            for spoke in range(SPOKES)
        ]
    return [_motion(rotation, ours.middle, others.middle) for rotation in rotations]


def _turn(axis: Array, angle: float) -> Array:
    x, y, z = axis
    skew = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.asarray(np.eye(3) + np.sin(angle) * skew + (1 - np.cos(angle)) * skew @ skew)


def _chamfer(first: PreparedPart, second: PreparedPart, motion: Array) -> float:
    """Chamfer distance of a part that is moved and another (m): the mean of both ways."""
    ours, others = first.samples.points[:COMPARED], second.samples.points[:COMPARED]
    ahead = second.field(ours @ motion[:3, :3].T + motion[:3, 3])
    back = np.linalg.inv(motion)
    behind = first.field(others @ back[:3, :3].T + back[:3, 3])
    return float(max(ahead.mean(), behind.mean()))


def _closest(first: PreparedPart, second: PreparedPart, motion: Array) -> Array:
    """Refine a motion by iterated closest points (Besl and McKay, 1992)."""
    points = first.samples.points[:COMPARED]
    mirrored = bool(np.linalg.det(motion[:3, :3]) < 0)
    for _ in range(STEPS):
        moved = points @ motion[:3, :3].T + motion[:3, 3]
        nearest = second.field.nearest(moved)
        if np.linalg.norm(nearest - moved, axis=1).mean() < 1e-6 * first.diagonal:
            break
        motion = _fitted(points, nearest, mirrored)
    return motion
