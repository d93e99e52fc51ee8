"""Choose among the poses of a body that look the same."""

from __future__ import annotations

import numpy as np

from autourdf_ros.estimation.video.pose_track import BodySymmetry
from autourdf_ros.geometry.arrays import Array
from autourdf_ros.geometry.rigid_motion import skew


def nearest_equivalent(symmetry: BodySymmetry, pose: Array, reference: Array) -> Array:
    """Return the pose that looks like `pose` and is turned least against `reference`.

    Args:
        symmetry: Of the body.
        pose: (4, 4) of the body's frame.
        reference: (4, 4) of the body's frame.
    """
    turns = np.einsum("ji,jk->ik", reference[:3, :3], pose[:3, :3])
    found = [_free_part(symmetry, turns @ turn, turn) for turn in symmetry.rotations]
    best = found[int(np.argmax([np.trace(turns @ turn) for turn in found]))]
    return pose @ _about(symmetry.centre, best)


def _free_part(symmetry: BodySymmetry, against: Array, turn: Array) -> Array:
    """Return `turn` followed by the free rotation that leaves least of `against`."""
    if symmetry.kind == "spherical":
        return turn @ against.T
    if symmetry.kind == "axial":
        return turn @ _best_spin(against, symmetry.axis)
    return turn


def _best_spin(against: Array, axis: Array) -> Array:
    """Return the rotation about `axis` for which trace(against @ rotation) is largest.

    The trace is a^T M a + cos(t) (tr M - a^T M a) + sin(t) tr(M [a]x) (Rodrigues).
    """
    along = axis @ against @ axis
    cross = skew(axis)
    angle = np.arctan2(np.trace(against @ cross), np.trace(against) - along)
    return np.eye(3) + np.sin(angle) * cross + (1 - np.cos(angle)) * (cross @ cross)


def _about(centre: Array, rotation: Array) -> Array:
    pose = np.eye(4)
    pose[:3, :3] = rotation
    pose[:3, 3] = centre - rotation @ centre
    return pose


def free_turns(symmetry: BodySymmetry, rotation: Array) -> Array:
    """Return unit rotation axes (K, 3) about which no image shows a turn; K is 0, 1 or 3.

    Args:
        symmetry: Of the body.
        rotation: (3, 3) of the body's frame; the axes are in the frame that it leads to.
    """
    if symmetry.kind == "spherical":
        return np.eye(3)
    if symmetry.kind == "axial":
        return (rotation @ symmetry.axis)[None]
    return np.zeros((0, 3))
