"""Search all over for the screw along which a few points move, where nothing suggests it.

A patch is too small to be registered by itself. But where the motion of its parent and its joint's
values are known, only a line in space is not, and few of all lines explain where its points went.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.estimation.common.joint_fit import line_perturbations
from autourdf_ros.estimation.common.screw_chain import JointType
from autourdf_ros.estimation.motion.registration.point_costs import distance_costs
from autourdf_ros.geometry.arrays import Array
from autourdf_ros.geometry.point_cloud import Cloud
from autourdf_ros.geometry.rigid_motion import adjoint, exp_se3, revolute_twist
from autourdf_ros.geometry.sampling import farthest_point_indices

DIRECTIONS = 100  # of axes, where all are tried
AXIS_PLACES = 8
PRUNED = 0.5
PATCH_POINTS = 40  # of a patch that are tried
SCREWS_LEFT = 4
TURNS = np.radians((10.0, 10.0, 6.0, 4.0, 2.0, 1.0))  # by which screws are tried beside the best


@dataclass(frozen=True)
class Patch:
    """K points that a joint moves, in F frames.

    Attributes:
        points: (K, 3) in the reference frame.
        normals: (K, 3).
        frames: the frames.
        poses: (F, 4, 4) of the parent.
        values: (F,) of the joint.
        noise: standard deviation of a point along its normal (m).
    """

    points: Array
    normals: Array
    frames: Sequence[Cloud]
    poses: Array
    values: Array
    noise: float


def patch_of(
    reference: Cloud,
    members: NDArray[np.bool_],
    frames: Sequence[Cloud],
    poses: Array,
    values: Array,
    noise: float,
) -> Patch:
    """Return the patch of some points spread over its members.

    Args:
        reference: cloud of N points.
        members: (N,) which of them are the patch's.
        frames: F frames.
        poses: (F, 4, 4) of the parent.
        values: (F,) of the joint.
        noise: standard deviation of a point along its normal.
    """
    some = np.flatnonzero(members)
    some = some[farthest_point_indices(reference.points[some], PATCH_POINTS)]
    return Patch(reference.points[some], reference.normals[some], frames, poses, values, noise)


def search_screws(patch: Patch, kind: JointType, places: Array) -> tuple[Array, Array]:
    """Search the likeliest joints of a patch.

    All screws are tried in one frame, and ever fewer in the others; what is left is refined by
    trying screws beside it (pattern search).

    Args:
        patch: the patch.
        kind: type of the joint.
        places: (C, 3) through which axes are tried.

    Returns:
        Unit twists (H, 6) and their mean costs (H,).
    """
    twists = _screws(kind, places)
    # The frames in which the joint moved most show most.
    order = np.argsort(-np.abs(patch.values))
    costs = np.zeros(len(twists))
    for f in order:
        costs += _screw_costs(patch, twists, [f])
        left = np.argsort(costs)[: max(SCREWS_LEFT, int(len(costs) * PRUNED))]
        twists, costs = twists[left], costs[left]
    costs = costs / len(order)
    middle, spread = patch.points.mean(axis=0), patch.points.std(axis=0).max()
    for turn in TURNS:
        tried = _around(twists, middle, turn, turn * spread)
        found = _screw_costs(patch, tried.reshape(-1, 6), order)
        found = found.reshape(tried.shape[:2]) / len(order)
        best = found.argmin(axis=1)
        better = found.min(axis=1) < costs
        twists = np.where(better[:, None], tried[np.arange(len(twists)), best], twists)
        costs = np.where(better, found.min(axis=1), costs)
    return twists, costs


def axis_places(points: Array, members: NDArray[np.bool_], parent: NDArray[np.bool_]) -> Array:
    """Return places (C, 3) through which a patch's axis may go: its middle, and around.

    Args:
        points: (N, 3) of the reference.
        members: (N,) which of them are the patch's.
        parent: (N,) which of them are its parent's.
    """
    middle = points[members].mean(axis=0)
    size = np.sqrt(((points[members] - middle) ** 2).sum(axis=1).max())
    near = ((points - middle) ** 2).sum(axis=1) < (2 * size) ** 2
    around = points[(members | parent) & near]
    chosen = around[farthest_point_indices(around, AXIS_PLACES)]
    return np.concatenate([middle[None], (chosen + middle) / 2, chosen])


def _screw_costs(patch: Patch, twists: Array, frames: Sequence[int] | NDArray[np.int64]) -> Array:
    """Sum (H,) over some frames of the points' mean costs, if they move along twists (H, 6)."""
    costs = np.zeros(len(twists))
    for f in frames:
        motions = patch.poses[f] @ exp_se3(twists * patch.values[f])
        rotations = np.swapaxes(motions[:, :3, :3], 1, 2)
        moved = patch.points @ rotations + motions[:, None, :3, 3]
        turned = patch.normals @ rotations
        cost = distance_costs(
            patch.frames[f], moved.reshape(-1, 3), turned.reshape(-1, 3), patch.noise
        )
        costs += cost.reshape(moved.shape[:2]).mean(axis=1)
    return costs


def _around(twists: Array, place: Array, turn: float, shift: float) -> Array:
    """Unit twists (H, 8, 6), or (H, 4, 6) of slides, a little off unit twists (H, 6).

    Turned either way by `turn` (rad) about two axes through `place` (3,), and shifted (m).
    """
    revolute = np.linalg.norm(twists[:, :3], axis=1) > 0.5
    points = np.broadcast_to(place, (len(twists), 3))
    steps = line_perturbations(twists, points, revolute)[..., : 4 if revolute.all() else 2]
    sizes = np.array([turn, turn, shift, shift])[: steps.shape[-1]]
    moves = np.moveaxis(steps, -1, 1) * sizes[:, None]
    changes = adjoint(exp_se3(np.concatenate([moves, -moves], axis=1)))
    return np.einsum("hkij,hj->hki", changes, twists)


def _screws(kind: JointType, centres: Array) -> Array:
    """Unit twists (H, 6) all over the sphere of directions, through every centre if they turn."""
    # Fibonacci's sphere.
    steps = np.arange(DIRECTIONS) + 0.5
    height, angle = 1 - 2 * steps / DIRECTIONS, np.pi * (1 + 5**0.5) * steps
    flat = np.sqrt(1 - height**2)
    axes = np.stack([flat * np.cos(angle), flat * np.sin(angle), height], axis=1)
    if kind == "prismatic":
        return np.concatenate([np.zeros_like(axes), axes], axis=1)
    axes, places = np.repeat(axes, len(centres), axis=0), np.tile(centres, (len(axes), 1))
    return revolute_twist(axes, places)
