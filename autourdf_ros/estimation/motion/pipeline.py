"""The whole algorithm: from a recording to a robot model.

1. Prepare: clouds in engine units, with normals (`registration/preparation.py`).
2. Search the structure (`structure/structure_search.py`): an initial estimate from the early
   frames, which are registered (`registration/registration.py`) and segmented into rigid bodies
   (`segmentation/segmentation.py`), joined to a tree; then iterations that track it through all
   frames and find bodies and joints anew (`structure/iterations.py`). By the motors' readings
   first, and by motion alone where that leaves a motor without a joint.
3. Adjust everything at once, to all frames but those held out (`adjustment/model_adjustment.py`).
4. Assess the uncertainty (`uncertainty/uncertainty_assessment.py`); without joints of which
   nothing shows that they moved, adjust again.
5. Build the model, with its verdict (`result/model_building.py`).

A robot that is known beforehand takes the place of 2 (`prior/prior_candidate.py`): its links and
joints are laid on the reference and tracked. Where links or joints of a result are doubtful, the
structure is searched again, from more of the early frames, and the better result is kept: what the
first few frames make of a small link decides where the search ends.
"""

from __future__ import annotations

from dataclasses import replace

from autourdf_ros.data.frame import Recording
from autourdf_ros.data.recording_digest import recording_digest
from autourdf_ros.data.validate import validate
from autourdf_ros.errors import InputError, ReconstructionError
from autourdf_ros.estimation.common.estimator import Estimate, provenance
from autourdf_ros.estimation.motion.adjustment.model_adjustment import FinalModel, adjust_model
from autourdf_ros.estimation.motion.fitting.tracking import Motion
from autourdf_ros.estimation.motion.found import Found
from autourdf_ros.estimation.motion.head_start import HeadStart
from autourdf_ros.estimation.motion.networks.device import check_device
from autourdf_ros.estimation.motion.prior.prior_candidate import start_from
from autourdf_ros.estimation.motion.prior.prior_robot import PriorRobot
from autourdf_ros.estimation.motion.reconstruction import Reconstruction, ReconstructionOptions
from autourdf_ros.estimation.motion.registration.preparation import Prepared, prepare
from autourdf_ros.estimation.motion.registration.registration import FRAMES
from autourdf_ros.estimation.motion.result.model_building import build_reconstruction
from autourdf_ros.estimation.motion.sequence_tracks import SequenceTracks
from autourdf_ros.estimation.motion.structure.candidate_model import CandidateModel
from autourdf_ros.estimation.motion.structure.completion import unmatched_count
from autourdf_ros.estimation.motion.structure.iterations import complete_estimate
from autourdf_ros.estimation.motion.structure.problem import Problem
from autourdf_ros.estimation.motion.structure.scoring.likelier_candidate import is_likelier
from autourdf_ros.estimation.motion.structure.scoring.unfounded_joints import (
    without_unfounded_joint,
)
from autourdf_ros.estimation.motion.structure.sliding_joints import with_sliding_joint
from autourdf_ros.estimation.motion.structure.structure_search import (
    SearchResult,
    search_structure,
)
from autourdf_ros.estimation.motion.uncertainty.uncertainty_assessment import (
    ModelUncertainty,
    assess_uncertainty,
)
from autourdf_ros.model.layers.layer import Provenance
from autourdf_ros.model.self_model import SelfModel
from autourdf_ros.parallel import calm_blas
from autourdf_ros.progress import Progress, part, silent, staged
from autourdf_ros.stopwatch import Stopwatch

EARLY = FRAMES, 2 * FRAMES  # that the first search, and the one where that is doubtful, begin from
BETTER = "a search from {} early frames explains the recording better"
WORSE = "a search from {} early frames explains the recording worse"
BEGIN = 0.1, 0.6, 1.0  # shares of the progress of both searches


def reconstruct(
    recording: Recording,
    options: ReconstructionOptions | None = None,
    progress: Progress = silent,
    prior: PriorRobot | None = None,
    begun: HeadStart | None = None,
) -> Reconstruction:
    """Reconstruct the robot that a recording shows.

    Args:
        recording: the frames of the moving robot.
        options: the user's choices.
        progress: is called with the stage and the share done; what it raises cancels the work.
        prior: the robot as it is known beforehand; the engine begins from it.
        begun: what was done while the recording was being made; the result is the same without.

    Raises:
        InputError: where the recording cannot be used (see `validate`).
        ReconstructionError: where no model explains it.
    """
    options, watch = options or ReconstructionOptions(), Stopwatch()
    if options.prior is not None and prior is None:
        raise InputError(f"prior '{options.prior}': give the robot as well (`read_prior`)")
    if options.method == "autourdf" or options.registration == "neural":
        check_device(options.neural.device)
    with calm_blas():
        before = None if begun is None else begun.prepared_of(recording, options)
        prepared = prepare_recording(recording, options, watch, progress, before)
        if options.method == "engine":
            tracks = None if begun is None else begun.tracks_of(prepared)
            found = reconstruct_prepared(
                recording, prepared, options, watch, progress, prior, tracks
            )
            return found.reconstruction
        # Only now what takes seconds to import, and may not be installed.
        from autourdf_ros.estimation.motion.autourdf.method import reconstruct_by_autourdf

        result = reconstruct_by_autourdf(prepared, options, watch, part(progress, 0.1, 1.0))
        return replace(result, timings=dict(watch.seconds), provenance=_origin(recording, options))


def estimate(
    recording: Recording,
    model: SelfModel | None,
    options: ReconstructionOptions,
    progress: Progress,
) -> Estimate[Reconstruction]:
    """Find kinematics and shape from a recording, as an `Estimator`; it needs no model."""
    return reconstruct(recording, options, progress).estimate


