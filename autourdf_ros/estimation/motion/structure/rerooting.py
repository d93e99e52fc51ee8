"""Hang the tree on another body: of a robot whose base moves, on the one that turns least.

The body that turned least among those of the first frames may be another one than among those that
all frames separate: a base that was first taken for part of its shoulder is found later.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import breadth_first_order

from autourdf_ros.estimation.motion.fitting.articulation import Articulation, body_poses
from autourdf_ros.estimation.motion.fitting.frame_fit import States
from autourdf_ros.estimation.motion.fitting.tracking import Motion
from autourdf_ros.estimation.motion.structure.candidate_model import CandidateModel
from autourdf_ros.estimation.motion.structure.candidate_tree import CandidateTree
from autourdf_ros.geometry.arrays import Array
from autourdf_ros.geometry.rigid_motion import log_so3


def on_steadiest_body(candidate: CandidateModel, motion: Motion) -> tuple[CandidateModel, Motion]:
    """Reroot a candidate at the body that turns least in the inlier frames.

    Of the bodies that have points. Where the root was seen to stand still, or to shift with the
    whole frames, it stays.
    """
    if candidate.segmentation.root_motion != "turns":
        return candidate, motion
    turns = mean_turns(candidate, motion)
    seen = np.isin(np.arange(len(turns)), candidate.labels)
    root = int(np.where(seen, turns, np.inf).argmin())
    return (candidate, motion) if root == 0 else rerooted(candidate, motion, root)


def mean_turns(candidate: CandidateModel, motion: Motion) -> Array:
    """Return by how much (B,) every body turns from the reference, rad, in the inlier frames."""
    states, used = motion.states, motion.used
    poses = body_poses(candidate.model, states.values[used], states.base[used])
    turns: Array = np.linalg.norm(log_so3(poses[..., :3, :3]), axis=-1).mean(axis=0)
    return turns


def rerooted(candidate: CandidateModel, motion: Motion, root: int) -> tuple[CandidateModel, Motion]:
    """Hang a candidate on body `root` of its tree; every joint keeps its line and its values.

    A joint that is passed the other way turns about the opposite axis: from parent to child by
    exp(v S) is from child to parent by exp(-v S).
    """
    model = candidate.model
    bodies, joints, parents, flipped = _order(model.parents, root)
    place = np.empty_like(bodies)
    place[bodies] = np.arange(len(bodies))
    twists = np.where(flipped[:, None], -1.0, 1.0) * model.twists[joints]
    labels = np.where(candidate.labels >= 0, place[candidate.labels], -1)
    surface = candidate.surface

    def states(before: States) -> States:
        base = body_poses(model, before.values, before.base)[:, root]
        return States(before.values[:, joints], base)

    tree = candidate.tree
    turned = replace(
        candidate,
        model=Articulation(parents, twists, model.revolute[joints], model.anchors[joints]),
        surface=replace(surface, labels=place[surface.labels]),
        states=states(candidate.states),
        tree=CandidateTree(
            tree.bodies[bodies],
            parents,
            twists,
            tree.revolute[joints],
            tree.values[:, joints],
            tree.costs[joints],
            tree.margins[joints],
            tree.motors.of(joints),
        ),
        segmentation=replace(candidate.segmentation, root=int(tree.bodies[root])),
        labels=labels,
        expanded=None,
        pieces=tuple(candidate.pieces[body] for body in bodies) if candidate.pieces else (),
    )
    return turned, replace(motion, states=states(motion.states))


def _order(
    parents: NDArray[np.int64], root: int
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], NDArray[np.bool_]]:
    """Bodies (B,), parents first, and of the joints (J,) in the order of their new children.

    Their numbers, the places of their new parents, and whether they are passed the other way.
    """
    children = np.arange(1, len(parents) + 1)
    edges = coo_matrix((np.ones(len(parents)), (parents, children)), shape=(len(parents) + 1,) * 2)
    bodies, before = breadth_first_order(edges, root, directed=False)
    bodies = bodies.astype(np.int64)
    place = np.empty_like(bodies)
    place[bodies] = np.arange(len(bodies))
    above, below = before[bodies[1:]].astype(np.int64), bodies[1:]
    down = np.append(-1, parents)[below] == above
    return bodies, np.where(down, below, above) - 1, place[above], ~down
