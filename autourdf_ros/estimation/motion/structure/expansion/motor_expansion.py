"""Expand a tree greedily, link by link from its root, by which motor explains which motion.

A link that is known lends its motion to what hangs on it: of what it does not explain, its child is
what one motor's readings explain with one twist. Where readings are known this needs six unknowns a
joint instead of six a body and frame, so that sliding along a surface, which is random, is no
motion of a joint.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from autourdf_ros.estimation.common.rigid_bodies import Bodies
from autourdf_ros.estimation.common.screw_chain import MotorStates, ScrewChain
from autourdf_ros.estimation.motion.registration.frame_set import FrameSet
from autourdf_ros.estimation.motion.registration.tracked_graph import TrackedGraph
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
    LEAST_POINTS,
    UNEXPLAINED,
    Expansion,
    ExpansionProblem,
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
from autourdf_ros.geometry.arrays import Array, Labels
from autourdf_ros.parallel import on_all_cores

SMALL_SAVING = 1.0  # least mean cost that a small link saves its points
UNLIKELY = 0.3  # times the best branch's quality, below which a branch is not tried


@dataclass(frozen=True)
class ExpandedTree:
    """A finished expansion.

    Attributes:
        chain: its joints.
        labels: (N,) body of every reference point, -1 none.
        bodies: motions of its links as their surfaces show them by themselves.
        root_motion: how the root moves.
    """

    chain: ScrewChain
    labels: Labels
    bodies: Bodies
    root_motion: RootMotion


def expand_by_motors(
    frames: FrameSet,
    tracked: TrackedGraph,
    *,
    readings: Array,
    metre: float,
    known: ExpandedTree | None = None,
    known_root: RootMove | None = None,
    small_links: bool = True,
) -> ExpandedTree | None:
    """Find links one after the other, from the root on.

    Args:
        frames: the reference and F frames.
        tracked: the deformation graph, tracked through them.
        readings: (F, M) of the motors, relative to the reference frame.
        metre: one metre in engine units.
        known: links from other frames, of which those are kept that explain these, too.
        known_root: how the frames move as a whole, where other frames determined it.
        small_links: whether to search links as well that the graph's nodes are too coarse for.

    Returns:
        The tree, or None where no root is seen, or a link takes all of it.
    """
    seed, move = find_root(frames, tracked.pieces, known_root)
    if not seed.any():
        return None
    pieces, root = with_root(frames, tracked.pieces, seed, move)
    base = pieces.bodies.poses[:, root]
    problem = ExpansionProblem(frames, tracked, MotorStates(readings, base), metre)
    if known is None:
        labels = np.where(seed[tracked.graph.nodes], 0, -1)
        expansion = relabelled(problem, ScrewChain(metre), labels)
    else:
        expansion = explained(problem, known.chain, known.labels, FOREIGN)
        # A joint that hangs in the wrong place explains by its ratio what it does not by its axis.
        while not (direct := expansion.chain.direct).all():
            expansion = without_joint(expansion, int(np.flatnonzero(~direct)[0]))
        expansion = settled(problem, expansion)
    while larger := _largest(problem, expansion, node_branches(problem, expansion)):
        expansion = larger
    # Small links never fit as well as large ones. With these known, what hardly follows one does
    # not follow another that is yet to be found.
    for candidates in (free_motors, coupled_motors) if small_links else ():
        while larger := _largest(
            problem,
            expansion,
            patch_branches(problem, expansion, candidates),
            FOREIGN,
            SMALL_SAVING,
        ):
            expansion = larger
    expansion = settled(problem, expansion)
    if np.count_nonzero(expansion.labels == 0) < LEAST_POINTS:
        return None
    free = frames.refit(expansion.labels, problem.poses(expansion.chain), **held(0, move.motion))
    return ExpandedTree(expansion.chain, expansion.labels, free, move.motion)


def _largest(
    problem: ExpansionProblem,
    expansion: Expansion,
    branches: list[Branch],
    unexplained: float = UNEXPLAINED,
    saving: float = 0.0,
) -> Expansion | None:
    """The expansion that explains most by one of the likeliest branches, once all took points.

    Only where the new link is worth it and leaves the others so: it may be a piece of one of them.
    None without any. saving: least mean cost that the link saves its points.
    """
    poor = np.append(needless_joints(expansion), False)
    likeliest = sorted(branches, key=lambda branch: -branch.quality)[:CANDIDATES]
    likeliest = [b for b in likeliest if b.quality >= UNLIKELY * likeliest[0].quality]
    expanded = on_all_cores(
        lambda branch: relabelled(problem, branch.chain, branch.labels, unexplained), likeliest
    )
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
