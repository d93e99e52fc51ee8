"""A candidate with a link that does not exist."""

from dataclasses import replace

import numpy as np

from autourdf_ros.estimation.motion.fitting.articulation import Articulation
from autourdf_ros.estimation.motion.fitting.frame_fit import States
from autourdf_ros.estimation.motion.fitting.surface import surface_of
from autourdf_ros.estimation.motion.structure.candidate_tree import CandidateTree
from autourdf_ros.geometry.rigid_motion import revolute_twist


def with_invented_link(candidate, motion, reference):
    """A tenth of the first link that turns a little about an axis of its own, as it likes."""
    model, tree = candidate.model, candidate.tree
    own = np.flatnonzero(candidate.labels == 1)
    heights = reference.points[own, 2]
    taken = own[heights < np.quantile(heights, 0.1)]
    labels = candidate.labels.copy()
    labels[taken] = len(model.parents) + 1
    middle = reference.points[taken].mean(axis=0)[None]
    twist = revolute_twist(np.array([[0.0, 0, 1]]), middle)
    turns = 0.01 * np.cos(np.arange(len(motion.used)))[:, None]
    turns[0] = 0.0
    parents, revolute = np.append(model.parents, 1), np.append(model.revolute, True)
    invented = replace(
        candidate,
        model=Articulation(
            parents,
            np.concatenate([model.twists, twist]),
            revolute,
            np.concatenate([model.anchors, middle]),
        ),
        surface=surface_of(reference, labels),
        states=replace(
            candidate.states,
            values=np.pad(candidate.states.values, ((0, 0), (0, 1))),
        ),
        tree=CandidateTree(
            np.append(tree.bodies, len(tree.bodies)),
            parents,
            np.concatenate([tree.twists, twist]),
            revolute,
            np.pad(tree.values, ((0, 0), (0, 1))),
            np.append(tree.costs, 1.0),
            np.array([1.0, 1.0, 1.0]),
            tree.motors.of(np.array([0, 1, 1])),
        ),
        labels=labels,
    )
    values = np.concatenate([motion.states.values, turns], axis=1)
    return invented, replace(motion, states=States(values, motion.states.base))
