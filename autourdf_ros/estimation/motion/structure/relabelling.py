"""Which link a point is on, judged anew by how a model moves its links."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from autourdf_ros.estimation.common.rigid_bodies import Noise
from autourdf_ros.estimation.motion.fitting.adjustment import Adjustment, KeySurface
from autourdf_ros.estimation.motion.fitting.articulation import Articulation, body_poses
from autourdf_ros.estimation.motion.fitting.frame_fit import States
from autourdf_ros.estimation.motion.fitting.surface import assign_points, surface_of
from autourdf_ros.estimation.motion.registration.deformation_graph import neighbour_graph
from autourdf_ros.estimation.motion.registration.point_labels import (
    drop_specks,
    point_costs,
    smooth_labels,
)
from autourdf_ros.estimation.motion.structure.candidate_model import CandidateModel
from autourdf_ros.estimation.motion.structure.expansion.greedy_expansion import LEAST_POINTS
from autourdf_ros.geometry.point_cloud import Cloud
from autourdf_ros.geometry.rigid_motion import inverse

JUDGES = 8  # frames that tell which link a key frame's point is on
KEY_GATE = 3.0  # point spacings


def relabelled(
    reference: Cloud,
    frames: list[Cloud],
    candidate: CandidateModel,
    adjusted: Adjustment,
    neighbours: csr_matrix,
    *,
    noise: Noise,
) -> CandidateModel:
    """The hypothesis as adjusted, with every point given to the link whose motion explains it best.

    frames: those of `adjusted`. The joints now say how links move where their own points did not.
    """
    labels = labels_by(
        reference, frames, candidate.labels, adjusted.model, adjusted.states, neighbours, noise
    )
    surface = surface_of(reference, labels)
    return replace(candidate, model=adjusted.model, surface=surface, labels=labels)


def labels_by(
    reference: Cloud,
    frames: list[Cloud],
    labels: NDArray[np.int64],
    model: Articulation,
    states: States,
    neighbours: csr_matrix,
    noise: Noise,
) -> NDArray[np.int64]:
    """Links (N,) whose motions explain the points best; one that would lose its keeps what it had.

    That keeps no other link from getting its own: a robot of many links has one that is small.
    """
    poses = body_poses(model, states.values, states.base)
    costs = point_costs(reference, labels, frames, poses, noise=noise.total, parents=model.parents)
    found = drop_specks(smooth_labels(costs, neighbours), neighbours, LEAST_POINTS)
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
    candidate: CandidateModel,
    frames: list[Cloud],
    adjusted: Adjustment,
    chosen: Sequence[int],
    *,
    noise: Noise,
) -> list[KeySurface]:
    """What the chosen frames show, every point given to the link whose motion explains it best.

    frames: those of `adjusted`. A point is judged by all chosen frames and some between.
    """
    poses = body_poses(adjusted.model, adjusted.states.values, adjusted.states.base)
    judges = np.unique([*chosen, *np.linspace(0, len(frames) - 1, JUDGES).astype(int)])
    found: list[KeySurface] = []
    for key in chosen if len(judges) > 1 else ():
        cloud = frames[key]
        labels = assign_points(candidate.surface, poses[key], cloud, KEY_GATE * cloud.spacing)
        others = judges[judges != key]
        relative = poses[others] @ inverse(poses[key])
        costs = point_costs(cloud, labels, [frames[i] for i in others], relative, noise=noise.total)
        neighbours = neighbour_graph(cloud.points, cloud.spacing)
        labels = drop_specks(smooth_labels(costs, neighbours), neighbours, LEAST_POINTS)
        found.append(KeySurface(surface_of(cloud, labels), key))
    return found
