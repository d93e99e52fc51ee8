"""Arrange the joints of a candidate anew: fewer of them, or on other links."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.estimation.common.joint_fit import on_axes
from autourdf_ros.estimation.motion.fitting.articulation import Articulation
from autourdf_ros.estimation.motion.fitting.frame_fit import States
from autourdf_ros.estimation.motion.fitting.surface import surface_of
from autourdf_ros.estimation.motion.structure.candidate_tree import CandidateTree, motor_fits
from autourdf_ros.estimation.motion.structure.scoring.recording_likelihood import PosedState
from autourdf_ros.geometry.arrays import Array, Labels
from autourdf_ros.geometry.point_cloud import Cloud
from autourdf_ros.geometry.rigid_motion import inverse, log_se3


def rearranged(
    reference: Cloud,
    state: PosedState,
    joints: NDArray[np.int64],
    parents: NDArray[np.int64],
    labels: Labels,
    pieces: Sequence[tuple[int, ...]] | None = None,
) -> PosedState:
    """Return a state with some of its joints, each on the link that is stated.

    A joint on another link keeps its axis, and moves its child as before as far as it can.

    Args:
        reference: cloud of N points.
        state: the state.
        joints: (K,) numbers of the joints that remain, in any order.
        parents: (K,) numbers, in the state, of the links that they hang on; all remain.
        labels: (N,) numbers, in the state, of the links of the points, -1 none; all remain.
        pieces: of every link of the state, where they change.
    """
    candidate, poses = state.candidate, state.poses
    old, tree = candidate.model, candidate.tree
    values = state.states.values[:, joints].copy()
    for place in np.flatnonzero(old.parents[joints] != parents).tolist():
        joint = joints[place]
        relative = log_se3(inverse(poses[:, parents[place]]) @ poses[:, joint + 1])
        moving = slice(0, 3) if old.revolute[joint] else slice(3, 6)
        values[:, place] = relative[:, moving] @ old.twists[joint, moving]
    order = parents_first(joints + 1, parents)
    joints, parents, values = joints[order], parents[order], values[:, order]
    bodies = np.concatenate([[0], joints + 1])
    known = candidate.pieces if pieces is None else pieces
    number = np.full(len(old.parents) + 2, -1)  # the last stands for no link
    number[0] = 0
    number[joints + 1] = np.arange(1, len(joints) + 1)
    labels, parents = number[labels], number[parents]
    model = Articulation(parents, old.twists[joints], old.revolute[joints], old.anchors[joints])
    changed = replace(
        candidate,
        model=model,
        surface=surface_of(reference, labels),
        states=replace(candidate.states, values=candidate.states.values[:, joints]),
        tree=CandidateTree(
            tree.bodies[bodies],
            parents,
            tree.twists[joints],
            tree.revolute[joints],
            tree.values[:, joints],
            tree.costs[joints],
            tree.margins[joints],
            tree.motors.of(joints),
        ),
        labels=labels,
        pieces=tuple(known[body] for body in bodies) if known else (),
    )
    return PosedState(changed, States(values, state.states.base))


@dataclass(frozen=True)
class JointChange:
    """Another joint of a link.

    Attributes:
        joint: its number.
        parent: number of the link that it is on.
        revolute: whether it turns, or slides.
        twist: (6,) unit screw axis at the reference configuration.
        values: (F,) in the frames.
    """

    joint: int
    parent: int
    revolute: bool
    twist: Array
    values: Array


def with_joint(
    reference: Cloud, state: PosedState, change: JointChange, readings: Array | None = None
) -> PosedState:
    """Return a state with another joint in the place of one.

    Args:
        reference: cloud of N points.
        state: the state.
        change: the joint.
        readings: (F, M) of the motors in the frames, if there are any: by these the joint's motor
            is matched anew.
    """
    candidate, joint = state.candidate, change.joint
    model = candidate.model
    twists, revolute = model.twists.copy(), model.revolute.copy()
    twists[joint], revolute[joint] = change.twist, change.revolute
    anchors = on_axes(twists, model.anchors, revolute)
    model = Articulation(model.parents, twists, revolute, anchors)
    parents = model.parents.copy()
    parents[joint] = change.parent
    tree = candidate.tree
    if readings is not None:
        motors = tree.motors.with_fit(joint, motor_fits(change.values[:, None], readings))
        tree = replace(tree, motors=motors)
    changed = PosedState(replace(candidate, model=model, tree=tree), state.states)
    moved = rearranged(reference, changed, np.arange(len(parents)), parents, candidate.labels)
    order = parents_first(np.arange(1, len(parents) + 1), parents)
    values = moved.states.values.copy()
    values[:, int(np.flatnonzero(order == joint)[0])] = change.values
    return PosedState(moved.candidate, States(values, moved.states.base))


def without_empty_ends(reference: Cloud, state: PosedState) -> PosedState:
    """Return a state without last links that have no points: nothing shows that they are there.

    Args:
        reference: cloud of N points.
        state: the state; the same one where it has none.
    """
    while True:
        candidate = state.candidate
        links = np.arange(1, len(candidate.model.parents) + 1)
        empty = ~np.isin(links, candidate.model.parents) & ~np.isin(links, candidate.labels)
        if not empty.any():
            return state
        joints = np.flatnonzero(~empty)
        pieces = list(candidate.pieces)
        for joint in np.flatnonzero(empty).tolist() if pieces else ():
            pieces[candidate.model.parents[joint]] += pieces[joint + 1]
        parents = candidate.model.parents[joints]
        state = rearranged(reference, state, joints, parents, candidate.labels, pieces or None)


def parents_first(children: NDArray[np.int64], parents: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return an order (K,) of joints in which no link comes before its parent.

    Args:
        children: (K,) links below the joints.
        parents: (K,) links above, each another's child or the root 0.
    """
    above = dict(zip(children.tolist(), parents.tolist(), strict=True))

    def depth(link: int) -> int:
        steps = 0
        while link != 0:
            link, steps = above[link], steps + 1
        return steps

    return np.argsort([depth(link) for link in children.tolist()], kind="stable")
