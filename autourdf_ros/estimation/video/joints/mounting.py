"""Choose which of several bodies that stand still against each other bears a joint."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import trimesh

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
from autourdf_ros.geometry.rigid_motion import transform
from autourdf_ros.geometry.surface_distance import surface_distances


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

    By their surfaces; by their centres where a shape is not known.
    """
    both = np.flatnonzero(track.seen[first] & track.seen[second])
    if not len(both):
        return np.inf
    poses = track.poses[[first, second], both[0]]
    known = {shape.name: shape.mesh for shape in shapes}
    if any(name not in known for name in track.bodies):
        centres = transform(poses, track.centres[[first, second]])
        return float(np.linalg.norm(centres[0] - centres[1]))
    meshes = [known[track.bodies[body]] for body in (first, second)]
    moved = [
        trimesh.Trimesh(
            transform(pose, np.asarray(mesh.vertices, float)), mesh.triangles, process=False
        )
        for pose, mesh in zip(poses, meshes, strict=True)
    ]
    return float(surface_distances(*moved).min())


def _parents_first(edges: list[TreeEdge]) -> tuple[TreeEdge, ...]:
    """The edges in an order in which every parent is placed before its children."""
    placed, waiting, result = {WORLD}, list(edges), []
    while waiting:
        ready = next(edge for edge in waiting if edge.parent in placed)
        waiting.remove(ready)
        placed.add(ready.child)
        result.append(ready)
    return tuple(result)
