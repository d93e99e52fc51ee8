"""Starting values of joints of every type, from the relative motion of two bodies.

Axes are principal directions of rotation vectors or paths, pivots solve (I - R) p = t. They need
not be exact: `mechanism_fit` refines them.
"""

from __future__ import annotations

import numpy as np

from autourdf_ros.estimation.common.joint_fit import across_basis
from autourdf_ros.estimation.video.joints.fitting.fitted_mechanism import Edge
from autourdf_ros.estimation.video.joints.fitting.lower_pairs import PairType
from autourdf_ros.estimation.video.joints.fitting.pair_motion import PairMotion
from autourdf_ros.estimation.video.joints.joints_options import JointsOptions
from autourdf_ros.geometry.arrays import Array
from autourdf_ros.geometry.rigid_motion import exp_se3, inverse, log_so3, transform

RIDGE = 1e-6  # share of the trace that regularises a pivot's free directions


def start_edges(pair: PairMotion, kind: PairType, options: JointsOptions) -> list[Edge]:
    """Return joints of a type from which to fit, the likeliest first.

    Args:
        pair: The relative motion.
        kind: Type of the joint; not free.
        options: Number of starts where symmetric bodies leave turns open.
    """
    relative = inverse(pair.seen.root) @ pair.seen.poses[0]
    home = relative[_middle(relative, pair)]
    if kind == "fixed":
        return [_edge(kind, np.eye(4), home, relative)]
    if kind == "spherical":
        return [_edge(kind, _frame(np.eye(3)[2], _centre(relative)), home, relative)]
    motions = relative @ inverse(home)
    path = transform(relative, pair.seen.centres[0])
    edges = []
    for axis in _axes(kind, motions, path, pair, options):
        point = path[0] if kind in ("prismatic", "planar") else _pivot(motions, axis)
        edges.append(_edge(kind, _frame(axis, point), home, relative))
    return edges


def _middle(relative: Array, pair: PairMotion) -> int:
    """Number of the frame nearest to the typical pose."""
    path = transform(relative, pair.seen.centres[0])
    away = np.linalg.norm(path - np.median(path, axis=0), axis=1) / pair.seen.size
    turned = np.linalg.norm(
        log_so3(np.swapaxes(relative[:1, :3, :3], 1, 2) @ relative[:, :3, :3]), axis=1
    )
    return int((away + np.abs(turned - np.median(turned))).argmin())


def _axes(
    kind: PairType, motions: Array, path: Array, pair: PairMotion, options: JointsOptions
) -> Array:
    """Directions (S, 3) to start from."""
    ways = path - np.median(path, axis=0)
    along = np.linalg.eigh(ways.T @ ways)[1]
    if kind == "prismatic":
        return along[:, 2][None]
    turns = log_so3(motions[:, :3, :3])
    axes = [np.linalg.eigh(turns.T @ turns)[1][:, 2]]
    if kind == "planar":
        axes.append(along[:, 0])
    symmetries = (pair.parent_symmetry, pair.seen.symmetries[0])
    if any(one.kind in ("axial", "spherical") for one in symmetries):
        axes += [along[:, 0], *_spread(options.starts)]
    return np.array(axes)


def _spread(count: int) -> Array:
    """Directions (count, 3) over the half sphere, along a spiral (Fibonacci)."""
    steps = (np.arange(count) + 0.5) / count
    turns = np.arange(count) * np.pi * (3 - np.sqrt(5))
    radii = np.sqrt(1 - steps**2)
    return np.stack([radii * np.cos(turns), radii * np.sin(turns), steps], axis=1)


def _pivot(motions: Array, axis: Array) -> Array:
    """Point (3,) on an axis about which motions (N, 4, 4) turn; slides along it do not count."""
    across = np.eye(3) - np.outer(axis, axis)
    left = across @ (np.eye(3) - motions[:, :3, :3])
    normal = np.einsum("nki,nkj->ij", left, left)
    normal += (RIDGE * np.trace(normal) + 1e-15) * np.eye(3)
    return np.linalg.solve(normal, np.einsum("nki,nk->i", left, motions[:, :3, 3] @ across))


def _centre(relative: Array) -> Array:
    """Point (3,) of the parent that a point of the child keeps meeting: p = R c + t."""
    left = np.concatenate(
        [np.broadcast_to(np.eye(3), (len(relative), 3, 3)), -relative[:, :3, :3]], axis=2
    )
    normal = np.einsum("nki,nkj->ij", left, left)
    normal += (RIDGE * np.trace(normal) + 1e-15) * np.eye(6)
    return np.linalg.solve(normal, np.einsum("nki,nk->i", left, relative[:, :3, 3]))[:3]


def _frame(axis: Array, point: Array) -> Array:
    """Pose (4, 4) at a point with z along an axis."""
    pose = np.eye(4)
    pose[:3, :3] = np.column_stack([*across_basis(axis), axis])
    pose[:3, 3] = point
    return pose


def _edge(kind: PairType, frame: Array, home: Array, relative: Array) -> Edge:
    """A joint at a frame in the parent, its values read off the relative poses."""
    placement = inverse(frame) @ home
    motions = nearest_motions(kind, inverse(frame) @ relative @ inverse(placement))
    return Edge(-1, 0, kind, frame, placement, motions)


def nearest_motions(kind: PairType, motions: Array) -> Array:
    """Return the motions (N, 4, 4) of a type's subgroup that are near to given ones."""
    result = np.tile(np.eye(4), (len(motions), 1, 1))
    if kind == "free":
        return motions
    if kind == "spherical":
        result[:, :3, :3] = motions[:, :3, :3]
    if kind in ("revolute", "cylindrical", "planar"):
        turns = np.zeros((len(motions), 6))
        turns[:, 2] = np.arctan2(
            motions[:, 1, 0] - motions[:, 0, 1], motions[:, 0, 0] + motions[:, 1, 1]
        )
        result = exp_se3(turns)
    if kind in ("prismatic", "cylindrical"):
        result[:, 2, 3] = motions[:, 2, 3]
    if kind == "planar":
        result[:, :2, 3] = motions[:, :2, 3]
    return result
