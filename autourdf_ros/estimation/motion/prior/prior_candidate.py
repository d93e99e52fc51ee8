"""Begin the search from a robot that is known: its links and joints on the reference cloud."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import cKDTree

from autourdf_ros.errors import ReconstructionError
from autourdf_ros.estimation.motion.fitting.articulation import Articulation, body_poses
from autourdf_ros.estimation.motion.fitting.frame_fit import (
    ArticulatedSurface,
    BasePrior,
    States,
)
from autourdf_ros.estimation.motion.fitting.surface import LabelledSurface
from autourdf_ros.estimation.motion.fitting.tracking import Motion
from autourdf_ros.estimation.motion.prior.given_candidate import given_candidate
from autourdf_ros.estimation.motion.prior.prior_pose import PriorPose, find_pose
from autourdf_ros.estimation.motion.prior.prior_robot import PriorRobot
from autourdf_ros.estimation.motion.reconstruction import ReconstructionOptions
from autourdf_ros.estimation.motion.registration.deformation_graph import build_graph
from autourdf_ros.estimation.motion.registration.preparation import Prepared
from autourdf_ros.estimation.motion.registration.registration import FRAMES
from autourdf_ros.estimation.motion.registration.tracked_graph import tracking_noise
from autourdf_ros.estimation.motion.segmentation.root_body import RootMotion
from autourdf_ros.estimation.motion.structure.candidate_building import track_nodes_from
from autourdf_ros.estimation.motion.structure.candidate_model import CandidateModel
from autourdf_ros.estimation.motion.structure.expansion.greedy_expansion import LEAST_POINTS
from autourdf_ros.estimation.motion.structure.problem import Problem, relative_readings
from autourdf_ros.estimation.motion.structure.tracking.recording_tracking import track_recording
from autourdf_ros.geometry.arrays import Array, Labels
from autourdf_ros.geometry.point_cloud import Cloud, prepare_cloud
from autourdf_ros.geometry.rigid_motion import adjoint, revolute_twist, transform
from autourdf_ros.progress import Progress, part

LEAST_EXPLAINED = 0.7  # share of the reference's points, below which it shows another robot
GATE = 4.0  # point spacings from a link's surface within which a point is on it
EXPECTED_NOISE = 0.3  # point spacings, until the noise is measured
NO_WORSE = 1.03  # times the score of a root that moves freely, for one that is held


@dataclass(frozen=True)
class PriorStart:
    """Where a search begins.

    Attributes:
        problem: the recording, with the noise as measured by the candidate.
        candidate: the known links that the reference shows.
        lacking: names of links that it does not show, last ones, which are left out.
    """

    problem: Problem
    candidate: CandidateModel
    lacking: tuple[str, ...]


def start_from(
    prepared: Prepared, options: ReconstructionOptions, prior: PriorRobot, progress: Progress
) -> PriorStart:
    """Lay a known robot on the reference cloud, and measure noise and the root's motion by it.

    Args:
        prepared: the recording in engine units.
        options: the user's choices.
        prior: the robot.
        progress: is called with the stage and the share done.

    Raises:
        ReconstructionError: where the reference shows another robot, or one that stands elsewhere.
    """
    progress("prior", 0.0)
    reference = prepared.reference
    readings = prepared.readings[0][0] if options.use_readings else None
    model, surface = _scaled(prior, prepared)
    units = np.where(model.revolute, 1.0, 1 / prepared.scale)
    free = BasePrior(rotation=np.inf)
    target = ArticulatedSurface(model, surface, free, EXPECTED_NOISE * reference.spacing)
    pose = find_pose(target, reference, prior.moved_by(readings) * units)
    if pose.explained < LEAST_EXPLAINED:
        raise ReconstructionError(
            f"{prior.source}: explains {pose.explained:.0%} of the points of the first frame; "
            f"accepted are {LEAST_EXPLAINED:.0%}: it is another robot, stands elsewhere, or in "
            "another configuration"
        )
    candidate, lacking = _laid(prior, model, surface, pose, reference)
    motors, moved = relative_readings(prepared) if options.use_readings else ((), None)
    problem = Problem(prepared, options, motors, moved, EXPECTED_NOISE * reference.spacing)
    first = replace(prepared, sequences=prepared.sequences[:1], readings=prepared.readings[:1])
    one = Problem(first, options, (), None, problem.noise)
    candidate, motion = _with_root_motion(one, candidate, part(progress, 0.2, 1.0))
    noise = _noise(one, candidate, motion)
    return PriorStart(replace(problem, noise=noise), candidate, lacking)


def _scaled(prior: PriorRobot, prepared: Prepared) -> tuple[Articulation, LabelledSurface]:
    """Joints and surface in engine units."""
    old = prior.model
    anchors = (old.anchors - prepared.centre) / prepared.scale
    axes = np.where(old.revolute[:, None], old.twists[:, :3], old.twists[:, 3:])
    slides = np.concatenate([np.zeros_like(axes), axes], axis=1)
    twists = np.where(old.revolute[:, None], revolute_twist(axes, anchors), slides)
    points = (prior.points - prepared.centre) / prepared.scale
    shown = prepare_cloud(points)
    surface = LabelledSurface(
        points, prior.normals, shown.flatness, prior.labels, np.ones(len(points))
    )
    return Articulation(old.parents, twists, old.revolute, anchors), surface


def _laid(
    prior: PriorRobot,
    model: Articulation,
    surface: LabelledSurface,
    pose: PriorPose,
    reference: Cloud,
) -> tuple[CandidateModel, tuple[str, ...]]:
    """The candidate at the reference configuration, and the last links without points."""
    poses = body_poses(model, pose.values, pose.base)
    labels = _labels(surface, poses, reference)
    twists = np.einsum("jab,jb->ja", adjoint(poses[model.parents]), model.twists)
    kept = _shown(model, np.bincount(labels[labels >= 0], minlength=len(poses)))
    lacking = tuple(prior.links[body] for body in np.flatnonzero(~kept))
    number = np.full(len(poses) + 1, -1)  # the last stands for no link
    number[:-1][kept] = np.arange(kept.sum())
    joints = np.flatnonzero(kept[1:])
    candidate = given_candidate(
        reference,
        number[labels],
        number[model.parents[joints]],
        twists[joints],
        model.revolute[joints],
        "turns",
    )
    return candidate, lacking


def _labels(surface: LabelledSurface, poses: Array, reference: Cloud) -> Labels:
    """The link (N,) whose posed surface is next to each point, -1 where none is near."""
    moved = transform(poses[surface.labels], surface.points)
    distances, nearest = cKDTree(moved).query(reference.points)
    return np.where(distances < GATE * reference.spacing, surface.labels[nearest], -1)


def _shown(model: Articulation, counts: NDArray[np.int64]) -> NDArray[np.bool_]:
    """(B,) which links have points, or have links beyond them that have."""
    kept = counts >= LEAST_POINTS
    kept[0] = True
    for joint in range(len(model.parents) - 1, -1, -1):
        if kept[joint + 1]:
            kept[model.parents[joint]] = True
    return kept


def _with_root_motion(
    problem: Problem, candidate: CandidateModel, progress: Progress
) -> tuple[CandidateModel, Motion]:
    """The candidate whose root moves no more than the frames need, and its motion in them."""
    tracked = []
    moves: tuple[RootMotion, ...] = ("still", "shifts", "turns")
    for number, move in enumerate(moves):
        own = replace(candidate, segmentation=replace(candidate.segmentation, root_motion=move))
        piece = part(progress, number / len(moves), (number + 1) / len(moves))
        tracked.append((own, track_recording(problem, own, piece)))
    least = min(motion.typical for _, motion in tracked)
    return next(one for one in tracked if one[1].typical <= NO_WORSE * least)


def _noise(problem: Problem, candidate: CandidateModel, motion: Motion) -> float:
    """The noise as a search measures it: by a deformation graph, here tracked from the candidate.

    All that the search decides is in units of it.
    """
    reference = problem.reference
    chosen = np.flatnonzero(motion.good)[1 : 1 + FRAMES]
    if not len(chosen):
        return problem.noise
    graph, _ = build_graph(reference.points, reference.spacing)
    states = States(motion.states.values[chosen], motion.states.base[chosen])
    clouds = problem.clouds(chosen)
    nodes = track_nodes_from(graph, reference, clouds, candidate, states)
    return tracking_noise(graph, reference, clouds, nodes.poses)
