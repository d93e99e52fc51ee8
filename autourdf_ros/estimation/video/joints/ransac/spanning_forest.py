"""The mechanism of Algorithm 1 of Heiden et al. (2022): sampled joints and a spanning forest."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.estimation.video.joints.fitting.fitted_mechanism import Edge
from autourdf_ros.estimation.video.joints.fitting.pair_motion import WORLD
from autourdf_ros.estimation.video.joints.joints_options import JointsOptions
from autourdf_ros.estimation.video.joints.ransac.sampled_joint import (
    PoseTolerance,
    SampledJoint,
    sampled_joint,
)
from autourdf_ros.estimation.video.pose_track import PoseTrack
from autourdf_ros.geometry.rigid_motion import inverse

Joints = Mapping[tuple[int, int], SampledJoint]


def sampled_mechanism(track: PoseTrack, options: JointsOptions) -> tuple[tuple[Edge, ...], Joints]:
    """Return the joints of a mechanism, parents first, and those of all pairs that have one.

    The motions of the edges are the identity: they belong to all frames of the track.

    Args:
        track: In which symmetric bodies move no more than they must.
        options: Seed and choices of the method.
    """
    rng = np.random.default_rng(options.seed)
    bodies = len(track.bodies)
    numbers = [(a, b) for a in range(bodies) for b in range(a + 1, bodies)]
    found = {pair: _pair_joint(track, *pair, rng, options) for pair in numbers}
    joints = {pair: joint for pair, joint in found.items() if joint is not None}
    edges: list[Edge] = []
    for root, pairs in spanning_forest({p: one.cost for p, one in joints.items()}, bodies):
        held = _pair_joint(track, WORLD, root, rng, options)
        edges.append(_edge(WORLD, root, held, turned=False, track=track))
        for parent, child in pairs:
            turned = (parent, child) not in joints
            joint = joints[(child, parent) if turned else (parent, child)]
            edges.append(_edge(parent, child, joint, turned=turned, track=track))
    return tuple(edges), joints


def spanning_forest(
    costs: Mapping[tuple[int, int], float], bodies: int
) -> list[tuple[int, list[tuple[int, int]]]]:
    """Return the minimum spanning tree of every component (Prim, 1957): root, (parent, child)s.

    Args:
        costs: Of pairs (lower number, higher number); a pair without is not joined.
        bodies: How many there are; the root is the first of its component.
    """
    waiting, forest = set(range(bodies)), []
    while waiting:
        root = min(waiting)
        waiting.remove(root)
        inside, pairs = {root}, []
        while True:
            open_pairs = [
                (costs[min(a, b), max(a, b)], a, b)
                for a in inside
                for b in waiting
                if (min(a, b), max(a, b)) in costs
            ]
            if not open_pairs:
                break
            _, parent, child = min(open_pairs)
            inside.add(child)
            waiting.remove(child)
            pairs.append((parent, child))
        forest.append((root, pairs))
    return forest


def _pair_joint(
    track: PoseTrack,
    parent: int,
    child: int,
    rng: np.random.Generator,
    options: JointsOptions,
) -> SampledJoint | None:
    seen = track.seen[child] & (parent == WORLD or track.seen[parent])
    frames: NDArray[np.int64] = np.flatnonzero(seen)
    if not len(frames):
        return None
    root = np.eye(4) if parent == WORLD else track.poses[parent, frames]
    relative = inverse(root) @ track.poses[child, frames]
    ends = _later(frames, options.ransac.stride)
    tolerance = _tolerance(track, parent, child, frames, options.ransac.tolerance)
    return sampled_joint(relative, ends, tolerance, rng, options.ransac)


def _later(frames: NDArray[np.int64], stride: int) -> NDArray[np.int64]:
    """For each of the frames (N,) which of them is `stride` frames later, or -1."""
    places = np.searchsorted(frames, frames + stride)
    inside = np.minimum(places, len(frames) - 1)
    return np.where(frames[inside] == frames + stride, inside, -1)


def _tolerance(
    track: PoseTrack, parent: int, child: int, frames: NDArray[np.int64], factor: float
) -> PoseTolerance:
    """Multiples of the typical standard deviations of both bodies along their best directions.

    The paper knows no covariances, and no symmetry: the worst directions would allow anything.
    """
    variances = np.zeros(2)
    for body in (parent, child):
        if body != WORLD:
            own = track.covariances[body, frames]
            blocks = np.stack([own[:, :3, :3], own[:, 3:, 3:]], axis=1)
            variances += np.median(np.linalg.eigvalsh(blocks)[..., 0], axis=0)
    turn, shift = factor * np.sqrt(3 * variances)
    return PoseTolerance(float(turn), float(shift))


def _edge(
    parent: int, child: int, joint: SampledJoint | None, *, turned: bool, track: PoseTrack
) -> Edge:
    """A joint of the tree, turned round where it was found the other way; free without one."""
    still = np.tile(np.eye(4), (len(track.stamps), 1, 1))
    if joint is None:
        return Edge(parent, child, "free", np.eye(4), np.eye(4), still)
    own = joint.edge
    frame, placement = own.frame, own.placement
    if turned:
        frame, placement = inverse(own.placement), inverse(own.frame)
    return Edge(parent, child, own.kind, frame, placement, still)
