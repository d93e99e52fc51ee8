"""Find bodies, tree and joints: first in early frames, then all over, while that fits better."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from autourdf_ros.errors import ReconstructionError
from autourdf_ros.estimation.common.rigid_bodies import Noise
from autourdf_ros.estimation.motion.fitting.articulation import body_poses
from autourdf_ros.estimation.motion.fitting.frame_fit import States
from autourdf_ros.estimation.motion.fitting.spread_frames import spread_frames, travels
from autourdf_ros.estimation.motion.fitting.surface import surface_of
from autourdf_ros.estimation.motion.fitting.tracking import Motion, recovered
from autourdf_ros.estimation.motion.reconstruction import ReconstructionOptions
from autourdf_ros.estimation.motion.registration.deformation_graph import (
    DeformationGraph,
    build_graph,
    neighbour_graph,
)
from autourdf_ros.estimation.motion.registration.early_frames import Track, track_early_frames
from autourdf_ros.estimation.motion.registration.graph_tracking import (
    node_bodies,
    size_of,
    track_sequence,
    tracking_noise,
)
from autourdf_ros.estimation.motion.registration.point_labels import own_costs
from autourdf_ros.estimation.motion.registration.preparation import Prepared
from autourdf_ros.estimation.motion.segmentation.root_body import RootMove
from autourdf_ros.estimation.motion.structure.candidate_model import (
    CandidateModel,
    candidate_by_expansion,
    candidate_by_merging,
    node_pieces,
    without_needless_joint,
)
from autourdf_ros.estimation.motion.structure.candidates.extending import (
    joints_between,
    with_intermediate_links,
    with_links,
)
from autourdf_ros.estimation.motion.structure.candidates.lost_track_candidates import (
    with_lost_tracks_recovered,
)
from autourdf_ros.estimation.motion.structure.candidates.motor_candidates import with_motor_links
from autourdf_ros.estimation.motion.structure.candidates.residual_candidates import (
    MovedModel,
    Scene,
    with_residual_links,
)
from autourdf_ros.estimation.motion.structure.jumps import without_jumps
from autourdf_ros.estimation.motion.structure.problem import Problem, relative_readings
from autourdf_ros.estimation.motion.structure.recording_tracking import track_recording
from autourdf_ros.estimation.motion.structure.refinement import refined
from autourdf_ros.estimation.motion.structure.relabelling import labels_by
from autourdf_ros.estimation.motion.structure.rerooting import on_steadiest_body
from autourdf_ros.estimation.motion.structure.trimming import trimmed
from autourdf_ros.geometry.point_cloud import Cloud
from autourdf_ros.progress import Progress, part
from autourdf_ros.stopwatch import Stopwatch

NODES = 150  # of the deformation graph at most
NODE_POINTS = 30  # at least, on average
ITERATIONS = 4  # after the first, as long as frames fit better than by the one before
BETTER, NO_WORSE = 0.99, 1.03  # times the mean score: of a further look, of the first of them
COMPLETE = 0.9  # share of frames that fit about as well as any when no more looks are needed
SECOND_FRAMES = 10  # spread over all, for the second look at the bodies
FIRST_STOP = 150.0  # chi-square per frame at which bodies are no longer merged
SECOND_STOPS = (180.0, 500.0, 60.0)  # with readings, until every motor has its joint
EXPLAINED = 0.93  # share of the points that links must explain that motors' readings tell
FIRST_EXPLAINED = 0.85  # the same at first, when small links are not looked for
SYSTEMATIC = 0.0  # least share of the random noise that is systematic


def initial_estimate(
    prepared: Prepared, options: ReconstructionOptions, progress: Progress
) -> tuple[Problem, CandidateModel]:
    """What is to go by, with the noise as measured in the early frames, and what these tell.

    Raises ReconstructionError where they show no joint, or cannot be tracked.
    """
    motors, readings = relative_readings(prepared) if options.use_readings else ((), None)
    reference = prepared.reference
    graph, neighbours = build_graph(reference.points, reference.spacing, _node_count(reference))
    early = track_early_frames(prepared, readings, _tracker(graph, reference, options), progress)
    random = tracking_noise(graph, reference, early.frames, early.poses)
    noise = Noise(random, SYSTEMATIC * random)
    problem = Problem(prepared, options, motors, readings, noise)
    pieces = node_bodies(graph, reference, early.frames, early.poses)
    progress("segmentation", 1.0)
    if early.readings is not None and options.links is None:
        expanded = candidate_by_expansion(
            graph,
            reference,
            early.frames,
            pieces,
            neighbours,
            noise=noise,
            readings=early.readings,
            metre=1 / prepared.scale,
            small_links=False,
        )
        if expanded is not None and expanded.explained > FIRST_EXPLAINED:
            return problem, refined(expanded, early.frames, early.readings, noise)
    candidate = candidate_by_merging(
        reference,
        early.frames,
        pieces,
        graph.nodes,
        graph.edges,
        neighbours,
        noise=noise,
        stop=FIRST_STOP,
        count=options.links,
    )
    if len(candidate.model.parents) == 0:
        raise ReconstructionError(
            "all that was seen moves as one rigid body; accepted are recordings in which at least "
            "one joint moves visibly"
        )
    return problem, refined(candidate, early.frames, None, noise)


def _tracker(graph: DeformationGraph, reference: Cloud, options: ReconstructionOptions) -> Track:
    if options.registration == "neural":
        # Only now what takes seconds to import, and may not be installed.
        from autourdf_ros.estimation.motion.networks.network_tracking import track_by_networks

        return lambda frames, report: track_by_networks(
            graph, reference, frames, options.neural, report
        )
    size = size_of(reference.points)
    return lambda frames, report: track_sequence(graph, reference, frames, size, report)


def iterate_estimate(
    problem: Problem, first: CandidateModel, watch: Stopwatch, progress: Progress
) -> tuple[CandidateModel, Motion]:
    """The best hypothesis that looks all over the recording find, and its motion there."""
    with watch.stage("tracking"):
        motion = track_recording(problem, first, part(progress, 0.0, 0.4))
    best, best_motion = first, motion
    for look in range(ITERATIONS):
        piece = part(progress, 0.4 + 0.6 * look / ITERATIONS, 0.4 + 0.6 * (look + 1) / ITERATIONS)
        with watch.stage("segmentation"):
            piece("segmentation", 0.0)
            candidates = _second_iteration(problem, best, best_motion)
        with watch.stage("tracking"):
            found, motion = _carried(problem, candidates, part(piece, 0.3, 0.8))
        most = (BETTER if look else NO_WORSE) * best_motion.scores.mean()
        if motion.scores.mean() > most:
            break
        best, best_motion = found, motion
        if best_motion.good.mean() > COMPLETE or best.expanded is not None:
            break
    with watch.stage("segmentation"):
        if problem.options.links is None and best.expanded is None:
            best, best_motion = _completed(problem, best, best_motion)
        if problem.options.links is None:
            best, best_motion = trimmed(problem, best, best_motion)
            best, best_motion = with_motor_links_added(problem, best, best_motion)
        best_motion = with_lost_tracks_recovered(problem, best, best_motion)
        return on_steadiest_body(best, without_jumps(problem, best, best_motion))


def with_motor_links_added(
    problem: Problem, candidate: CandidateModel, motion: Motion
) -> tuple[CandidateModel, Motion]:
    """The hypothesis with the round links that motors turn which have no joint, and its motion."""
    if problem.readings is None or not candidate.unmatched_motors(problem.readings.shape[1]):
        return candidate, motion
    return _completed(problem, candidate, motion, by_motors=True)


def _node_count(reference: Cloud) -> int:
    return max(2, min(NODES, len(reference.points) // NODE_POINTS))


def _carried(
    problem: Problem, candidates: Sequence[CandidateModel], progress: Progress
) -> tuple[CandidateModel, Motion]:
    """The first candidate and its motion, or a later one's by which the frames fit better."""
    best = candidates[0]
    motion = track_recording(problem, best, part(progress, 0.0, 1 / len(candidates)))
    for i, other in enumerate(candidates[1:], start=1):
        piece = part(progress, i / len(candidates), (i + 1) / len(candidates))
        found = track_recording(problem, other, piece)
        if found.scores.mean() < BETTER * motion.scores.mean():
            best, motion = other, found
    return best, motion


