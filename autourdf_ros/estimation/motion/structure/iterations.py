"""Improve a candidate over the whole recording: track it, segment anew, while that fits better."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.estimation.motion.fitting.articulation import body_poses
from autourdf_ros.estimation.motion.fitting.frame_fit import States
from autourdf_ros.estimation.motion.fitting.spread_frames import spread_frames, travels
from autourdf_ros.estimation.motion.fitting.surface import surface_of
from autourdf_ros.estimation.motion.fitting.tracking import Motion
from autourdf_ros.estimation.motion.registration.deformation_graph import build_graph
from autourdf_ros.estimation.motion.registration.frame_set import FrameSet
from autourdf_ros.estimation.motion.registration.tracked_graph import TrackedGraph
from autourdf_ros.estimation.motion.segmentation.root_body import RootMove
from autourdf_ros.estimation.motion.structure.candidate_building import (
    candidate_by_expansion,
    candidate_by_merging,
    track_nodes_from,
)
from autourdf_ros.estimation.motion.structure.candidate_model import CandidateModel
from autourdf_ros.estimation.motion.structure.candidates.extending import (
    joints_between,
    with_intermediate_links,
)
from autourdf_ros.estimation.motion.structure.completion import (
    with_missing_links_added,
    with_motor_links_added,
    with_motors_matched,
)
from autourdf_ros.estimation.motion.structure.problem import Problem
from autourdf_ros.estimation.motion.structure.pruning.needless_joints import without_needless_joint
from autourdf_ros.estimation.motion.structure.pruning.trimming import trimmed
from autourdf_ros.estimation.motion.structure.refinement import refined
from autourdf_ros.estimation.motion.structure.relabelling import labels_by
from autourdf_ros.estimation.motion.structure.rerooting import on_steadiest_body
from autourdf_ros.estimation.motion.structure.scoring.decided_structure import decided
from autourdf_ros.estimation.motion.structure.scoring.recording_likelihood import (
    PosedState,
    RecordingLikelihood,
)
from autourdf_ros.estimation.motion.structure.tracking.recording_tracking import track_recording
from autourdf_ros.estimation.motion.structure.tracking.repaired_tracking import repaired
from autourdf_ros.geometry.arrays import Array
from autourdf_ros.parallel import on_all_cores
from autourdf_ros.progress import Progress, abreast, part
from autourdf_ros.stopwatch import Stopwatch

ITERATIONS = 4  # at most, as long as frames fit better than by the one before
BETTER, NO_WORSE = 0.99, 1.03  # times the mean score: of a later iteration, of the first one
COMPLETE = 0.9  # share of frames that fit about as well as any when no more iterations are needed
SPREAD_FRAMES = 10  # spread over all, in which bodies are found anew
STOPS = (180.0, 500.0, 60.0)  # chi-square per frame; with readings, until every motor has its joint
EXPLAINED = 0.93  # share of the points that links found by motors must explain


def iterate_estimate(
    problem: Problem, first: CandidateModel, watch: Stopwatch, progress: Progress
) -> tuple[CandidateModel, Motion]:
    """Improve a candidate by frames all over the recording.

    Every iteration tracks the candidate through all frames, and finds bodies, tree and joints anew
    in frames spread over them. The best one gets the links that it lacks, loses those that all
    frames do not need, and its motion is repaired where links or joints were lost.

    Args:
        problem: the recording and what is known of it.
        first: the initial estimate.
        watch: takes the seconds of the stages.
        progress: is called with the stage and the share done.

    Returns:
        The best candidate and its motion.
    """
    with watch.stage("tracking"):
        motion = track_recording(problem, first, part(progress, 0.0, 0.4))
    best, best_motion = first, motion
    for number in range(ITERATIONS):
        piece = part(
            progress, 0.4 + 0.5 * number / ITERATIONS, 0.4 + 0.5 * (number + 1) / ITERATIONS
        )
        with watch.stage("segmentation"):
            piece("segmentation", 0.0)
            candidates = _candidates_from_spread_frames(problem, best, best_motion)
        with watch.stage("tracking"):
            found, motion = _best_tracked(problem, candidates, part(piece, 0.3, 0.8))
        most = (BETTER if number else NO_WORSE) * best_motion.scores.mean()
        if motion.scores.mean() > most:
            break
        best, best_motion = found, motion
        if best_motion.good.mean() > COMPLETE or best.expanded is not None:
            break
    with watch.stage("segmentation"):
        return _completed(problem, best, best_motion, part(progress, 0.9, 1.0))


def complete_estimate(
    problem: Problem, first: CandidateModel, watch: Stopwatch, progress: Progress
) -> tuple[CandidateModel, Motion]:
    """Track a candidate that is known to be nearly right, and change what the frames speak against.

    Arguments and results are those of `iterate_estimate`.
    """
    with watch.stage("tracking"):
        motion = track_recording(problem, first, part(progress, 0.0, 0.4))
        chosen = spread_frames(motion, travels(motion, problem.readings), SPREAD_FRAMES)
        states = States(motion.states.values[chosen], motion.states.base[chosen])
        likelihood = RecordingLikelihood(
            problem.frame_set(chosen), problem.readings_in(chosen), problem.metre
        )
        adjusted = likelihood.settled(PosedState(first, states)).candidate
        motion = track_recording(problem, adjusted, part(progress, 0.4, 0.7))
    with watch.stage("segmentation"):
        adjusted = with_motors_matched(problem, adjusted, motion)
        return _completed(problem, adjusted, motion, part(progress, 0.7, 1.0))


def _completed(
    problem: Problem, candidate: CandidateModel, motion: Motion, progress: Progress
) -> tuple[CandidateModel, Motion]:
    """The candidate with the links that it lacks and without needless ones; its motion repaired."""
    if problem.options.links is None:
        candidate, motion = with_missing_links_added(problem, candidate, motion)
        candidate, motion = trimmed(problem, candidate, motion)
        candidate, motion = with_motor_links_added(problem, candidate, motion)
    motion = repaired(problem, candidate, motion)
    if problem.options.links is None:
        candidate, motion = decided(problem, candidate, motion, progress)
    return on_steadiest_body(candidate, motion)


def _best_tracked(
    problem: Problem, candidates: Sequence[CandidateModel], progress: Progress
) -> tuple[CandidateModel, Motion]:
    """The first candidate and its motion, or a later one's by which the frames fit better."""
    reports = abreast(progress, len(candidates))
    motions = on_all_cores(partial(track_recording, problem), candidates, reports)
    best, motion = candidates[0], motions[0]
    for other, found in zip(candidates[1:], motions[1:], strict=True):
        if found.scores.mean() < BETTER * motion.scores.mean():
            best, motion = other, found
    return best, motion


