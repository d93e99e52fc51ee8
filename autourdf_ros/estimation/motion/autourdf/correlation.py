"""Compare how clusters move: the correlation matrix of AutoURDF, and its published variant."""

from __future__ import annotations

import numpy as np

from autourdf_ros.estimation.motion.network_options import NeuralOptions
from autourdf_ros.estimation.motion.networks.cluster_tracks import ClusterTracks
from autourdf_ros.geometry.arrays import Array
from autourdf_ros.geometry.rigid_motion import inverse


def correlation(tracks: ClusterTracks, size: float, options: NeuralOptions) -> Array:
    """Return distances (S, S) of clusters, summed over the frames.

    Lin et al., CVPR 2025, section 3.3. Of two clusters: the distance of their positions, over the
    size of the robot, and the angle (rad) between their orientations, each times its weight.
    Comparison `motions`, as in the published code: the same of what each did from one frame to the
    next.

    Args:
        tracks: of S clusters.
        size: diagonal of the robot's bounding box.
        options: the user's choices.
    """
    centres = tracks.positions
    rotations = tracks.poses[..., :3, :3]
    first = np.broadcast_to(np.eye(3), rotations[:1].shape)
    if options.comparison == "motions":
        centres = np.diff(centres, axis=0, prepend=tracks.centres[None])
        before = np.concatenate([first, rotations[:-1]])
        rotations = rotations @ np.swapaxes(before, -1, -2)
    apart = options.position * position_distances(centres) / size
    turned = options.orientation * np.array([_angles(frame) for frame in rotations])
    total: Array = (apart + turned).sum(axis=0)
    return total


def position_distances(positions: Array) -> Array:
    """Return distances (F, S, S) between positions (F, S, 3) of the same frame."""
    squared = (positions**2).sum(-1)
    products = positions @ np.swapaxes(positions, -1, -2)
    square = squared[..., :, None] + squared[..., None, :] - 2 * products
    return np.sqrt(np.maximum(square, 0.0))


def accumulated_motion(poses: Array) -> Array:
    """Return how far bodies (B,) went and turned by poses (F, B, 4, 4): translations plus rad."""
    steps = poses.copy()
    steps[1:] = poses[1:] @ inverse(poses[:-1])
    return np.linalg.norm(steps[..., :3, 3], axis=-1).sum(0) + _turns(steps[..., :3, :3]).sum(0)


def _angles(rotations: Array) -> Array:
    """Geodesic distances (S, S) in rad between rotations (S, 3, 3)."""
    flat = rotations.reshape(len(rotations), 9)
    return np.arccos(np.clip((flat @ flat.T - 1) / 2, -1.0, 1.0))


def _turns(rotations: Array) -> Array:
    """Angles (...) in rad of rotations (..., 3, 3)."""
    traces = np.trace(rotations, axis1=-2, axis2=-1)
    return np.arccos(np.clip((traces - 1) / 2, -1.0, 1.0))
