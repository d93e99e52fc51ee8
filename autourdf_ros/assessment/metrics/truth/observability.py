"""Observability of the true robot's joints in a recording."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.stats import chi2

from autourdf_ros.assessment.metrics.truth.body_points import BodyPoints, BodySurfaces
from autourdf_ros.assessment.metrics.truth.true_motion import TrueMotion, true_motion
from autourdf_ros.assessment.metrics.truth.truth import TrueModel
from autourdf_ros.data.frame import Recording
from autourdf_ros.data.load import load_recording
from autourdf_ros.errors import InputError
from autourdf_ros.geometry.rigid_motion import exp_se3, inverse, log_se3, transform
from autourdf_ros.model.urdf.simulated_robot import SimulatedRobot

FALSE_ALARM = 1e-3
"""Probability that noise alone passes for a motion."""

MAD_TO_SIGMA = 1.4826


@dataclass(frozen=True)
class JointVisibility:
    """The visibility of a joint's motion in a recording.

    Attributes:
        name: Of the joint.
        rise: Of the cost (chi-square) when the joint is frozen.
        threshold: That noise stays below.
        points: Of the child body, mean over the frames.
    """

    name: str
    rise: float
    threshold: float
    points: float

    @property
    def observable(self) -> bool:
        """Whether the motion exceeds the noise."""
        return self.rise > self.threshold


def joint_visibilities(recording: Recording, motion: TrueMotion) -> tuple[JointVisibility, ...]:
    """Return the visibility of every joint, from the truth and the recorded points alone.

    With the joint frozen, the motion of any body of the remaining robot, at the best constant
    displacement, can still explain the points of its child. The cost of an explanation is the rise,
    over all frames, of the points' squared distances from the true surface over the noise variance:
    motion along a surface (the spin of a cylinder) costs nothing. Explanations are ranked to first
    order (point to plane), and the cheapest one is measured on the surface. The joint is observable
    when this cost exceeds the chi-square quantile at 1 - `FALSE_ALARM`, with a degree of freedom
    for the joint's value in every frame but one.

    The noise is the recording's: 1.4826 times the median absolute distance of the points from the
    true surface.
    """
    surfaces = BodySurfaces(motion.robot.surfaces)
    poses = motion.poses
    attributed = [
        surfaces.attribute(frame.points, pose)
        for frame, pose in zip(recording.frames, poses, strict=True)
    ]
    variance = noise_level(attributed) ** 2
    threshold = float(chi2.ppf(1 - FALSE_ALARM, max(len(poses) - 1, 1)))
    parents = [0] + [joint.parent for joint in motion.robot.joints]
    visibilities = []
    for child, joint in enumerate(motion.robot.joints, start=1):
        own = _own_points(recording, attributed, poses, child)
        explanations = (
            _residual_motion(inverse(frozen) @ poses[:, child], own)
            for frozen in _frozen_poses(poses, child, parents)
        )
        cost, errors = min(explanations, key=lambda explanation: explanation[0])
        rise = min(cost, _surface_cost(errors, own, surfaces, child)) / variance
        count = sum(map(len, own.points)) / len(poses)
        visibilities.append(JointVisibility(joint.name, rise, threshold, count))
    return tuple(visibilities)


def observable_joints(truth_file: Path, truth: TrueModel, recording: Path) -> frozenset[str]:
    """Return the names of the true joints that a recording shows.

    Args:
        truth_file: The file of the truth.
        truth: Its content.
        recording: Path of the recording.

    Raises:
        InputError: The truth names no URDF, or the true motion is not known.
    """
    if truth.robot is None:
        raise InputError(f"{truth_file}: names no URDF file that exists; its meshes are needed")
    robot = SimulatedRobot(truth.robot.path)
    recorded = load_recording(recording)
    motion = true_motion(truth_file, robot, recorded)
    visibilities = joint_visibilities(recorded, motion)
    return frozenset(item.name for item in visibilities if item.observable)


def noise_level(attributed: Sequence[BodyPoints]) -> float:
    """Return the robust standard deviation (m) of the points from the true surface."""
    distances = np.concatenate([frame.distances for frame in attributed])
    return float(MAD_TO_SIGMA * np.nanmedian(np.abs(distances)))


@dataclass(frozen=True)
class _OwnPoints:
    """A body's points in its own frame, by frame of the recording.

    Attributes:
        points: (N, 3) by frame (m).
        distances: (N,) from its surface by frame (m).
        information: (F, 6, 6) of rows (p × n, n), the normal speeds of the points under a twist.
    """

    points: list[NDArray[np.float64]]
    distances: list[NDArray[np.float64]]
    information: NDArray[np.float64]


def _own_points(
    recording: Recording,
    attributed: Sequence[BodyPoints],
    poses: NDArray[np.float64],
    body: int,
) -> _OwnPoints:
    own = _OwnPoints([], [], np.zeros((len(poses), 6, 6)))
    for index, (frame, points) in enumerate(zip(recording.frames, attributed, strict=True)):
        chosen = points.labels == body
        rotation, origin = poses[index, body, :3, :3], poses[index, body, :3, 3]
        local, normals = (
            (frame.points[chosen] - origin) @ rotation,
            points.normals[chosen] @ rotation,
        )
        rows = np.concatenate([np.cross(local, normals), normals], axis=1)
        own.information[index] = rows.T @ rows
        own.points.append(local)
        own.distances.append(points.distances[chosen])
    return own


def _frozen_poses(
    poses: NDArray[np.float64], child: int, parents: Sequence[int]
) -> list[NDArray[np.float64]]:
    """Return (F, 4, 4) motions that could explain the child's points with its joint frozen.

    Bodies beyond the frozen joint move with its parent and with their own joints.
    """
    parent = parents[child]
    frozen_child = poses[:, parent] @ (inverse(poses[0, parent]) @ poses[0, child])
    motions = []
    for body in range(poses.shape[1]):
        pose = poses[:, body]
        if body == child or _is_beyond(body, child, parents):
            pose = frozen_child @ inverse(poses[:, child]) @ pose
        motions.append(pose @ (inverse(pose[0]) @ poses[0, child]))
    return motions


def _is_beyond(body: int, child: int, parents: Sequence[int]) -> bool:
    while body not in (0, child):
        body = parents[body]
    return body == child


def _residual_motion(
    errors: NDArray[np.float64], own: _OwnPoints
) -> tuple[float, NDArray[np.float64]]:
    """Return the least sum of squares (m²) of errors (F, 4, 4) from a constant, and residuals."""
    twists = log_se3(errors)
    weighted = np.einsum("fij,fj->fi", own.information, twists)
    total = own.information.sum(axis=0)
    constant = np.linalg.pinv(total, rcond=1e-9, hermitian=True) @ weighted.sum(axis=0)
    cost = np.einsum("fi,fi->", twists, weighted) - constant @ weighted.sum(axis=0)
    return float(cost), inverse(exp_se3(constant)) @ errors


def _surface_cost(
    errors: NDArray[np.float64], own: _OwnPoints, surfaces: BodySurfaces, body: int
) -> float:
    """Return the rise of the squared distances from the surface (m²) when the points move."""
    rises = [
        np.sum(surfaces.distances(body, transform(error, points)) ** 2) - np.sum(before**2)
        for error, points, before in zip(errors, own.points, own.distances, strict=True)
        if len(points)
    ]
    return float(np.sum(rises))