@dataclass(frozen=True)
class _SpreadFrames:
    """F frames spread over the recording, as a candidate was tracked through them.

    Attributes:
        frames: the reference and the frames.
        candidate: the candidate.
        states: its states in the frames.
        tracked: the graph's nodes, tracked anew from these.
        readings: (F, M) of the motors, if there are any.
        root: the root's motion and points by the candidate.
    """

    frames: FrameSet
    candidate: CandidateModel
    states: States
    tracked: TrackedGraph
    readings: Array | None
    root: RootMove

    @property
    def motor_count(self) -> int:
        """How many motors moved."""
        return 0 if self.readings is None else self.readings.shape[1]

    def refined(self, candidate: CandidateModel) -> CandidateModel:
        """A candidate with its joints adjusted to these frames."""
        return refined(candidate, self.frames.frames, self.readings, self.frames.noise)


def _spread_frames(problem: Problem, candidate: CandidateModel, motion: Motion) -> _SpreadFrames:
    reference = problem.reference
    graph, neighbours = build_graph(reference.points, reference.spacing)
    chosen: NDArray[np.int64] = spread_frames(
        motion, travels(motion, problem.readings), SPREAD_FRAMES
    )
    clouds = problem.clouds(chosen)
    states = States(motion.states.values[chosen], motion.states.base[chosen])
    return _SpreadFrames(
        FrameSet(reference, clouds, neighbours, problem.noise),
        candidate,
        states,
        TrackedGraph(graph, track_nodes_from(graph, reference, clouds, candidate, states)),
        problem.readings_in(chosen),
        RootMove(candidate.segmentation.root_motion, states.base, candidate.labels == 0),
    )


