"""Clusters of two boxes of which one turns about a hinge, in two frames."""

import numpy as np

from autourdf_ros.estimation.motion.networks.cluster_tracks import ClusterTracks
from autourdf_ros.geometry.rigid_motion import exp_se3, revolute_twist

SIZE = 1.0
AXIS, PLACE = np.array([0.0, 0.6, 0.8]), np.array([0.5, 0.1, 0.0])
ANGLES = np.array([0.2, 0.4])


def hinge(scale=1.0):
    """Motions (2, 4, 4) of what hangs on the hinge."""
    return exp_se3(revolute_twist(AXIS, scale * PLACE) * ANGLES[:, None])


def tracks(rng, scale=1.0):
    """Ten clusters of each body, and the body (20,) of each: 0 stands, 1 turns."""
    links = np.repeat([0, 1], 10)
    centres = rng.uniform(0, 0.4, (20, 3)) + 0.6 * links[:, None] * (1, 0, 0)
    poses = np.tile(np.eye(4), (2, 20, 1, 1))
    poses[:, links == 1] = hinge(scale)[:, None]
    nothing = np.zeros(2)
    return ClusterTracks(scale * centres, poses, nothing, nothing.astype(int)), links
