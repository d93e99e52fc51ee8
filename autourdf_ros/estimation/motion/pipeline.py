"""The engine: from a recording to a robot model.

1. Track a deformation graph through the first frames.
2. Find bodies, tree and joints in them.
3. Carry this model through all frames, in joint space.
4. Find bodies, tree and joints anew, from frames all over the recording that fit it, and the links
   in between that no surface shows; again, while that makes more frames fit. Then the links that
   even this leaves unexplained, and without those that all frames together do not need.
   All this by motion alone; again by the motors' readings, where that leaves a motor without joint.
5. Adjust everything at once, to all frames but some, without joints that even this leaves unmoved;
   match the motors; say how sure all this is, by how well the model explains the frames that were
   held out, too.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from threadpoolctl import threadpool_limits

from autourdf_ros.data.frame import Recording
from autourdf_ros.data.recording_digest import recording_digest
from autourdf_ros.data.validate import validate
from autourdf_ros.estimation.common.estimator import Estimate, provenance
from autourdf_ros.estimation.motion.adjustment.final_adjustment import FinalModel, adjust_finally
from autourdf_ros.estimation.motion.fitting.tracking import Motion
from autourdf_ros.estimation.motion.networks.device import check_device
from autourdf_ros.estimation.motion.reconstruction import Reconstruction, ReconstructionOptions
from autourdf_ros.estimation.motion.registration.preparation import Prepared, prepare
from autourdf_ros.estimation.motion.result.model_building import build_reconstruction
from autourdf_ros.estimation.motion.structure.candidate_model import CandidateModel
from autourdf_ros.estimation.motion.structure.problem import Problem
from autourdf_ros.estimation.motion.structure.structure_search import search_structure
from autourdf_ros.estimation.motion.structure.trimming import without_unmoved_joint
from autourdf_ros.estimation.motion.uncertainty.structure_confidence import Structure, examine
from autourdf_ros.model.layers.layer import Provenance
from autourdf_ros.model.self_model import SelfModel
from autourdf_ros.progress import Progress, part, silent, staged
from autourdf_ros.stopwatch import Stopwatch


def reconstruct(
    recording: Recording,
    options: ReconstructionOptions | None = None,
    progress: Progress = silent,
) -> Reconstruction:
    """Reconstruct the robot seen in a recording.

    Raises InputError where the recording cannot be used (see `validate`), ReconstructionError
    where no model explains it, and whatever `progress` raises to cancel.
    """
    options, watch = options or ReconstructionOptions(), Stopwatch()
    if options.method == "autourdf" or options.registration == "neural":
        check_device(options.neural.device)
    with calm_blas():
        prepared = checked(recording, options, watch, progress)
        if options.method == "engine":
            return find(recording, prepared, options, watch, progress).reconstruction
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


def calm_blas() -> threadpool_limits:
    """In its context no threads run inside BLAS: the matrices are small, they would only wait."""
    return threadpool_limits(limits=1, user_api="blas")


@dataclass(frozen=True)
class Found:
    """A reconstruction, and what it came from."""

    reconstruction: Reconstruction
    problem: Problem
    motion: Motion
    final: FinalModel


def checked(
    recording: Recording,
    options: ReconstructionOptions,
    watch: Stopwatch,
    progress: Progress,
    before: Prepared | None = None,
) -> Prepared:
    """The recording checked and prepared; before: as it was prepared when it was shorter, if so.

    Raises InputError where it cannot be used (see `validate`).
    """
    progress("checking", 0.0)
    with watch.stage("preparation"):
        validate(recording)
        report = staged(part(progress, 0.0, 0.1), "preparing")
        return prepare(recording, options.points, report=report, before=before)


def find(
    recording: Recording,
    prepared: Prepared,
    options: ReconstructionOptions,
    watch: Stopwatch,
    progress: Progress,
) -> Found:
    """The robot seen in a recording that is `checked`. Raises as `reconstruct`."""
    problem, best, motion = search_structure(prepared, options, watch, part(progress, 0.1, 0.8))
    with watch.stage("adjustment"):
        progress("adjustment", 0.8)
        final = adjust_finally(problem, best, motion, part(progress, 0.8, 0.95))
        structure = examine(problem, final)
        while fewer := _with_unmoved_links_united(problem, final, motion, structure):
            final = adjust_finally(problem, *fewer, part(progress, 0.9, 0.95))
            motion, structure = fewer[1], examine(problem, final)
    with watch.stage("model"):
        progress("model", 0.95)
        result = build_reconstruction(recording, problem, motion, final, structure)
    progress("reconstructed", 1.0)
    result = replace(result, timings=dict(watch.seconds), provenance=_origin(recording, options))
    return Found(result, problem, motion, final)


def _with_unmoved_links_united(
    problem: Problem, final: FinalModel, motion: Motion, structure: Structure
) -> tuple[CandidateModel, Motion] | None:
    """The adjusted model and its motion with a joint less that did not move, if there is one."""
    if problem.options.links is not None:
        return None
    adjusted = replace(motion, states=final.states(motion))
    exists = structure.evidence.exists
    return without_unmoved_joint(problem, final.candidate, adjusted, exists)
