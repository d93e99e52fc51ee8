"""Grow the robot link by link from its root, by which motor's readings explain which motion.

A link that is known lends its motion to what hangs on it: of what it does not explain, that is
its child which one motor's readings explain with one twist. Where readings are known this needs
six unknowns a joint instead of six a body and frame, so that sliding along a surface, which is
random, is no motion of a joint.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_matrix

from autourdf_ros.estimation.common.rigid_bodies import Bodies, Noise
from autourdf_ros.estimation.common.screw_chain import ScrewChain
from autourdf_ros.estimation.motion.registration.deformation_graph import DeformationGraph
from autourdf_ros.estimation.motion.registration.point_labels import refit_bodies
from autourdf_ros.estimation.motion.segmentation.root_body import (
    RootMotion,
    RootMove,
    find_root,
    held,
    with_root,
)
from autourdf_ros.estimation.motion.structure.expansion.branch import INDIRECT, Branch
from autourdf_ros.estimation.motion.structure.expansion.greedy_expansion import (
    FOREIGN,
    GATE,
    LEAST_POINTS,
    UNEXPLAINED,
    Expansion,
    Labels,
    Scene,
    explained,
    needless_joints,
    relabelled,
    settled,
    without_joint,
)
from autourdf_ros.estimation.motion.structure.expansion.node_branches import (
    CANDIDATES,
    free_motors,
    node_branches,
)
from autourdf_ros.estimation.motion.structure.expansion.patch_branches import (
    coupled_motors,
    patch_branches,
)
from autourdf_ros.geometry.arrays import Array
from autourdf_ros.geometry.point_cloud import Cloud

SMALL_SAVING = 1.0  # least mean cost that a small link saves its points
UNLIKELY = 0.3  # times the best branch's quality, below which one is not looked at


@dataclass(frozen=True)
class ExpandedTree:
    """A finished growth: its chain, and the body (N,) of every point, -1 none.

    bodies: motions of its links as their surfaces show them by themselves.
    """

    chain: ScrewChain
    labels: Labels
    bodies: Bodies
    root_motion: RootMotion


def expand_by_motors(
    reference: Cloud,
    frames: list[Cloud],
    pieces: Bodies,
    graph: DeformationGraph,
    neighbours: csr_matrix,
    *,
    noise: Noise,
    readings: Array,
    metre: float,
    known: ExpandedTree | None = None,
    known_root: RootMove | None = None,
    small_links: bool = True,
) -> ExpandedTree | None:
    """Find links one after the other, from the root on.

    pieces: the graph's nodes as they were tracked through F frames. readings: (F, M), relative to
    the reference frame. metre: in engine units. known: links from other frames, of which those are
    kept that explain these, too. known_root: how the frames move as a whole, where other frames
    have told. small_links: whether those are searched, too, that the graph's
    nodes are too coarse for. None where no root is seen, or a link takes all of it.
    """
    gate = GATE * reference.spacing
    seed, move = find_root(reference, frames, pieces, graph.nodes, noise, gate, known_root)
    if not seed.any():
        return None
    bodies, _, _, root = with_root(
        reference, frames, pieces, graph.nodes, graph.edges, seed, move, gate
    )
    scene = Scene(
        reference,
        frames,
        graph,
        neighbours,
        pieces,
        readings,
        bodies.poses[:, root],
        noise,
        metre,
    )
    if known is None:
        expansion = relabelled(scene, ScrewChain(metre), np.where(seed[graph.nodes], 0, -1))
    else:
        expansion = explained(scene, known.chain, known.labels, FOREIGN)
        # A joint that hangs in the wrong place explains by its ratio what it does not by its axis.
        while not (direct := expansion.chain.direct).all():
            expansion = without_joint(expansion, int(np.flatnonzero(~direct)[0]))
        expansion = settled(scene, expansion)
    while larger := _largest(scene, expansion, node_branches(scene, expansion)):
        expansion = larger
    # Small links never fit as well as large ones. With these known, what hardly follows one does
    # not follow another that is yet to be found.
    for candidates in (free_motors, coupled_motors) if small_links else ():
        while larger := _largest(
            scene, expansion, patch_branches(scene, expansion, candidates), FOREIGN, SMALL_SAVING
        ):
            expansion = larger
    expansion = settled(scene, expansion)
    if np.count_nonzero(expansion.labels == 0) < LEAST_POINTS:
        return None
    poses = expansion.chain.poses(readings, scene.base)
    free = refit_bodies(
        reference, expansion.labels, frames, poses, gate=gate, **held(0, move.motion)
    )
    return ExpandedTree(expansion.chain, expansion.labels, free, move.motion)


def _largest(
    scene: Scene,
    expansion: Expansion,
    branches: list[Branch],
    unexplained: float = UNEXPLAINED,
    saving: float = 0.0,
) -> Expansion | None:
    """The growth that explains most by one of the likeliest branches, once all took their points.

    Of those whose link is worth it and leaves the others so: it may be a piece of one of them.
    None without any. saving: least mean cost that the link saves its points.
    """
    poor = np.append(needless_joints(expansion), False)
    likeliest = sorted(branches, key=lambda branch: -branch.quality)[:CANDIDATES]
    likeliest = [b for b in likeliest if b.quality >= UNLIKELY * likeliest[0].quality]
    expanded = [relabelled(scene, branch.chain, branch.labels, unexplained) for branch in likeliest]
    worth = [
        larger
        for larger in expanded
        if not (needless_joints(larger) & ~poor).any()
        and larger.gains[-1] >= saving * np.count_nonzero(larger.labels == len(poor))
    ]
    return max(
        worth,
        key=lambda larger: (
            (larger.quality - expansion.quality) * (1.0 if larger.chain.direct[-1] else INDIRECT)
        ),
        default=None,
    )
