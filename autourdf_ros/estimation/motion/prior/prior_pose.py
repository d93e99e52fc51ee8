"""Find the configuration in which a known robot stands in a cloud."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy.spatial import cKDTree

from autourdf_ros.estimation.motion.fitting.articulation import body_poses
from autourdf_ros.estimation.motion.fitting.frame_fit import ArticulatedSurface, States, fit_frame
from autourdf_ros.geometry.arrays import Array
from autourdf_ros.geometry.point_cloud import Cloud, size_of
from autourdf_ros.geometry.rigid_motion import transform
from autourdf_ros.parallel import on_all_cores

WIDEST = 0.1  # robot sizes, of the first kernel
ITERATIONS = 14
NEAR = 2.0  # point spacings from the posed surface within which a point is explained
EXPLAINED = 0.9  # share of the points from which on no other start is tried
SCATTERED = 24  # starts around the likeliest one (resource bound)
TURNED, SLID = np.radians(40.0), 0.05  # rad, robot sizes: standard deviations of these


@dataclass(frozen=True)
class PriorPose:
    """Where a robot stands.

    Attributes:
        values: (J,) of its joints, since the configuration that it is known in.
        base: (4, 4) pose of its root.
        explained: share of the cloud's points that its surface explains.
    """

    values: Array
    base: Array
    explained: float


def find_pose(target: ArticulatedSurface, cloud: Cloud, expected: Array) -> PriorPose:
    """Return the best configuration from several starts.

    The cloud's points are drawn to the surface, not the other way: a surface that no camera saw is
    in no cloud.

    Args:
        target: joints and surface of the robot; its prior allows the base to move.
        cloud: of one frame.
        expected: (J,) joint values, NaN where they are not known.
    """
    tried = [_fitted(target, cloud, start) for start in _likely(expected)]
    best = max(tried, key=lambda pose: pose.explained)
    if best.explained < EXPLAINED:
        starts = list(_scattered(target, best.values, expected))
        others = on_all_cores(lambda start: _fitted(target, cloud, start), starts)
        best = max((best, *others), key=lambda pose: pose.explained)
    return best


def _likely(expected: Array) -> Iterator[Array]:
    yield np.where(np.isnan(expected), 0.0, expected)
    if np.isfinite(expected).any():
        yield np.zeros(len(expected))


def _scattered(target: ArticulatedSurface, around: Array, expected: Array) -> Iterator[Array]:
    """Starts whose unknown values are off; what is read stays."""
    spread = np.where(target.model.revolute, TURNED, SLID)
    rng = np.random.default_rng(0)
    for _ in range(SCATTERED):
        drawn = around + spread * rng.normal(size=len(around))
        yield np.where(np.isnan(expected), drawn, expected)


def _fitted(target: ArticulatedSurface, cloud: Cloud, start: Array) -> PriorPose:
    size = size_of(cloud.points)
    gates = np.geomspace(WIDEST * size, cloud.spacing, ITERATIONS)
    states = States(start[None], np.eye(4)[None])
    states = fit_frame(target, cloud, states, gates=gates, directions="backward")
    poses = body_poses(target.model, states.values[0], states.base[0])
    moved = transform(poses[target.surface.labels], target.surface.points)
    distances = cKDTree(moved).query(cloud.points)[0]
    explained = float(np.mean(distances < NEAR * cloud.spacing))
    return PriorPose(states.values[0], states.base[0], explained)