def _candidates_from_spread_frames(
    problem: Problem, candidate: CandidateModel, motion: Motion
) -> tuple[CandidateModel, ...]:
    """Candidates from frames all over the recording, whose states are already known.

    By the motors' readings, by merging, and with chains of joints in the place of those that hardly
    explain a link in these frames. How a link moved by itself may be wrong in one of them, which a
    chain explains, too: all frames decide.
    """
    links = problem.options.links
    spread = _spread_frames(problem, candidate, motion)
    expanded = None if links is not None else _by_motors(spread, 1 / problem.prepared.scale)
    others = () if expanded is None else (spread.refined(expanded),)
    if expanded is not None and expanded.matched_count >= spread.motor_count:
        return others
    merged = _by_merging(spread, links)
    if len(merged.model.parents) == 0:
        return others or (candidate,)
    result = spread.refined(merged)
    if links is not None:
        return (result,)
    while len(result.model.parents) > 1:
        simpler = without_needless_joint(spread.frames, result, readings=spread.readings)
        if simpler is None:
            break
        result = spread.refined(simpler)
    longer = _with_chains(spread, result)
    return (*others, result) if longer is None else (*others, result, longer)


def _by_motors(spread: _SpreadFrames, metre: float) -> CandidateModel | None:
    """The candidate by which most motors move a joint, if it explains enough of the points."""
    best: CandidateModel | None = None
    if spread.readings is None:
        return best
    before = spread.candidate.expanded
    for known in [before, None] if before is not None else [None]:
        found = candidate_by_expansion(
            spread.frames,
            spread.tracked,
            readings=spread.readings,
            metre=metre,
            known=known,
            root=spread.root,
        )
        if found is None or found.explained <= EXPLAINED:
            continue
        if best is None or found.matched_count > best.matched_count:
            best = found
        if found.matched_count >= spread.motor_count:
            break
    return best


def _by_merging(spread: _SpreadFrames, count: int | None) -> CandidateModel:
    """The candidate by merging at the first stop at which every motor has its joint, or most do."""
    stops = STOPS[: None if spread.readings is not None else 1]
    best: CandidateModel | None = None
    for stop in stops:
        found = candidate_by_merging(
            spread.frames,
            spread.tracked,
            stop=stop,
            count=count,
            readings=spread.readings,
            root=spread.root,
        )
        if best is None or found.matched_count > best.matched_count:
            best = found
        if spread.readings is not None and best.matched_count >= spread.motor_count:
            break
    assert best is not None
    return best


def _with_chains(spread: _SpreadFrames, found: CandidateModel) -> CandidateModel | None:
    """The candidate with chains of joints where one joint hardly explains a link, or None."""
    frames, before = spread.frames, spread.candidate
    poses = body_poses(before.model, spread.states.values, spread.states.base)
    longer = with_intermediate_links(
        frames,
        found,
        before=frames.own_costs(before.labels, poses),
        lengths=joints_between(before, found),
        readings=spread.readings,
    )
    if longer is found:
        return None
    # Their joints were not adjusted yet when the new links were given points.
    longer = spread.refined(longer)
    labels = labels_by(frames, longer.labels, longer.model, longer.states)
    longer = replace(longer, labels=labels, surface=surface_of(frames.reference, labels))
    return spread.refined(longer)