def _second_iteration(
    problem: Problem, candidate: CandidateModel, motion: Motion
) -> tuple[CandidateModel, ...]:
    """Hypotheses from frames all over the recording, whose states are already known.

    The second, if there is one, has chains in the place of joints that hardly explain a link in
    these frames. How a link moved by itself may be wrong in one of them, which a chain explains,
    too: all frames tell.
    """
    reference, options, noise = problem.reference, problem.options, problem.noise
    graph, neighbours = build_graph(reference.points, reference.spacing, _node_count(reference))
    chosen = spread_frames(motion, travels(motion, problem.readings), SECOND_FRAMES)
    frames, readings = problem.clouds(chosen), problem.readings_in(chosen)
    states = States(motion.states.values[chosen], motion.states.base[chosen])
    pieces = node_pieces(graph, reference, frames, candidate, states)
    root = RootMove(candidate.segmentation.root_motion, states.base, candidate.labels == 0)
    motors = 0 if readings is None else readings.shape[1]
    expanded: CandidateModel | None = None
    if readings is not None and options.links is None:
        for known in [candidate.expanded, None] if candidate.expanded is not None else [None]:
            found = candidate_by_expansion(
                graph,
                reference,
                frames,
                pieces,
                neighbours,
                noise=noise,
                readings=readings,
                metre=1 / problem.prepared.scale,
                known=known,
                root=root,
            )
            if found is None or found.explained <= EXPLAINED:
                continue
            if expanded is None or found.matched_count > expanded.matched_count:
                expanded = found
            if found.matched_count >= motors:
                break
    others = () if expanded is None else (refined(expanded, frames, readings, noise),)
    if expanded is not None and expanded.matched_count >= motors:
        return others
    best: CandidateModel | None = None
    for stop in SECOND_STOPS[: None if readings is not None else 1]:
        found = candidate_by_merging(
            reference,
            frames,
            pieces,
            graph.nodes,
            graph.edges,
            neighbours,
            noise=noise,
            stop=stop,
            count=options.links,
            readings=readings,
            root=root,
        )
        if best is None or found.matched_count > best.matched_count:
            best = found
        if readings is not None and best.matched_count >= motors:
            break
    if best is None or len(best.model.parents) == 0:
        return others or (candidate,)
    result = refined(best, frames, readings, noise)
    while options.links is None and len(result.model.parents) > 1:
        simpler = without_needless_joint(reference, frames, result, noise=noise, readings=readings)
        if simpler is None:
            break
        result = refined(simpler, frames, readings, noise)
    if options.links is not None:
        return (result,)
    others = (*others, result)
    poses = body_poses(candidate.model, states.values, states.base)
    before = own_costs(reference, candidate.labels, frames, poses, noise=noise.total)
    longer = with_intermediate_links(
        reference,
        frames,
        result,
        neighbours,
        noise=noise,
        before=before,
        lengths=joints_between(candidate, result),
        readings=readings,
    )
    if longer is result:
        return others
    # Their joints were not adjusted yet when the new links were given points.
    longer = refined(longer, frames, readings, noise)
    labels = labels_by(
        reference, frames, longer.labels, longer.model, longer.states, neighbours, noise
    )
    longer = replace(longer, labels=labels, surface=surface_of(reference, labels))
    return *others, refined(longer, frames, readings, noise)


