"""Find where all cameras stand, from how each by itself sees the bodies move."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np

from autourdf_ros.data.frame import Recording
from autourdf_ros.errors import InputError
from autourdf_ros.estimation.extrinsics.body_motions import BodyMotions, body_motions
from autourdf_ros.estimation.extrinsics.hand_eye import HandEye, hand_eye
from autourdf_ros.geometry.arrays import Array
from autourdf_ros.geometry.rigid_motion import adjoint, from_translation, inverse
from autourdf_ros.progress import Progress, part

UNIT = np.repeat(
    [np.radians(1.0), 0.01], 3
)  # rad, m: in which how well a pair is known is measured


@dataclass(frozen=True)
class Edge:
    """The second of two cameras in the frame of the first.

    Attributes:
        first: number of the first camera.
        second: number of the second one.
        found: where it is.
    """

    first: int
    second: int
    found: HandEye


@dataclass(frozen=True)
class Start:
    """Where C cameras stand by the motion of the bodies that they see.

    Attributes:
        poses: (C, 4, 4) in the fixed frame.
        edges: the pairs of cameras by which they are known.
    """

    poses: Array
    edges: tuple[Edge, ...]

    def prior(self, centre: Array) -> Array:
        """Return information (6 C, 6 C) of small camera motions about `centre` (3,) (rad, m)."""
        count = len(self.poses)
        information = np.zeros((count, 6, count, 6))
        information[0, :, 0] = np.eye(6)  # of the one that is held anyway
        for edge in self.edges:
            block = self.information(edge, centre)
            a, b = edge.first, edge.second
            information[a, :, a] += block
            information[b, :, b] += block
            information[a, :, b] -= block
            information[b, :, a] -= block
        return information.reshape(6 * count, 6 * count)

    def information(self, edge: Edge, centre: Array) -> Array:
        """Return information (6, 6) of an edge's cameras' relative motion about `centre` (3,)."""
        into = (
            from_translation(-centre) @ self.poses[edge.first] @ from_translation(edge.found.centre)
        )
        back = adjoint(inverse(into))
        return np.asarray(back.T @ edge.found.information @ back)


def start_from_motion(recording: Recording, given: Array, progress: Progress) -> Start:
    """Return the cameras' poses, the first as given.

    Args:
        recording: the frames.
        given: (C, 4, 4) poses, of which the first is used.
        progress: is called with the stage and the share done.

    Raises:
        InputError: names the camera that sees nothing move, or nothing as another sees it.
    """
    source, count = recording.source or "recording", len(given)
    seen: list[BodyMotions] = []
    for camera in range(count):
        piece = part(progress, camera / count, (camera + 1) / count)
        try:
            seen.append(body_motions(recording, camera, given[camera], piece))
        except InputError as error:
            raise InputError(
                f"{source}: camera {camera + 1} by itself does not see "
                f"how the robot moves: {error}. Place it where it sees two links or more that move"
            ) from error
    edges, reasons = [], []
    for first, second in combinations(range(count), 2):
        try:
            edges.append(Edge(first, second, hand_eye(seen[first], seen[second])))
        except InputError as error:
            reasons.append(f"cameras {first + 1} and {second + 1}: {error}")
    return _spanned(recording, given, edges, reasons)


def _spanned(recording: Recording, given: Array, edges: list[Edge], reasons: list[str]) -> Start:
    """The tree of best known pairs (Prim, 1957), and the poses along it."""
    source, poses, placed = recording.source or "recording", given.copy(), {0}
    chosen: list[Edge] = []
    while len(placed) < len(given):
        crossing = [edge for edge in edges if (edge.first in placed) != (edge.second in placed)]
        if not crossing:
            lost = [str(c + 1) for c in range(len(given)) if c not in placed]
            raise InputError(
                f"{source}: no body that camera {', '.join(lost)} sees moves as one of the others' "
                f"({'; '.join(reasons)}); accepted are cameras that all see the same links move. "
                "What helps: excitation one_joint, smaller steps, more frames, or a camera "
                "between these"
            )
        best = max(crossing, key=_least_known)
        chosen.append(best)
        if best.first in placed:
            poses[best.second] = poses[best.first] @ best.found.pose
            placed.add(best.second)
        else:
            poses[best.first] = poses[best.second] @ inverse(best.found.pose)
            placed.add(best.first)
    return Start(poses, tuple(chosen))


def _least_known(edge: Edge) -> float:
    """Information of the direction that is known worst."""
    scaled = edge.found.information * np.outer(UNIT, UNIT)
    return float(np.linalg.eigvalsh(scaled)[0])
