"""Reasons to doubt the joints of a mechanism, and what was taken for granted, as sentences."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from autourdf_ros.estimation.video.joints.fitting.lower_pairs import PAIRS
from autourdf_ros.estimation.video.joints.fitting.pair_likelihood import LEAST_FRAMES, PairFit
from autourdf_ros.estimation.video.joints.fitting.pair_motion import WORLD
from autourdf_ros.estimation.video.joints.joints_options import JointsOptions
from autourdf_ros.estimation.video.joints.mechanism_adjustment import Adjusted
from autourdf_ros.estimation.video.joints.mechanism_tree import Pair, TreeEdge, pair_of
from autourdf_ros.estimation.video.pose_track import PoseTrack


def doubts(
    track: PoseTrack,
    tree: tuple[TreeEdge, ...],
    pairs: Mapping[Pair, PairFit],
    adjusted: Adjusted,
    options: JointsOptions,
) -> tuple[str, ...]:
    """Return what is doubtful: trees and types nearly as likely, axes and values hardly known."""
    found: list[str] = []
    for number, edge in enumerate(tree):
        child, parent = body_name(track, edge.child), body_name(track, edge.parent)
        where = f"joint of '{child}' on '{parent}' ({edge.kind})"
        frames = int(track.seen[edge.child].sum())
        if frames < LEAST_FRAMES:
            found.append(f"'{child}' is seen in {frames} frames: its joint is not estimated")
            continue
        found += _tree_doubts(where, edge, track, pairs, options)
        found += _type_doubts(where, pair_of(pairs, edge.parent, edge.child), edge, options)
        found += _axis_doubts(where, number, edge, adjusted, track, options)
    return tuple(found)


def base_notes(
    track: PoseTrack, tree: tuple[TreeEdge, ...], pairs: Mapping[Pair, PairFit]
) -> tuple[str, ...]:
    """Return a sentence for every mechanism of which another body could as well be the base."""
    return tuple(
        f"joint of '{body_name(track, edge.child)}' on 'world' ({edge.kind}): it could as well be "
        f"that of '{body_name(track, max(edge.rival))}'; what moves is the same"
        for edge in tree
        if edge.rival is not None and _moves_the_same(edge, pairs)
    )


def _moves_the_same(edge: TreeEdge, pairs: Mapping[Pair, PairFit]) -> bool:
    """Whether another body moves in the same plane: with the base it moves within it, too."""
    if edge.rival is None or edge.parent != WORLD or WORLD not in edge.rival:
        return False
    return bool(edge.kind == pairs[edge.rival].best.kind == "planar")


def parallel_notes(
    track: PoseTrack, tree: tuple[TreeEdge, ...], adjusted: Adjusted
) -> tuple[str, ...]:
    """Return a sentence for every axis that is held parallel to the one above it."""
    return tuple(
        f"joint of '{body_name(track, edge.child)}' ({edge.kind}): its axis is held parallel to "
        f"that of the joint of '{body_name(track, edge.parent)}', since the poses show no "
        "difference"
        for edge, fitted in zip(tree, adjusted.fit.edges, strict=True)
        if fitted.parallel
    )


def body_name(track: PoseTrack, body: int) -> str:
    """Return the name of a body or of the world."""
    return "world" if body == WORLD else track.bodies[body]


def _tree_doubts(
    where: str,
    edge: TreeEdge,
    track: PoseTrack,
    pairs: Mapping[Pair, PairFit],
    options: JointsOptions,
) -> list[str]:
    """Another tree that is as likely; a loop has one for each of its joints."""
    if edge.rival is None or edge.kind == "free" or _moves_the_same(edge, pairs):
        return []
    if edge.margin > options.significance * edge.deviation:
        return []
    a, b = (body_name(track, body) for body in edge.rival)
    kind = pairs[edge.rival].best.kind
    return [
        f"{where}: a tree with a {kind} joint between '{a}' and '{b}' instead is as likely "
        f"(margin {edge.margin:.0f}, of which noise makes {edge.deviation:.0f}): one of two "
        "alternatives, or a closed loop"
    ]


def _type_doubts(where: str, pair: PairFit, edge: TreeEdge, options: JointsOptions) -> list[str]:
    if edge.kind == "free":
        return []
    taken, best = pair.best, min(pair.types, key=lambda one: one.score)
    if best is not taken and taken.excess > options.least_motion / 2:
        return [
            f"{where}: '{best.kind}' explains the poses better, but what it moves is no more than "
            f"{taken.excess:.1f} deviations of the poses: it may be an error of the tracker"
        ]
    probability = pair.probabilities[edge.kind]
    if probability >= options.least_probability:
        return []
    others = [one.kind for one in pair.types if one.kind != edge.kind]
    return [
        f"{where}: {100 * probability:.0f}% sure of its type; "
        f"'{others[0]}' explains the poses nearly as well"
    ]


def _axis_doubts(
    where: str,
    number: int,
    edge: TreeEdge,
    adjusted: Adjusted,
    track: PoseTrack,
    options: JointsOptions,
) -> list[str]:
    if edge.kind in ("fixed", "free", "spherical"):
        return []
    deviation = float(np.sqrt(np.diag(adjusted.frame_covariances[number])[:2].max()))
    if deviation <= options.axis_doubt:
        return []
    values, stds = adjusted.values[number], adjusted.stds[number]
    text = f"{where}: its axis is known to {np.degrees(deviation):.1f} degrees only"
    if not np.isfinite(values).any():
        return [f"{text}; its values are not seen"]
    travel = np.nanmax(values, axis=0) - np.nanmin(values, axis=0)
    symmetric = _symmetric(track, edge)
    if symmetric:
        return [f"{text}; the symmetry of {symmetric} leaves it open"]
    screws = PAIRS[edge.kind].screws
    moved = ", ".join(
        f"{np.degrees(way):.2f} degrees" if screw < 3 else f"{1000 * way:.1f} mm"
        for way, screw in zip(travel, screws, strict=True)
    )
    return [f"{text}; it moved by {moved}, in steps known to {np.nanmedian(stds):.1e}"]


def _symmetric(track: PoseTrack, edge: TreeEdge) -> str:
    """The bodies of a joint that turn without being seen to, as text."""
    names = [
        f"'{track.bodies[body]}'"
        for body in (edge.parent, edge.child)
        if body != WORLD and track.symmetries[body].kind in ("axial", "spherical")
    ]
    return " and ".join(names)