def _origin(recording: Recording, options: ReconstructionOptions) -> Provenance:
    return provenance(f"motion/{options.method}", recording_digest(recording))


def prepare_recording(
    recording: Recording,
    options: ReconstructionOptions,
    watch: Stopwatch,
    progress: Progress,
    before: Prepared | None = None,
) -> Prepared:
    """Check a recording and prepare its frames.

    Args:
        recording: the frames.
        options: the user's choices.
        watch: takes the seconds of the stages.
        progress: is called with the stage and the share done.
        before: the recording as it was prepared when it was shorter, if it was.

    Raises:
        InputError: where it cannot be used (see `validate`).
    """
    progress("checking", 0.0)
    with watch.stage("preparation"):
        validate(recording)
        report = staged(part(progress, 0.0, 0.1), "preparing")
        return prepare(recording, options.points, report=report, before=before)


def reconstruct_prepared(
    recording: Recording,
    prepared: Prepared,
    options: ReconstructionOptions,
    watch: Stopwatch,
    progress: Progress,
    prior: PriorRobot | None = None,
    tracks: SequenceTracks | None = None,
    *,
    again: bool = True,
) -> Found:
    """Reconstruct the robot of a prepared recording.

    Args:
        recording: the frames.
        prepared: the same ones prepared (`prepare_recording`).
        options: the user's choices.
        watch: takes the seconds of the stages.
        progress: is called with the stage and the share done.
        prior: the robot as it is known beforehand.
        tracks: through early frames of the same recording, as far as there are any.
        again: whether a doubtful structure is searched again, which takes as long as the first.

    Raises:
        ReconstructionError: where no model explains the recording.
    """
    tracks = tracks or SequenceTracks(prepared.reference, options)
    found, notes = _begun(recording, prepared, options, watch, progress, prior)
    for number, early in enumerate(EARLY[: 2 if again else 1]):
        if found is not None and not found.reconstruction.structure_doubted:
            break
        if number and len(prepared.sequences[0]) - 1 <= EARLY[number - 1]:
            break  # there are no more early frames
        start, end = BEGIN[number : number + 2]
        share = part(progress, start, end)
        try:
            search = part(share, 0.0, 0.8)
            searched = search_structure(prepared, options, watch, search, early, tracks)
            if found is not None and unmatched_count(*searched) > found.unmatched:
                notes += (WORSE.format(early),)  # whatever it is adjusted to
                continue
            other = _concluded(recording, options, searched, watch, part(share, 0.8, 1.0))
        except ReconstructionError:
            if found is None:
                raise
            continue
        if found is not None:
            with watch.stage("comparison"):
                worse = _is_better(found, other)
            notes += ((WORSE if worse else BETTER).format(early),)
            other = found if worse else other
        found = other
    assert found is not None  # the first search raises where it finds none
    progress("reconstructed", 1.0)
    return found.with_notes(notes)


def _is_better(one: Found, other: Found) -> bool:
    """Whether one model explains the recording better than another.

    The readings of motors come first: a joint that follows no motor may fit a few points better
    without being one.
    """
    if one.unmatched != other.unmatched:
        return one.unmatched < other.unmatched
    return is_likelier(other.problem, one.adjusted, other.adjusted)


def _begun(
    recording: Recording,
    prepared: Prepared,
    options: ReconstructionOptions,
    watch: Stopwatch,
    progress: Progress,
    prior: PriorRobot | None,
) -> tuple[Found | None, tuple[str, ...]]:
    """What a known robot becomes by the frames, if they show it, and notes about it."""
    if prior is None:
        return None, ()
    try:
        with watch.stage("prior"):
            start = start_from(prepared, options, prior, part(progress, 0.1, 0.15))
        model = complete_estimate(start.problem, start.candidate, watch, silent)
        searched = (start.problem, *model)
        found = _concluded(recording, options, searched, watch, part(progress, 0.15, 0.2))
    except ReconstructionError as error:
        return None, (f"not begun from the prior: {error}",)
    notes: tuple[str, ...] = (f"begun from {prior.source}",)
    if start.lacking:
        notes += (f"the first frame does not show its {', '.join(start.lacking)}",)
    return found, notes


def _concluded(
    recording: Recording,
    options: ReconstructionOptions,
    searched: SearchResult,
    watch: Stopwatch,
    progress: Progress,
) -> Found:
    """The model of a search: adjusted to all frames, assessed and judged."""
    problem, best, motion = searched
    with watch.stage("adjustment"):
        progress("adjustment", 0.0)
        final = adjust_model(problem, best, motion, part(progress, 0.0, 0.75))
        uncertainty = assess_uncertainty(problem, final)
        while simpler := _simplified(problem, final, motion, uncertainty):
            final = adjust_model(problem, *simpler, part(progress, 0.5, 0.75))
            motion, uncertainty = simpler[1], assess_uncertainty(problem, final)
    with watch.stage("model"):
        progress("model", 0.75)
        result = build_reconstruction(recording, problem, motion, final, uncertainty)
    result = replace(result, timings=dict(watch.seconds), provenance=_origin(recording, options))
    return Found(result, problem, motion, final)


def _simplified(
    problem: Problem, final: FinalModel, motion: Motion, uncertainty: ModelUncertainty
) -> tuple[CandidateModel, Motion] | None:
    """The adjusted model and its motion with a simpler joint, or without an unfounded one."""
    adjusted, joints = replace(motion, states=final.states(motion)), uncertainty.joints
    if problem.options.links is None:
        fewer = without_unfounded_joint(problem, final.candidate, adjusted, joints.exists)
        if fewer is not None:
            return fewer
    return with_sliding_joint(problem, final.candidate, adjusted, joints.revolute)
