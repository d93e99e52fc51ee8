"""Search the structure: bodies, tree and joints, by the motors' readings and by motion alone.

The readings come first, where there are any: the motion of a small or round link may show only to
a search that knows how far it must have moved. Where a motor is left that turns no joint, or a
joint that follows none, the points' motion alone is searched as well, which relies on nothing else,
and what matches more motors is taken. With few frames for as many motors it is the other way round:
almost any screw may then follow some motor, and to try them takes minutes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from autourdf_ros.errors import ReconstructionError
from autourdf_ros.estimation.motion.fitting.tracking import Motion
from autourdf_ros.estimation.motion.reconstruction import ReconstructionOptions
from autourdf_ros.estimation.motion.registration.frame_set import FrameSet
from autourdf_ros.estimation.motion.registration.preparation import Prepared
from autourdf_ros.estimation.motion.registration.registration import FRAMES, register_early_frames
from autourdf_ros.estimation.motion.registration.tracked_graph import (
    TrackedGraph,
    node_bodies,
    tracking_noise,
)
from autourdf_ros.estimation.motion.sequence_tracks import SequenceTracks
from autourdf_ros.estimation.motion.structure.candidate_building import (
    candidate_by_expansion,
    candidate_by_merging,
)
from autourdf_ros.estimation.motion.structure.candidate_model import CandidateModel
from autourdf_ros.estimation.motion.structure.completion import (
    unmatched_count,
    with_motor_links_added,
    with_motors_matched,
)
from autourdf_ros.estimation.motion.structure.iterations import iterate_estimate
from autourdf_ros.estimation.motion.structure.problem import Problem, relative_readings
from autourdf_ros.estimation.motion.structure.refinement import refined
from autourdf_ros.estimation.motion.structure.tracking.motor_tracks import (
    with_joints_tracked_by_motors,
)
from autourdf_ros.progress import Progress, part
from autourdf_ros.stopwatch import Stopwatch

FRAMES_A_MOTOR = 2  # beyond which the search by readings comes first
BETTER = 0.99  # times the mean score by which as many motors are explained better
FIRST_STOP = 150.0  # chi-square per frame at which bodies are no longer merged
FIRST_EXPLAINED = 0.85  # share of the points that links found by motors must explain

SearchResult = tuple[Problem, CandidateModel, Motion]
Change = Callable[[Problem, CandidateModel, Motion], tuple[CandidateModel, Motion]]


def search_structure(
    prepared: Prepared,
    options: ReconstructionOptions,
    watch: Stopwatch,
    progress: Progress,
    early: int = FRAMES,
    tracks: SequenceTracks | None = None,
) -> SearchResult:
    """Search the candidate model that explains the recording best.

    Args:
        prepared: the recording in engine units.
        options: the user's choices; with a number of links, the search is by motion alone.
        watch: takes the seconds of the stages.
        progress: is called with the stage and the share done.
        early: frames that the search by motion alone begins from. With another number than the
            default the search by readings, which begins from the same ones always, is not repeated.
        tracks: through the early frames, of the same recording, as far as there are any.

    Returns:
        The problem, the best candidate, and its motion.

    Raises:
        ReconstructionError: where no model explains the recording.
    """
    tracks = tracks or SequenceTracks(prepared.reference, options)
    motors, readings = relative_readings(prepared) if options.use_readings else ((), None)
    if readings is None or options.links is not None:
        return _search(prepared, options, watch, progress, tracks, early, seeks_ends=True)
    alone = replace(options, use_readings=False)
    many = len(prepared.clouds) > FRAMES_A_MOTOR * len(motors)
    both = (options, alone) if many else (alone, options)
    searches = both if early == FRAMES else (alone,)
    best: SearchResult | None = None
    for number, own in enumerate(searches):
        share = part(progress, number / len(searches), (number + 1) / len(searches))
        try:
            problem, found, motion = _search(prepared, own, watch, share, tracks, early)
        except ReconstructionError:
            if best is None and own is searches[-1]:
                raise
            continue
        problem = replace(problem, options=options, motors=motors, readings=readings)
        if own is alone:
            found = with_motors_matched(problem, found, motion)
        result = _following(problem, found, motion, with_joints_tracked_by_motors, watch)
        if own is alone:  # the search by readings has added these itself
            result = _following(*result, with_motor_links_added, watch)
        if best is None or _matches_better(result, best):
            best = result
        if not unmatched_count(*best):
            break
    assert best is not None
    return best


def _following(
    problem: Problem, found: CandidateModel, motion: Motion, change: Change, watch: Stopwatch
) -> SearchResult:
    """What was found, changed where motors or joints are unmatched and fewer are so by that."""
    unmatched = unmatched_count(problem, found, motion)
    if not unmatched:
        return problem, found, motion
    found = with_motors_matched(problem, found, motion)
    with watch.stage("tracking"):
        changed = change(problem, found, motion)
    if unmatched_count(problem, *changed) < unmatched:
        found, motion = changed
    return problem, found, motion


def _matches_better(other: SearchResult, best: SearchResult) -> bool:
    """Whether fewer motors and joints are unmatched, or as many and all frames fit better."""
    others, own = unmatched_count(*other), unmatched_count(*best)
    better = other[2].scores.mean() < BETTER * best[2].scores.mean()
    return others < own or (others == own and bool(better))


def _search(
    prepared: Prepared,
    options: ReconstructionOptions,
    watch: Stopwatch,
    progress: Progress,
    tracks: SequenceTracks,
    early: int,
    *,
    seeks_ends: bool = False,
) -> SearchResult:
    """One search: an initial estimate from the early frames, then iterations over all frames."""
    with watch.stage("registration"):
        share = part(progress, 0.0, 0.35)
        problem, first = initial_estimate(prepared, options, share, early, tracks)
        problem = replace(problem, seeks_ends=seeks_ends)
    return problem, *iterate_estimate(problem, first, watch, part(progress, 0.35, 1.0))


def initial_estimate(
    prepared: Prepared,
    options: ReconstructionOptions,
    progress: Progress,
    count: int = FRAMES,
    tracks: SequenceTracks | None = None,
) -> tuple[Problem, CandidateModel]:
    """Estimate a first candidate from the early frames: register, segment, refine.

    Args:
        prepared: the recording in engine units.
        options: the user's choices.
        progress: is called with the stage and the share done.
        count: early frames, where there are no readings.
        tracks: through these frames, as far as there are any.

    Returns:
        The problem, with the noise as measured in these frames, and the candidate.

    Raises:
        ReconstructionError: where these frames show no joint, or cannot be registered.
    """
    motors, readings = relative_readings(prepared) if options.use_readings else ((), None)
    tracks = tracks or SequenceTracks(prepared.reference, options)
    reference, graph = tracks.reference, tracks.graph
    early = register_early_frames(prepared, readings, tracks.track, progress, count)
    noise = tracking_noise(graph, reference, early.frames, early.poses)
    problem = Problem(prepared, options, motors, readings, noise)
    frames = FrameSet(reference, early.frames, tracks.neighbours, noise)
    tracked = TrackedGraph(graph, node_bodies(graph, reference, early.frames, early.poses))
    progress("segmentation", 1.0)
    if early.readings is not None and options.links is None:
        expanded = candidate_by_expansion(
            frames,
            tracked,
            readings=early.readings,
            metre=1 / prepared.scale,
            small_links=False,
        )
        if expanded is not None and expanded.explained > FIRST_EXPLAINED:
            return problem, refined(expanded, early.frames, early.readings, noise)
    candidate = candidate_by_merging(frames, tracked, stop=FIRST_STOP, count=options.links)
    if len(candidate.model.parents) == 0:
        raise ReconstructionError(
            "all points move as one rigid body; a recording must show at least one joint that moves"
        )
    return problem, refined(candidate, early.frames, None, noise)
