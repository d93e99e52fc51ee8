"""Forward kinematics of a kinematic tree: motions, frames and poses of its links."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike, NDArray

from autourdf_ros.model.kinematic_tree import KinematicTree


def link_motions(tree: KinematicTree, values: ArrayLike) -> NDArray[np.float64]:
    """Return how every link moved since the reference configuration: see `KinematicTree.motions`.

    Args:
        tree: The tree.
        values: (..., J) joint values in the tree's order.

    Returns:
        (..., L, 4, 4) in the base frame, in the order of the tree's links.
    """
    return tree.motions(values)


def link_frames(tree: KinematicTree) -> NDArray[np.float64]:
    """Return the frame of every link at the reference configuration: (L, 4, 4), base frame.

    Its origin is the point of the joint that moves the link. With every joint at zero all frames
    are parallel to the base frame, so that the URDF needs no rotated origins. The root link's
    frame is the base frame.
    """
    origins = {joint.child: joint.point for joint in tree.joints}
    frames = np.tile(np.eye(4), (len(tree.links), 1, 1))
    to_zero = link_motions(tree, np.zeros(len(tree.joints)))[:, :3, :3]
    frames[:, :3, :3] = to_zero.swapaxes(1, 2)
    frames[:, :3, 3] = [origins.get(link, np.zeros(3)) for link in tree.links]
    return frames


def link_poses(tree: KinematicTree, values: ArrayLike) -> NDArray[np.float64]:
    """Return the pose of every link's frame: (..., L, 4, 4), base frame, for (..., J) values."""
    return link_motions(tree, values) @ link_frames(tree)


def configuration(tree: KinematicTree, values: Mapping[str, float]) -> NDArray[np.float64]:
    """Return joint values (J,) in the tree's order; joints not named stand at their reference."""
    return np.array([values.get(joint.name, joint.reference) for joint in tree.joints], float)
