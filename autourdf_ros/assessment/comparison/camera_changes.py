"""How the cameras moved between two recordings, as two results state where they stand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.assessment.comparison.compared_robot import ComparedRobot
from autourdf_ros.geometry.rigid_motion import inverse, log_so3, transform
from autourdf_ros.model.skeleton import joint_points

SIGMAS = 4.0

TURN, SHIFT = np.radians(0.025), 2.5e-4
"""Standard deviations (rad, m) of what a recording's frames are off by alike: docs/fleet.md."""


@dataclass(frozen=True)
class CameraChange:
    """A camera of both recordings, relative to most of the others.

    Attributes:
        name: Its topic, or `camera 1` and so on.
        turn: By which it turned (rad).
        shift: By which what it sees of the robot's middle moved (m).
        sigmas: The larger of both in standard deviations.
    """

    name: str
    turn: float
    shift: float
    sigmas: float

    @property
    def changed(self) -> bool:
        """Whether it moved significantly, or its calibration was wrong in one recording."""
        return self.sigmas > SIGMAS


def camera_changes(first: ComparedRobot, second: ComparedRobot) -> tuple[CameraChange, ...]:
    """Return how every camera moved; none where the recordings do not have the same cameras.

    What most cameras moved by is taken for a motion of the robot: their median is none. So with two
    cameras each moves by half, and which it was is not known.
    """
    before, after = (_entries(robot) for robot in (first, second))
    names = _names(first)
    if not before or len(before) != len(after) or names != _names(second):
        return ()
    points = joint_points(first.skeleton(first.subject.reference).joints)
    middle = points.mean(axis=0) if len(points) else np.zeros(3)
    turn, shift = relative_changes(_poses(before), _poses(after), middle)
    turn_std, shift_std = (
        np.sqrt(_stds(before, key) ** 2 + _stds(after, key) ** 2 + 2 * least**2)
        for key, least in (("turn_std", TURN), ("shift_std", SHIFT))
    )
    sigmas = np.maximum(turn / turn_std, shift / shift_std)
    return tuple(
        CameraChange(*values)
        for values in zip(names, turn.tolist(), shift.tolist(), sigmas.tolist(), strict=True)
    )


def relative_changes(
    before: NDArray[np.float64], after: NDArray[np.float64], middle: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return by how much each of C cameras moved beside their median: (C,) rad and (C,) m.

    Args:
        before: (C, 4, 4) poses in the fixed frame.
        after: (C, 4, 4) likewise.
        middle: (3,) point whose shift is returned, as each camera sees it.
    """
    moves = after @ inverse(before)
    turns, shifts = log_so3(moves[:, :3, :3]), transform(moves, middle) - middle
    turn, shift = (np.linalg.norm(own - np.median(own, axis=0), axis=1) for own in (turns, shifts))
    return turn, shift


def _entries(robot: ComparedRobot) -> Sequence[Mapping[str, Any]]:
    return () if robot.document is None else robot.document.get("camera_poses", ())


def _names(robot: ComparedRobot) -> list[str]:
    entries = _entries(robot)
    topics = [] if robot.document is None else robot.document.get("input", {}).get("cameras", [])
    if len(topics) == len(entries):
        return list(topics)
    return [f"camera {number}" for number in range(1, len(entries) + 1)]


def _poses(entries: Sequence[Mapping[str, Any]]) -> NDArray[np.float64]:
    return np.array([entry["pose"] for entry in entries], dtype=float)


def _stds(entries: Sequence[Mapping[str, Any]], key: str) -> NDArray[np.float64]:
    return np.array([entry[key] for entry in entries], dtype=float)
