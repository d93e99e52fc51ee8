"""The tree of links, and its joints, from the motions of clusters."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse.csgraph import breadth_first_order, minimum_spanning_tree

from autourdf_ros.estimation.common.joint_fit import fit_revolute, on_axes
from autourdf_ros.estimation.motion.autourdf.correlation import accumulated_motion
from autourdf_ros.estimation.motion.fitting.articulation import Articulation
from autourdf_ros.geometry.arrays import Array
from autourdf_ros.geometry.rigid_motion import inverse, skew, transform


@dataclass(frozen=True)
class LinkTree:
    """A tree of L links.

    Attributes:
        model: its joints.
        links: (L,) which link is which body of the model.
        values: (F, J) of the joints.
        base: (F, 4, 4) of the root link.
    """

    model: Articulation
    links: NDArray[np.int64]
    values: Array
    base: Array


def link_tree(points: Array, links: NDArray[np.int64], motions: Array, gaps: Array) -> LinkTree:
    """Build the tree of links that were close, its joints revolute.

    Lin et al., CVPR 2025, section 3.3. Its root is the link that moved least.

    Args:
        points: (N, 3) of the reference.
        links: (N,) the link of each.
        motions: (F, L, 4, 4) of the links from the reference.
        gaps: (L, L) distances of the links, accumulated over the frames: the tree is their minimum
            spanning tree.
    """
    count = motions.shape[1]
    middles = np.array([points[links == link].mean(axis=0) for link in range(count)])
    centred = motions.copy()
    centred[..., :3, 3] = transform(motions, middles) - middles
    root = int(accumulated_motion(centred).argmin())
    # A gap of zero would be no edge at all.
    spanning = minimum_spanning_tree(gaps + 1e-12 * (1 - np.eye(count)))
    order, before = breadth_first_order(spanning, root, directed=False)
    body = np.empty(count, dtype=np.int64)
    body[order] = np.arange(count)
    children, parents = order[1:], before[order[1:]]
    relative = inverse(motions[:, parents]) @ motions[:, children]
    metric = np.array([_displacement_metric(points[links == child]) for child in children])
    fit = fit_revolute(relative, np.broadcast_to(metric, (len(motions), *metric.shape)))
    revolute = np.ones(len(children), dtype=bool)
    anchors = on_axes(fit.twists, middles[children], revolute)
    model = Articulation(body[parents], fit.twists, revolute, anchors)
    return LinkTree(model, order, fit.values, motions[:, root])


def rigid_motions(
    points: Array, clusters: NDArray[np.int64], links: NDArray[np.int64], poses: Array
) -> Array:
    """Return the motions (F, L, 4, 4) of links: least squares over their points (Kabsch, 1976).

    Args:
        points: (N, 3) of the reference.
        clusters: (N,) of the points.
        links: (S,) of the clusters.
        poses: (F, S, 4, 4) of the clusters.
    """
    count = int(links.max()) + 1
    result = np.tile(np.eye(4), (len(poses), count, 1, 1))
    for link in range(count):
        own = links[clusters] == link
        before = points[own]
        after = transform(poses[:, clusters[own]], before)
        here, there = before.mean(axis=0), after.mean(axis=1)
        products = np.einsum("ni,fnj->fij", before - here, after - there[:, None])
        left, _, right = np.linalg.svd(products)
        right[:, 2] *= np.sign(np.linalg.det(left @ right))[:, None]
        turn = np.swapaxes(left @ right, -1, -2)
        result[:, link, :3, :3] = turn
        result[:, link, :3, 3] = there - turn @ here
    return result


def _displacement_metric(points: Array) -> Array:
    """Matrix (6, 6) by which a twist moves points (N, 3): mean squared displacement."""
    jacobian = np.concatenate(
        [-skew(points), np.broadcast_to(np.eye(3), (len(points), 3, 3))], axis=2
    )
    return np.einsum("nki,nkj->ij", jacobian, jacobian) / len(points)
