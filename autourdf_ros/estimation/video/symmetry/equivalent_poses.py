"""Poses of bodies modulo their symmetry: of all that look alike, the one that is nearest."""

from __future__ import annotations

import numpy as np

from autourdf_ros.estimation.video.pose_track import BodySymmetry, PoseTrack
from autourdf_ros.geometry.arrays import Array
from autourdf_ros.geometry.rigid_motion import exp_se3, from_translation, inverse


def nearest_equivalent(symmetry: BodySymmetry, poses: Array, wanted: Array) -> Array:
    """Return poses (..., 4, 4) that look like given ones, each turned least against a wanted one.

    Args:
        symmetry: Of the body; its centre keeps its place.
        poses: (..., 4, 4) of the body's frame.
        wanted: (..., 4, 4), as many.
    """
    if symmetry.kind == "none":
        return poses
    flat = poses.reshape(-1, 4, 4)
    relative = np.swapaxes(flat[:, :3, :3], 1, 2) @ wanted.reshape(-1, 4, 4)[:, :3, :3]
    turns = relative
    if symmetry.kind != "spherical":
        tried = np.array([_with_spin(relative, turn, symmetry) for turn in symmetry.rotations])
        agreement = np.einsum("rtij,tij->rt", tried, relative)
        best = agreement.argmax(axis=0)[None, :, None, None]
        turns = np.take_along_axis(tried, best, axis=0)[0]
    return np.asarray((flat @ _about_centre(turns, symmetry)).reshape(poses.shape))


def spun(poses: Array, turns: Array, symmetry: BodySymmetry) -> Array:
    """Return poses (T, 4, 4) turned by rotation vectors (T, 3) in the world that change no look.

    Of the turns only what the symmetry leaves open is applied.
    """
    if symmetry.kind not in ("axial", "spherical"):
        return poses
    own = np.einsum("tji,tj->ti", poses[:, :3, :3], turns)
    if symmetry.kind == "axial":
        own = np.outer(own @ symmetry.axis, symmetry.axis)
    rotations = exp_se3(np.hstack([own, np.zeros_like(own)]))[:, :3, :3]
    return poses @ _about_centre(rotations, symmetry)


def continuous_poses(track: PoseTrack) -> Array:
    """Return the poses (B, T, 4, 4) of a track, each as near as can be to the one seen before.

    What a symmetry leaves open then moves no more than it must: a capsule does not spin.
    """
    poses = track.poses.copy()
    for body, symmetry in enumerate(track.symmetries):
        frames = np.flatnonzero(track.seen[body])
        if symmetry.kind == "none" or not len(frames):
            continue
        last = poses[body, frames[0]]
        for frame in frames[1:]:
            last = nearest_equivalent(symmetry, poses[body, frame], last)
            poses[body, frame] = last
    return poses


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


def _with_spin(relative: Array, turn: Array, symmetry: BodySymmetry) -> Array:
    """Rotations (T, 3, 3): a listed one, behind the spin that brings it nearest to `relative`.

    The spin about u that maximises trace(S^T Q) has the tangent u . vee(Q - Q^T) over
    trace(Q) - u . Q u.
    """
    if symmetry.kind != "axial":
        return np.broadcast_to(turn, relative.shape)
    left = relative @ turn.T
    axis = symmetry.axis
    vee = np.stack(
        [
            left[:, 2, 1] - left[:, 1, 2],
            left[:, 0, 2] - left[:, 2, 0],
            left[:, 1, 0] - left[:, 0, 1],
        ],
        axis=1,
    )
    along = np.einsum("i,tij,j->t", axis, left, axis)
    angles = np.arctan2(vee @ axis, np.trace(left, axis1=1, axis2=2) - along)
    twists = np.hstack([np.outer(angles, axis), np.zeros((len(angles), 3))])
    return np.asarray(exp_se3(twists)[:, :3, :3] @ turn)


def _about_centre(rotations: Array, symmetry: BodySymmetry) -> Array:
    """Motions (T, 4, 4) in the body's frame: rotations about the symmetry's centre."""
    turn = np.tile(np.eye(4), (len(rotations), 1, 1))
    turn[:, :3, :3] = rotations
    centre = from_translation(np.asarray(symmetry.centre, float))
    return np.asarray(centre @ turn @ inverse(centre))
