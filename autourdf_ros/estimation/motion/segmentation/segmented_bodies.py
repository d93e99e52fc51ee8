"""The bodies of a segmented reference cloud, and the elementary changes of them."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from autourdf_ros.estimation.common.rigid_bodies import Bodies
from autourdf_ros.estimation.motion.registration.frame_set import FrameSet
from autourdf_ros.estimation.motion.segmentation.labelling import smooth_labels
from autourdf_ros.estimation.motion.segmentation.root_body import RootMotion, held
from autourdf_ros.geometry.arrays import Array, Labels


@dataclass(frozen=True)
class Segmentation:
    """B rigid bodies on the reference cloud of N points.

    Attributes:
        labels: (N,) body of every point, -1 none.
        bodies: their motions and informations.
        root: number of the body that moves as the whole frames do.
        root_motion: how it moves.
        merged_costs: chi-square per frame of every merge, in their order.
        kept_costs: the same of the merges that were not made, ascending.
    """

    labels: Labels
    bodies: Bodies
    root: int
    root_motion: RootMotion
    merged_costs: tuple[float, ...]
    kept_costs: tuple[float, ...]

    @property
    def count(self) -> int:
        """Number of bodies."""
        return int(self.bodies.poses.shape[1])


def united(frames: FrameSet, found: Segmentation, pair: Labels) -> Segmentation:
    """Return the segmentation with a pair of bodies (2,) made one; the root stays the root."""
    keep, gone = (pair if pair[1] != found.root else pair[::-1]).tolist()
    owners = np.arange(found.count)
    owners[gone] = keep
    kept, owners = np.unique(owners, return_inverse=True)
    labels = np.where(found.labels >= 0, owners[found.labels], -1)
    return _refitted(frames, found, labels, found.bodies.poses[:, kept], int(owners[found.root]))


def without_body(
    frames: FrameSet, found: Segmentation, gone: int, costs: Array | None = None
) -> Segmentation:
    """Return the segmentation with the points of body `gone` given to the others.

    Bodies that lose all their points by it go, too, but never the root.

    Args:
        frames: the reference and the frames.
        found: the segmentation.
        gone: number of the body.
        costs: (N, B) of every point under every body (`point_costs`), where they are known.
    """
    if costs is None:
        costs = frames.point_costs(found.labels, found.bodies.poses)
    left = np.delete(np.arange(found.count), gone)
    smooth = smooth_labels(costs[:, left], frames.neighbours)
    given = np.where(smooth >= 0, left[smooth], -1)
    if not (given == found.root).any():
        given[found.labels == found.root] = found.root
    left = np.unique(given[given >= 0])
    labels = np.where(given >= 0, np.searchsorted(left, given), -1)
    root = int(np.searchsorted(left, found.root))
    return _refitted(frames, found, labels, found.bodies.poses[:, left], root)


def _refitted(
    frames: FrameSet, found: Segmentation, labels: Labels, poses: Array, root: int
) -> Segmentation:
    bodies = frames.refit(labels, poses, **held(root, found.root_motion))
    return replace(found, bodies=bodies, labels=labels, root=root)
