"""Make a candidate of links and joints that are given, with nothing known of how they move."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.estimation.common.rigid_bodies import Bodies
from autourdf_ros.estimation.motion.fitting.articulation import Articulation
from autourdf_ros.estimation.motion.fitting.frame_fit import States
from autourdf_ros.estimation.motion.fitting.surface import surface_of
from autourdf_ros.estimation.motion.segmentation.root_body import RootMotion
from autourdf_ros.estimation.motion.segmentation.segmented_bodies import Segmentation
from autourdf_ros.estimation.motion.structure.candidate_model import CandidateModel, joint_anchors
from autourdf_ros.estimation.motion.structure.candidate_tree import CandidateTree, MotorFits
from autourdf_ros.geometry.arrays import Array, Labels
from autourdf_ros.geometry.point_cloud import Cloud


def given_candidate(
    reference: Cloud,
    labels: Labels,
    parents: Labels,
    twists: Array,
    revolute: NDArray[np.bool_],
    moves: RootMotion,
) -> CandidateModel:
    """Return the candidate in the reference frame alone, where every value is 0.

    Args:
        reference: cloud of N points.
        labels: (N,) link of every point, -1 none.
        parents: (J,) link that each joint hangs on, before its child j + 1.
        twists: (J, 6) unit screw axes at the reference configuration.
        revolute: (J,) bool, else prismatic.
        moves: how the root may move.
    """
    count = len(parents)
    states = States(np.zeros((1, count)), np.eye(4)[None])
    tree = CandidateTree(
        np.arange(count + 1),
        parents,
        twists,
        revolute,
        states.values,
        np.zeros(count),
        np.full(count, np.inf),
        MotorFits(np.full(count, -1), np.ones(count), np.zeros(count)),
    )
    unseen = Bodies(
        np.tile(np.eye(4), (1, count + 1, 1, 1)),
        np.zeros((1, count + 1, 6, 6)),
        np.ones((1, count + 1)),
    )
    anchors = joint_anchors(reference.points, labels, parents, twists, revolute)
    return CandidateModel(
        Articulation(parents, twists, revolute, anchors),
        surface_of(reference, labels),
        states,
        tree,
        Segmentation(labels, unseen, 0, moves, (), ()),
        labels,
    )
