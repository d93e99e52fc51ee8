"""How far the robot may stand from where its model has it, while a change is not repaired."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import product

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.errors import InputError
from autourdf_ros.monitoring.causes import Cause, Causes
from autourdf_ros.monitoring.change import Change
from autourdf_ros.monitoring.comparison import Look

Array = NDArray[np.float64]

SIGMAS = 3.0  # by which a change may be larger than told


def farthest(causes: Causes, change: Change, looks: Sequence[Look]) -> float:
    """m by which any point of the robot stands off its place in these configurations, at most.

    By what is told of the change and `SIGMAS` standard deviations. Raises InputError where the
    change has no such parameters.
    """
    told = np.array([abs(one.value) + SIGMAS * one.std for one in change.quantities])
    named = [one for one in causes.table if one.named == (change.kind, change.subject)]
    if not named or len(told) != len(named[0].changed):
        raise InputError(f"{change.kind} of {change.subject!r}: it is not told how far it is off")
    if change.kind == "camera_pose":
        return 0.0
    return max(_farthest(causes, one, told, look) for one in named for look in looks)


def beside(causes: Causes, change: Change) -> Callable[[str, str | None], bool]:
    """Whether two links (by name), or one and what stands in the base frame (None), may be nearer
    to each other, or farther, than the model has them.

    Those with the part that is told to be off, or a neighbour of it, between them: what is told
    wrong is most often a neighbour of what is told.
    """
    model = causes.model
    parents = {0: None} | {n + 1: int(p) for n, p in enumerate(model.articulation.parents)}
    number = {name: body for body, name in enumerate(model.links)}
    if change.kind == "camera_pose":
        return lambda one, other: False
    if change.kind == "base_pose":
        return lambda one, other: other is None
    near = set(_named_bodies(causes, change))
    near |= {body for body, parent in parents.items() if parent in near} | {
        parent for body in near if (parent := parents[body]) is not None
    }

    def between(one: str, other: str | None) -> bool:
        ways = [_way(parents, number[name]) for name in (one, other or model.links[0])]
        shared = set(ways[0]) & set(ways[1])
        deepest = max(shared, key=lambda body: len(_way(parents, body)))
        path = (set(ways[0]) ^ set(ways[1])) | {deepest}
        return len(path & near) > 1

    return between


def _named_bodies(causes: Causes, change: Change) -> list[int]:
    """Those that a joint or link of this name moves or is."""
    model = causes.model
    if change.kind == "link_shape":
        return [model.links.index(change.subject)]
    if change.kind == "joint_axis":
        return [model.joints.index(change.subject) + 1]
    moved = np.flatnonzero(model.gear[:, model.motors.index(change.subject)])
    return [int(joint) + 1 for joint in moved]


def _way(parents: Mapping[int, int | None], body: int) -> list[int]:
    """The body and all that carry it."""
    way: list[int] = []
    at: int | None = body
    while at is not None:
        way.append(at)
        at = parents[at]
    return way


def _farthest(causes: Causes, cause: Cause, told: Array, look: Look) -> float:
    twists = causes.twists(look)[..., cause.columns]
    corners = _corners(causes)
    turned = np.cross(twists[:, :3].transpose(0, 2, 1)[:, None], corners[:, :, None])
    moved = turned + twists[:, 3:].transpose(0, 2, 1)[:, None]
    return float((np.linalg.norm(moved, axis=-1) @ told).max())


def _corners(causes: Causes) -> Array:
    """(S, 8, 3) corners of the boxes about the segments: of a box, one is displaced most."""
    model = causes.model
    found = np.zeros((len(model.segments), 8, 3))
    for number in range(len(model.segments)):
        own = model.vertices[model.vertex_segment == number]
        if len(own):
            ends = np.stack([own.min(axis=0), own.max(axis=0)])
            found[number] = [
                [ends[x, 0], ends[y, 1], ends[z, 2]] for x, y, z in product((0, 1), repeat=3)
            ]
    return found
