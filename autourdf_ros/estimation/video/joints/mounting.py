"""Choose which of several bodies that stand still against each other bears a joint."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
from scipy.spatial import cKDTree

from autourdf_ros.data.video.video_shape import VideoShape
from autourdf_ros.estimation.video.joints.fitting.pair_likelihood import PairFit
from autourdf_ros.estimation.video.joints.fitting.pair_motion import WORLD, mechanism_size
from autourdf_ros.estimation.video.joints.mechanism_tree import (
    Pair,
    TreeEdge,
    pair_of,
    rigid_groups,
)
from autourdf_ros.estimation.video.pose_track import PoseTrack
from autourdf_ros.geometry.arrays import Array
from autourdf_ros.geometry.rigid_motion import transform


def mounted(
    tree: tuple[TreeEdge, ...],
    pairs: Mapping[Pair, PairFit],
    track: PoseTrack,
    shapes: Sequence[VideoShape],
    touching: float,
) -> tuple[TreeEdge, ...]:
    """Return the tree in which joints hang on the nearest of the bodies that stand alike.

    What moves does not depend on it. The world has no surface: it bears a joint where no body
    that stands still touches the child.

    Args:
        tree: Parents first.
        pairs: Fits of all pairs.
        track: Poses.
        shapes: Of bodies, by name; without them, the distance is that of the centres.
        touching: Share of the mechanism's size up to which surfaces touch.
    """
    groups = rigid_groups(tree)
    reach = touching * mechanism_size(track) if shapes else np.inf
    result = []
    for edge in tree:
        alike = [b for b in groups if groups[b] == groups[edge.parent] and b != edge.child]
        if edge.kind == "fixed":
            parent = WORLD if WORLD in alike else edge.parent
        else:
            parent = _nearest(edge, alike, pairs, track, shapes, reach)
        result.append(replace(edge, parent=parent))
    return _parents_first(result)


def _nearest(
    edge: TreeEdge,
    alike: list[int],
    pairs: Mapping[Pair, PairFit],
    track: PoseTrack,
    shapes: Sequence[VideoShape],
    reach: float,
) -> int:
    """The body nearest to the child whose own fit has the same type, or the edge's parent."""
    distances = {
        body: body_distance(track, body, edge.child, shapes)
        for body in alike
        if body != WORLD and pair_of(pairs, body, edge.child).best.kind == edge.kind
    }
    if not distances:
        return edge.parent
    nearest = min(distances, key=distances.__getitem__)
    if edge.parent == WORLD and distances[nearest] > reach:
        return WORLD
    return nearest


def body_distance(track: PoseTrack, first: int, second: int, shapes: Sequence[VideoShape]) -> float:
    """Return how near two bodies come (m) in the first frame that shows both.

    By the vertices of their meshes and the centres of their triangles; by their centres where a
    shape is not known.
    """
    both = np.flatnonzero(track.seen[first] & track.seen[second])
    if not len(both):
        return np.inf
    clouds = []
    for body in (first, second):
        points = _points(track, body, shapes)
        clouds.append(transform(track.poses[body, both[0]][None], points))
    return float(cKDTree(clouds[0]).query(clouds[1])[0].min())


def _points(track: PoseTrack, body: int, shapes: Sequence[VideoShape]) -> Array:
    """Points of a body in its frame."""
    known = {shape.name: shape.mesh for shape in shapes}
    if any(track.bodies[b] not in known for b in range(len(track.bodies))):
        return track.centres[body][None]
    mesh = known[track.bodies[body]]
    vertices = np.asarray(mesh.vertices, float)
    return np.concatenate([vertices, vertices[mesh.triangles.astype(int)].mean(axis=1)])


def _parents_first(edges: list[TreeEdge]) -> tuple[TreeEdge, ...]:
    """The edges in an order in which every parent is placed before its children."""
    placed, waiting, result = {WORLD}, list(edges), []
    while waiting:
        ready = next(edge for edge in waiting if edge.parent in placed)
        waiting.remove(ready)
        placed.add(ready.child)
        result.append(ready)
    return tuple(result)
