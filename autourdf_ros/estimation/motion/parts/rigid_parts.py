"""Rigid parts of what moves, from clouds alone: their surfaces and motions, without any joint.

The stages are the engine's own: a deformation graph on one frame is tracked through all, forward
and backward; its nodes are merged to rigid bodies; the frames are fused to surfaces. No tree is
searched: parts may move in any way.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from scipy.spatial import cKDTree

from autourdf_ros.errors import ReconstructionError
from autourdf_ros.estimation.motion.fitting.surface import (
    LabelledSurface,
    fuse_frames,
    surface_of,
)
from autourdf_ros.estimation.motion.parts.part_merging import united_segments
from autourdf_ros.estimation.motion.parts.rigid_parts_options import PartsOptions
from autourdf_ros.estimation.motion.registration.deformation_graph import (
    DeformationGraph,
    build_graph,
)
from autourdf_ros.estimation.motion.registration.frame_set import FrameSet
from autourdf_ros.estimation.motion.registration.graph_tracking import TRUSTED, track_sequence
from autourdf_ros.estimation.motion.registration.tracked_graph import (
    TrackedGraph,
    node_bodies,
    tracking_noise,
)
from autourdf_ros.estimation.motion.seen_clouds import SeenClouds
from autourdf_ros.estimation.motion.segmentation.segmentation import segment
from autourdf_ros.estimation.motion.segmentation.segmented_bodies import (
    Segmentation,
    without_body,
)
from autourdf_ros.geometry.arrays import Array
from autourdf_ros.geometry.point_cloud import Cloud, size_of
from autourdf_ros.geometry.rigid_motion import from_translation, inverse, transform
from autourdf_ros.model.layers.shape import Surface
from autourdf_ros.progress import Progress, part, silent, staged

LEAST_GOOD = 5
"""Frames that fit best: how well they do is the measure of those that shapes are fused from."""


@dataclass(frozen=True)
class RigidParts:
    """P rigid parts in F frames.

    Attributes:
        surfaces: P surfaces at the reference frame, the largest first (m); normals face the camera.
        poses: (F, P, 4, 4) motions from the reference frame; NaN in frames that were not used.
        shown: P surfaces likewise, of all that the reference frame alone shows: no frame's
            registration is in them.
    """

    surfaces: tuple[Surface, ...]
    poses: Array
    shown: tuple[Surface, ...]


def united_parts(parts: RigidParts, groups: Sequence[Sequence[int]]) -> RigidParts:
    """Return parts with those of each group as one, the largest first; it moves as its largest."""
    order = sorted(groups, key=lambda group: -sum(len(parts.surfaces[k].points) for k in group))
    largest = [max(group, key=lambda k: len(parts.surfaces[k].points)) for group in order]
    return RigidParts(
        tuple(_joined(parts.surfaces, group) for group in order),
        parts.poses[:, largest],
        tuple(_joined(parts.shown, group) for group in order),
    )


def _joined(surfaces: Sequence[Surface], group: Sequence[int]) -> Surface:
    return Surface(
        np.concatenate([surfaces[k].points for k in group]),
        np.concatenate([surfaces[k].normals for k in group]),
    )


def rigid_parts(seen: SeenClouds, options: PartsOptions, progress: Progress = silent) -> RigidParts:
    """Find the rigid parts of clouds of one moving thing or several.

    Args:
        seen: F frames.
        options: Choices.
        progress: Is called with stage and fraction, and may raise to cancel.

    Raises:
        ReconstructionError: no other frame could be registered to the reference.
    """
    clouds = [seen.cloud(number, options.points) for number in range(len(seen.points))]
    tracked = _tracked(clouds, seen.reference, part(progress, 0.0, 0.8))
    progress("segmentation", 0.8)
    chosen = _spread(tracked, options.frames)
    found = _segmented(tracked, chosen, options)
    progress("fusing parts", 0.95)
    fused = _fused(tracked, chosen, found, options)
    order = np.argsort(-np.bincount(fused.labels, minlength=found.count))
    poses = np.full((len(clouds), found.count, 4, 4), np.nan)
    poses[tracked.numbers[chosen]] = found.bodies.poses
    poses[seen.reference] = np.eye(4)
    surfaces = tuple(_surface(fused, body, poses[:, body], seen) for body in order.tolist())
    shown = _shown(seen, tracked.reference, found.labels)
    return RigidParts(
        surfaces,
        _in_metres(poses[:, order], *seen.units),
        tuple(shown[body] for body in order.tolist()),
    )


@dataclass(frozen=True)
class _Tracked:
    """The graph on the reference, tracked through the frames that register well.

    Attributes:
        reference: Its cloud.
        graph: Of K nodes on it.
        neighbours: (N, N) distances between its points.
        numbers: (G,) of the good frames.
        clouds: G clouds.
        poses: (G, K, 4, 4) of the nodes.
        close: (G,) whether a frame fits so well that shapes may be fused from it.
    """

    reference: Cloud
    graph: DeformationGraph
    neighbours: csr_matrix
    numbers: NDArray[np.int64]
    clouds: list[Cloud]
    poses: Array
    close: NDArray[np.bool_]


def _tracked(clouds: Sequence[Cloud | None], reference: int, progress: Progress) -> _Tracked:
    """Track both ways from the reference."""
    own = clouds[reference]
    known = {number: cloud for number, cloud in enumerate(clouds) if cloud is not None}
    if own is None or len(known) < 2:
        raise ReconstructionError("what moves shows in fewer than two frames")
    graph, neighbours = build_graph(own.points, own.spacing)
    ways = (
        [number for number in known if number > reference],
        [number for number in reversed(known) if number < reference],
    )
    numbers: list[int] = []
    poses: list[Array] = []
    scores: list[float] = []
    for way in filter(None, ways):
        share = (len(numbers) / len(known), (len(numbers) + len(way)) / len(known))
        report = staged(part(progress, *share), "registering parts")
        seen = [known[number] for number in way]
        found = track_sequence(graph, own, seen, size_of(own.points), report)
        numbers += way
        poses += list(found.poses)
        scores += found.scores.tolist()
    # Next to the reference little has moved, and fits better than anything can that moved far:
    # what moved separates parts.
    good = np.array(scores) < TRUSTED * np.median(scores)
    close = np.array(scores) < TRUSTED * np.sort(scores)[:LEAST_GOOD].max()
    order = [k for k in np.argsort(numbers).tolist() if good[k]]
    chosen = np.array([numbers[k] for k in order])
    return _Tracked(
        own,
        graph,
        neighbours,
        chosen,
        [known[number] for number in chosen.tolist()],
        np.array([poses[k] for k in order]),
        close[order],
    )


def _spread(tracked: _Tracked, count: int) -> NDArray[np.int64]:
    """Good frames, evenly spread; the first and the last one are among them."""
    last = len(tracked.numbers) - 1
    return np.unique(np.linspace(0, last, min(count, last + 1)).round().astype(int))


def _segmented(tracked: _Tracked, chosen: NDArray[np.int64], options: PartsOptions) -> Segmentation:
    """The parts, without those that are too small to be one."""
    own, graph = tracked.reference, tracked.graph
    clouds, poses = [tracked.clouds[k] for k in chosen], tracked.poses[chosen]
    noise = tracking_noise(graph, own, clouds, poses)
    frames = FrameSet(own, clouds, tracked.neighbours, noise)
    nodes = TrackedGraph(graph, node_bodies(graph, own, clouds, poses))
    # Nothing is a base here: the part that the engine takes for one may move as any other.
    found = replace(segment(frames, nodes.pieces, stop=options.stop), root_motion="turns")
    found = united_segments(frames, found, options)
    while found.count > 1:
        sizes = np.bincount(found.labels[found.labels >= 0], minlength=found.count)
        if sizes.min() >= options.least_share * len(own.points):
            break
        found = replace(found, root=int(sizes.argmax()))  # a root would never go
        found = without_body(frames, found, int(sizes.argmin()))
    return found


def _fused(
    tracked: _Tracked, chosen: NDArray[np.int64], found: Segmentation, options: PartsOptions
) -> LabelledSurface:
    """The surface of all parts at the reference, as the closest frames show it."""
    own = tracked.reference
    close = tracked.close[chosen]
    clouds = [own, *(tracked.clouds[k] for k in chosen[close])]
    still = np.tile(np.eye(4), (1, found.count, 1, 1))
    poses = np.concatenate([still, found.bodies.poses[close]])
    surface = surface_of(own, found.labels)
    for _ in range(options.rounds):
        surface = fuse_frames(
            surface,
            clouds,
            [None] * len(clouds),
            poses,
            spacing=own.spacing,
            gate=options.gate * own.spacing,
        )
    return surface


def _surface(fused: LabelledSurface, body: int, poses: Array, seen: SeenClouds) -> Surface:
    """One part's surface in metres, its normals to where the camera was in most frames.

    Args:
        fused: Surface of all parts.
        body: Number of the part.
        poses: (F, 4, 4) of it, NaN where not known.
        seen: The frames.
    """
    centre, scale = seen.units
    points, normals = fused.points[fused.labels == body], fused.normals[fused.labels == body]
    eye = (seen.eye - centre) / scale
    eyes = transform(inverse(poses[np.isfinite(poses[:, 0, 0])]), eye)
    sight = eyes[:, None] - points
    facing = np.einsum("fni,ni->fn", sight, normals) / np.linalg.norm(sight, axis=-1)
    turned = normals * np.where(facing.sum(axis=0) < 0, -1.0, 1.0)[:, None]
    return Surface(points * scale + centre, turned)


def _shown(seen: SeenClouds, thinned: Cloud, labels: NDArray[np.int64]) -> dict[int, Surface]:
    """By part, all points of the reference, labelled as the nearest of those that were kept."""
    every = seen.cloud(seen.reference, None)
    assert every is not None  # the thinned one is of the same frame
    own = labels[cKDTree(thinned.points).query(every.points)[1]]
    centre, scale = seen.units
    return {
        body: Surface(every.points[own == body] * scale + centre, every.normals[own == body])
        for body in np.unique(labels[labels >= 0]).tolist()
    }


def _in_metres(poses: Array, centre: Array, scale: float) -> Array:
    change = from_translation(centre)
    scaled = poses.copy()
    scaled[..., :3, 3] *= scale
    return np.asarray(change @ scaled @ inverse(change))