def _completed(
    problem: Problem, candidate: CandidateModel, motion: Motion, *, by_motors: bool = False
) -> tuple[CandidateModel, Motion]:
    """The hypothesis with the links that it lacks, and its motion.

    by_motors: only with those that motors turn which have no joint.
    """
    reference, owners = problem.reference, problem.owners
    chosen = np.flatnonzero(motion.used)
    chosen = chosen[chosen > 0]
    scene = Scene(
        reference,
        problem.clouds(chosen),
        [np.flatnonzero(owners[chosen] == number) for number in np.unique(owners[chosen])],
        neighbour_graph(reference.points, reference.spacing),
        problem.noise.total,
    )
    states = States(motion.states.values[chosen], motion.states.base[chosen])
    readings = problem.readings_in(chosen)
    add: Callable[[Scene, MovedModel], MovedModel] = with_residual_links
    if by_motors and readings is not None:
        unmatched = candidate.unmatched_motors(readings.shape[1])
        add = partial(with_motor_links, readings=readings[:, unmatched])
    larger = with_links(scene, candidate, states, add, readings=readings)
    if larger is candidate:
        return candidate, motion
    values = np.zeros((len(motion.used), len(larger.model.parents)))
    values[chosen] = larger.states.values
    known = replace(motion, states=States(values, motion.states.base))
    return larger, recovered(
        larger.model,
        larger.surface,
        problem.prepared.clouds,
        owners,
        known,
        size=size_of(reference.points),
        prior=larger.prior,
        noise=problem.noise.total,
    )
