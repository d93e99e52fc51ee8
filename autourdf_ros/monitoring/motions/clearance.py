"""How much farther than the model has it links keep apart, while a change is not repaired.

What is told to be off by a turn and a shift puts no point farther off than the turn times its
distance from the place that it turns about, and the shift. That distance is no longer than the
chain of links between them, however the joints stand.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.errors import InputError
from autourdf_ros.model.limits.motion_limits import Limits
from autourdf_ros.monitoring.change import Change
from autourdf_ros.monitoring.diagnosis.causes import Causes
from autourdf_ros.monitoring.observing.watched_model import WatchedModel

Array = NDArray[np.float64]
Room = Callable[[str, str | None], float]
Named = tuple[str, str]

SIGMAS = 3.0
"""Standard deviations by which a change may be larger than told."""


def room(
    causes: Causes, changes: Sequence[Change], values: Array, eyes: Mapping[str, Array]
) -> Room:
    """m that two links (by name) keep more, or a link and what stands in the base frame (None).

    Those with the part that is told to be off, or with a neighbour of it, between them: what is
    told wrong is most often a neighbour. The same for what explains as much (`alternatives`).
    values: (N, J) of the joints, between which the robot moves. eyes: (3,) where each camera is.
    Raises InputError where it is not told how far something is off.
    """
    told = [
        (displacement(causes, one, values, eyes), [_apart(causes, name) for name in _named(one)])
        for one in changes
    ]

    def keep(one: str, other: str | None) -> float:
        return sum(off for off, regions in told if any(apart(one, other) for apart in regions))

    return keep


def displacement(causes: Causes, change: Change, values: Array, eyes: Mapping[str, Array]) -> float:
    """m by which any point stands off its place at most, by what is told and `SIGMAS` deviations.

    Of a camera: by which the robot would, if it were the robot. The others as in `room`.
    """
    turn, shift = _much(change)
    chains = _Chains(causes.model, values)
    return max(
        lever * turn + share * shift for lever, share in _levers(causes, change, chains, eyes)
    )


def narrowed(limits: Limits, changes: Sequence[Change]) -> Limits:
    """The limits of joints whose readings may be off, as they are told to be."""
    result = dict(limits)
    for change in changes:
        for kind, subject in _named(change):
            if kind == "joint_zero" and subject in result:
                off, limit = max(_much(change)), result[subject]
                result[subject] = replace(limit, lower=limit.lower + off, upper=limit.upper - off)
    return result


def _named(change: Change) -> list[Named]:
    return [(change.kind, change.subject), *change.alternatives]


def _much(change: Change) -> tuple[float, float]:
    """(rad, m) of the turn and of the shift, at most."""
    most = [(abs(one.value) + SIGMAS * one.std, one.unit) for one in change.quantities]
    turn, shift = (
        float(np.linalg.norm([value for value, own in most if own == unit]))
        for unit in ("rad", "m")
    )
    if not turn + shift > 0:
        raise InputError(f"{change.kind} of {change.subject!r}: it is not told how far it is off")
    return turn, shift


class _Chains:
    """How far what a body carries may be from a place of the body, however the joints stand."""

    def __init__(self, model: WatchedModel, values: Array) -> None:
        self._model = model
        slides = np.where(model.articulation.revolute, 0.0, np.abs(values).max(axis=0))
        self._slides = slides
        bodies = model.segment_body[model.vertex_segment]
        self._vertices = [model.vertices[bodies == body] for body in range(len(model.links))]
        self._beyond = np.zeros(len(model.joints))
        for joint in reversed(range(len(model.joints))):  # children before their parents
            self._beyond[joint] = slides[joint] + self.length(joint + 1, model.places[joint])

    def length(self, body: int, place: Array) -> float:
        """m from the place (3,) to the farthest point of the body and of all that it carries."""
        own = np.linalg.norm(self._vertices[body] - place, axis=1)
        carried = np.flatnonzero(self._model.articulation.parents == body)
        steps = np.linalg.norm(self._model.places[carried] - place, axis=1)
        return float(max([0.0, *own, *(steps + self._beyond[carried])]))

    def of_joint(self, joint: int) -> float:
        """m from where the joint turns its link to the farthest point of all that it moves."""
        return float(self._beyond[joint])


def _levers(
    causes: Causes, change: Change, chains: _Chains, eyes: Mapping[str, Array]
) -> list[tuple[float, float]]:
    """(m per rad of the turn, m per m of the shift) for each place that may be off."""
    model, subject = causes.model, change.subject
    origin = np.zeros(3)
    if change.kind == "base_pose":
        return [(chains.length(0, origin), 1.0)]
    if change.kind == "camera_pose" and subject in eyes:
        return [(float(np.linalg.norm(eyes[subject])) + chains.length(0, origin), 1.0)]
    if change.kind == "joint_zero" and subject in model.motors:
        gear = np.abs(model.gear[:, model.motors.index(subject)])
        lengths = np.array([chains.of_joint(joint) for joint in range(len(gear))])
        moved = float(gear @ np.where(model.articulation.revolute, lengths, 1.0))
        return [(moved, moved)]
    if change.kind == "joint_axis" and subject in model.joints:
        joint = model.joints.index(subject)
        between = np.linalg.norm(model.articulation.anchors[joint] - model.places[joint])
        # It moves what the joint carries once on the way there, and once on the way back.
        return [(2 * (chains.of_joint(joint) + float(between)), 2.0)]
    if change.kind == "link_shape" and subject in model.links:
        body = model.links.index(subject)
        places = [one.place for one in causes.breaks if one.body == body]
        return [(chains.length(body, place), 1.0) for place in places]
    raise InputError(f"{change.kind} of {subject!r}: the model has no such part")


def _apart(causes: Causes, name: Named) -> Callable[[str, str | None], bool]:
    """Whether two links, or a link and what stands in the base frame, may be off each other."""
    kind, subject = name
    model = causes.model
    parents = dict(enumerate([-1, *model.articulation.parents.tolist()]))
    if kind.startswith("camera"):
        return lambda one, other: False
    if kind == "base_pose":
        return lambda one, other: other is None
    near = set(_bodies(model, kind, subject))
    near |= {body for body, parent in parents.items() if parent in near}
    near |= {parents[body] for body in near if parents[body] >= 0}

    def between(one: str, other: str | None) -> bool:
        ways = [_way(parents, model.links.index(link)) for link in (one, other or model.links[0])]
        shared = [body for body in ways[0] if body in ways[1]]
        path = (set(ways[0]) ^ set(ways[1])) | {shared[0]}
        return len(path & near) > 1

    return between


def _bodies(model: WatchedModel, kind: str, subject: str) -> list[int]:
    """Those that a link, a joint or a motor of this name is or moves."""
    if kind == "link_shape":
        return [model.links.index(subject)]
    if kind == "joint_axis":
        return [model.joints.index(subject) + 1]
    moved = np.flatnonzero(model.gear[:, model.motors.index(subject)])
    return [int(joint) + 1 for joint in moved]


def _way(parents: Mapping[int, int], body: int) -> list[int]:
    """The body and all that carry it, the nearest first."""
    way = [body]
    while parents[way[-1]] >= 0:
        way.append(parents[way[-1]])
    return way
