"""Extra clearance that links keep while a reported change is not repaired.

A change by a turn and a shift displaces no point by more than the turn times the point's distance
from the place of the turn, plus the shift. That distance is at most the length of the chain of
links between them, in every configuration.
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
ExtraClearance = Callable[[str, str | None], float]
Suspect = tuple[str, str]

SIGMAS = 3.0
"""Standard deviations by which a change may be larger than reported."""


def extra_clearance(
    causes: Causes, changes: Sequence[Change], values: Array, camera_positions: Mapping[str, Array]
) -> ExtraClearance:
    """Return the extra clearance (m) of two links by name, or of a link and the base frame (None).

    It holds for pairs whose connecting chain contains the displaced part or a neighbour of it,
    since the monitor most often confuses neighbours, and likewise for the `alternatives` of a
    change.

    Args:
        causes: Of the model.
        changes: All reported changes.
        values: (N, J) joint values between which the robot moves (rad or m).
        camera_positions: (3,) of each camera in the base frame (m).

    Raises:
        InputError: The size of a change is unknown.
    """
    displacements = [
        (
            largest_displacement(causes, one, values, camera_positions),
            [_displaced(causes, name) for name in _suspects(one)],
        )
        for one in changes
    ]

    def keep(one: str, other: str | None) -> float:
        return sum(
            off for off, regions in displacements if any(apart(one, other) for apart in regions)
        )

    return keep


def largest_displacement(
    causes: Causes, change: Change, values: Array, camera_positions: Mapping[str, Array]
) -> float:
    """Return the largest displacement of any point (m) by a change and `SIGMAS` deviations.

    A camera's displacement is that of the robot, if the robot had moved instead. Arguments as in
    `extra_clearance`.
    """
    turn, shift = _magnitude(change)
    chains = _Chains(causes.model, values)
    return max(
        lever * turn + share * shift
        for lever, share in _levers(causes, change, chains, camera_positions)
    )


def narrowed_limits(limits: Limits, changes: Sequence[Change]) -> Limits:
    """Narrow the limits of the joints whose readings may be off by the reported size."""
    result = dict(limits)
    for change in changes:
        for kind, subject in _suspects(change):
            if kind == "joint_zero" and subject in result:
                off, limit = max(_magnitude(change)), result[subject]
                result[subject] = replace(limit, lower=limit.lower + off, upper=limit.upper - off)
    return result


def _suspects(change: Change) -> list[Suspect]:
    return [(change.kind, change.subject), *change.alternatives]


def _magnitude(change: Change) -> tuple[float, float]:
    """Return the largest turn (rad) and the largest shift (m)."""
    most = [(abs(one.value) + SIGMAS * one.std, one.unit) for one in change.quantities]
    turn, shift = (
        float(np.linalg.norm([value for value, own in most if own == unit]))
        for unit in ("rad", "m")
    )
    if not turn + shift > 0:
        raise InputError(f"{change.kind} of {change.subject!r}: the size of the change is unknown")
    return turn, shift


class _Chains:
    """Largest distances from a place of a body to all that it moves, in any configuration."""

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
        """m from the place (3,) to the farthest point of the body and of all that it moves."""
        own = np.linalg.norm(self._vertices[body] - place, axis=1)
        children = np.flatnonzero(self._model.articulation.parents == body)
        steps = np.linalg.norm(self._model.places[children] - place, axis=1)
        return float(max([0.0, *own, *(steps + self._beyond[children])]))

    def of_joint(self, joint: int) -> float:
        """m from where the joint turns its link to the farthest point of all that it moves."""
        return float(self._beyond[joint])


def _levers(
    causes: Causes, change: Change, chains: _Chains, camera_positions: Mapping[str, Array]
) -> list[tuple[float, float]]:
    """(m per rad of the turn, m per m of the shift) for each place that may be displaced."""
    model, subject = causes.model, change.subject
    origin = np.zeros(3)
    if change.kind == "base_pose":
        return [(chains.length(0, origin), 1.0)]
    if change.kind == "camera_pose" and subject in camera_positions:
        return [(float(np.linalg.norm(camera_positions[subject])) + chains.length(0, origin), 1.0)]
    if change.kind == "joint_zero" and subject in model.motors:
        gear = np.abs(model.gear[:, model.motors.index(subject)])
        lengths = np.array([chains.of_joint(joint) for joint in range(len(gear))])
        moved = float(gear @ np.where(model.articulation.revolute, lengths, 1.0))
        return [(moved, moved)]
    if change.kind == "joint_axis" and subject in model.joints:
        joint = model.joints.index(subject)
        between = np.linalg.norm(model.articulation.anchors[joint] - model.places[joint])
        # A wrong axis displaces what the joint moves on the way there and on the way back.
        return [(2 * (chains.of_joint(joint) + float(between)), 2.0)]
    if change.kind == "link_shape" and subject in model.links:
        body = model.links.index(subject)
        places = [one.place for one in causes.breaks if one.body == body]
        return [(chains.length(body, place), 1.0) for place in places]
    if change.kind == "sag" and subject in model.links:
        held = model.articulation.ancestors[model.links.index(subject)]
        return [(sum(chains.of_joint(joint) for joint in np.flatnonzero(held).tolist()), 1.0)]
    raise InputError(f"{change.kind} of {subject!r}: the model has no such part")


def _displaced(causes: Causes, name: Suspect) -> Callable[[str, str | None], bool]:
    """Whether two links, or a link and the base frame, may be displaced against each other."""
    kind, subject = name
    model = causes.model
    parents = dict(enumerate([-1, *model.articulation.parents.tolist()]))
    if kind.startswith("camera"):
        return lambda one, other: False
    if kind == "base_pose":
        return lambda one, other: other is None
    near = set(_displaced_bodies(model, kind, subject))
    near |= {body for body, parent in parents.items() if parent in near}
    near |= {parents[body] for body in near if parents[body] >= 0}

    def between(one: str, other: str | None) -> bool:
        paths = [
            _path_to_root(parents, model.links.index(link))
            for link in (one, other or model.links[0])
        ]
        shared = [body for body in paths[0] if body in paths[1]]
        between_them = (set(paths[0]) ^ set(paths[1])) | {shared[0]}
        return len(between_them & near) > 1

    return between


def _displaced_bodies(model: WatchedModel, kind: str, subject: str) -> list[int]:
    """Return the bodies that a link, a joint or a motor of this name is or moves."""
    if kind == "link_shape":
        return [model.links.index(subject)]
    if kind == "joint_axis":
        return [model.joints.index(subject) + 1]
    if kind == "sag":
        return (
            np.flatnonzero(model.articulation.ancestors[model.links.index(subject)]) + 1
        ).tolist()
    moved = np.flatnonzero(model.gear[:, model.motors.index(subject)])
    return [int(joint) + 1 for joint in moved]


def _path_to_root(parents: Mapping[int, int], body: int) -> list[int]:
    """Return the body and its ancestors, the nearest first."""
    path = [body]
    while parents[path[-1]] >= 0:
        path.append(parents[path[-1]])
    return path
