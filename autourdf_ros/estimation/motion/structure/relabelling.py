"""Label points anew: which link a point is on, by how a model moves its links."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from autourdf_ros.estimation.motion.fitting.adjustment import Adjustment
from autourdf_ros.estimation.motion.fitting.articulation import Articulation, body_poses
from autourdf_ros.estimation.motion.fitting.frame_fit import States
from autourdf_ros.estimation.motion.fitting.surface import assign_points, surface_of
from autourdf_ros.estimation.motion.fitting.surface_comparison import KeySurface
from autourdf_ros.estimation.motion.registration.deformation_graph import neighbour_graph
from autourdf_ros.estimation.motion.registration.frame_set import FrameSet
from autourdf_ros.estimation.motion.registration.point_costs import point_costs
from autourdf_ros.estimation.motion.segmentation.labelling import drop_specks, smooth_labels
from autourdf_ros.estimation.motion.structure.candidate_model import CandidateModel
from autourdf_ros.estimation.motion.structure.expansion.greedy_expansion import LEAST_POINTS
from autourdf_ros.geometry.arrays import Labels
from autourdf_ros.geometry.rigid_motion import inverse

JUDGES = 8  # frames that determine which link a key frame's point is on
KEY_GATE = 3.0  # point spacings


def relabelled(frames: FrameSet, candidate: CandidateModel, adjusted: Adjustment) -> CandidateModel:
    """Return the candidate as adjusted, every point on the link whose motion explains it best.

    The joints now determine how links move where their own points did not.

    Args:
        frames: the reference and the frames of the adjustment.
        candidate: the candidate that was adjusted.
        adjusted: its adjustment.
    """
    labels = labels_by(frames, candidate.labels, adjusted.model, adjusted.states)
    surface = surface_of(frames.reference, labels)
    return replace(candidate, model=adjusted.model, surface=surface, labels=labels)


def labels_by(frames: FrameSet, labels: Labels, model: Articulation, states: States) -> Labels:
    """Return the links (N,) whose motions explain the points best.

    A link that would lose its points keeps what it had, which keeps no other link from getting its
    own: a robot of many links has one that is small.

    Args:
        frames: the reference and F frames.
        labels: (N,) link of every point until now, -1 none.
        model: the joints.
        states: of the frames.
    """
    poses = body_poses(model, states.values, states.base)
    costs = frames.point_costs(labels, poses, model.parents)
    found = drop_specks(smooth_labels(costs, frames.neighbours), frames.neighbours, LEAST_POINTS)
    had = np.bincount(labels[labels >= 0], minlength=poses.shape[1]) > 0
    kept = np.zeros(len(had), dtype=bool)
    while True:
        sizes = np.bincount(found[found >= 0], minlength=len(had))
        lost = had & ~kept & (sizes < LEAST_POINTS)
        if not lost.any():
            return found
        kept |= lost
        found = np.where((labels >= 0) & kept[labels], labels, found)


def key_surfaces(
    frames: FrameSet, candidate: CandidateModel, adjusted: Adjustment, chosen: Sequence[int]
) -> list[KeySurface]:
    """Return what the chosen frames show, every point on the link whose motion explains it best.

    Args:
        frames: the reference and the frames of the adjustment.
        candidate: the candidate that was adjusted.
        adjusted: its adjustment.
        chosen: numbers of the key frames; all of them and some frames between judge a point.
    """
    poses = body_poses(adjusted.model, adjusted.states.values, adjusted.states.base)
    clouds = frames.frames
    judges = np.unique([*chosen, *np.linspace(0, len(clouds) - 1, JUDGES).astype(int)])
    found: list[KeySurface] = []
    for key in chosen if len(judges) > 1 else ():
        cloud = clouds[key]
        labels = assign_points(candidate.surface, poses[key], cloud, KEY_GATE * cloud.spacing)
        others = judges[judges != key]
        relative = poses[others] @ inverse(poses[key])
        costs = point_costs(
            cloud, labels, [clouds[i] for i in others], relative, noise=frames.noise
        )
        neighbours = neighbour_graph(cloud.points, cloud.spacing)
        labels = drop_specks(smooth_labels(costs, neighbours), neighbours, LEAST_POINTS)
        found.append(KeySurface(surface_of(cloud, labels), key))
    return found
