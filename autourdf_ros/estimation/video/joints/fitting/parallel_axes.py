"""Axes of a chain of joints that are held parallel: planar mechanisms have such axes.

A body's first joint has its axis at L^T z in the body, the next one at K z (`Edge`). Where the
next is held parallel to the first, K turns with L: with M = K^T L^T, M z = +-z, small turns are
d_K = -M d_L across the axis (the change of both axes in the body is the same).
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from autourdf_ros.estimation.video.joints.fitting.fitted_mechanism import Edge, constant_slices
from autourdf_ros.estimation.video.joints.fitting.lower_pairs import PAIRS, PairType
from autourdf_ros.geometry.arrays import Array
from autourdf_ros.geometry.rigid_motion import exp_se3

APART = 0.3  # rad: axes that differ by more are no candidates
TURNING: tuple[PairType, ...] = ("revolute", "cylindrical", "planar")  # about one axis

_Z = np.array([0.0, 0.0, 1.0])


def nearly_parallel(edges: tuple[Edge, ...]) -> tuple[int, ...]:
    """Return numbers of the joints whose axes are nearly parallel to that of the joint above.

    Only joints that turn about an axis count: a slide's is that of no turn of its child.

    Args:
        edges: Parents first.
    """
    above = {edge.child: edge for edge in edges}
    found = []
    for number, edge in enumerate(edges):
        other = above.get(edge.parent)
        if other is None or edge.kind not in TURNING or other.kind not in TURNING:
            continue
        if abs(float(edge.frame[:3, 2] @ other.placement[2, :3])) > np.cos(APART):
            found.append(number)
    return tuple(found)


def constants_basis(edges: tuple[Edge, ...]) -> Array:
    """Return directions (C, R), one a column, along which the constants of all joints may change.

    Args:
        edges: Parents first; axes that are held parallel are so (`aligned`).
    """
    slices = constant_slices(edges)
    count = slices[-1].stop if slices else 0
    basis, kept = np.eye(count), np.ones(count, bool)
    for edge, own in zip(edges, slices, strict=True):
        if not edge.parallel:
            continue
        number = _joint_above(edge, edges)
        above, pair = edges[number], PAIRS[edges[number].kind]
        first = slices[number].start + len(pair.placed)
        across = [first + pair.rest.index(i) for i in (0, 1)]
        change = (edge.frame[:3, :3].T @ above.placement[:3, :3].T)[:2, :2]
        rows = own.start + np.arange(2)  # `placed` begins with turns about x and y
        basis[np.ix_(rows, across)] = -change
        kept[rows] = False
    return basis[:, kept]


def aligned(edges: tuple[Edge, ...]) -> tuple[Edge, ...]:
    """Return the joints, the axes of those that are held parallel turned to those above them."""
    result: list[Edge] = []
    for edge in edges:
        if edge.parallel:
            above = edges[_joint_above(edge, edges)]
            wanted = edge.frame[:3, :3].T @ above.placement[2, :3]
            wanted *= np.sign(wanted[2]) or 1.0
            across = np.cross(_Z, wanted)
            size = float(np.linalg.norm(across))
            twist = np.zeros(6)
            twist[:3] = across * (np.arctan2(size, wanted[2]) / size if size > 0 else 0.0)
            edge = replace(edge, frame=edge.frame @ exp_se3(twist[None])[0])
        result.append(edge)
    return tuple(result)


def _joint_above(edge: Edge, edges: tuple[Edge, ...]) -> int:
    """Number of the joint that moves a joint's parent."""
    return next(number for number, one in enumerate(edges) if one.child == edge.parent)
