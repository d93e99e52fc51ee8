"""From the adjusted articulation to the robot model, in metres, with names and uncertainty."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from autourdf_ros.data.frame import Recording
from autourdf_ros.estimation.motion.adjustment.model_adjustment import FinalModel
from autourdf_ros.estimation.motion.fitting.tracking import Motion
from autourdf_ros.estimation.motion.reconstruction import (
    ModelOrderStep,
    Reconstruction,
)
from autourdf_ros.estimation.motion.result.built_robot import (
    BuiltRobot,
    built_robot,
    reference_points,
)
from autourdf_ros.estimation.motion.result.corrected_cameras import (
    common_error,
    corrected_cameras,
)
from autourdf_ros.estimation.motion.result.notes import (
    common_error_notes,
    left_out_notes,
    mimic_notes,
    notes_on,
)
from autourdf_ros.estimation.motion.structure.candidate_model import CandidateModel
from autourdf_ros.estimation.motion.structure.problem import Problem
from autourdf_ros.estimation.motion.structure.scoring.decision_words import named
from autourdf_ros.estimation.motion.uncertainty.explained_points import explain
from autourdf_ros.estimation.motion.uncertainty.findings import (
    FrameFindings,
    JointFindings,
    LinkFindings,
    MotorFindings,
)
from autourdf_ros.estimation.motion.uncertainty.foreign_points import (
    foreign_points,
    places_that_move,
)
from autourdf_ros.estimation.motion.uncertainty.leaps import leaps_of
from autourdf_ros.estimation.motion.uncertainty.uncertainty_assessment import ModelUncertainty
from autourdf_ros.estimation.motion.uncertainty.verdict import judge
from autourdf_ros.model.self_model import SelfModel


def build_reconstruction(
    recording: Recording,
    problem: Problem,
    motion: Motion,
    final: FinalModel,
    structure: ModelUncertainty,
) -> Reconstruction:
    """Return the reconstruction in the recording's own units and frame.

    Args:
        recording: The frames.
        problem: The same, in engine units.
        motion: Of the model in all frames, before the adjustment.
        final: The adjusted model.
        structure: How sure it is.
    """
    prepared, candidate = problem.prepared, final.candidate
    robot = built_robot(recording, problem, motion, final, structure)
    names = [link.name for link in robot.links]
    costs, patches = explain(problem, final, robot.states, names)
    links = LinkFindings(
        costs,
        patches,
        _suspected(candidate, names),
        [(names[end.link], end.points) for end in structure.hidden],
    )
    warnings, verdict, structure_doubted = judge(
        _frame_findings(recording, problem, motion, final, robot),
        candidate.segmentation.root_motion,
        robot.base,
        _joint_findings(problem, motion, final, robot),
        links,
        MotorFindings(any(robot.motors.matches), robot.motors.unexplained),
    )
    together = common_error(prepared)
    return Reconstruction(
        model=SelfModel.of("robot", robot.links, robot.joints),
        motions=robot.motions,
        noise=final.fitted.adjustment.noise * prepared.scale,
        reference_points=reference_points(prepared),
        labels=candidate.labels,
        verdict=verdict,
        warnings=tuple(warnings),
        structure_doubted=structure_doubted,
        cameras=corrected_cameras(recording, prepared),
        common_error=together,
        model_order=_model_order(candidate),
        decisions=named(candidate.decisions, candidate.pieces, [f"{{{name}}}" for name in names]),
        options=problem.options,
        weak_directions=robot.weak,
        base=robot.base,
        notes=(
            *_notes_on_robot(candidate, structure, robot),
            *common_error_notes(together),
            *left_out_notes(recording.frame_names, motion.used),
        ),
        loops=robot.loops,
        link_costs=costs,
        patches=patches,
    )


def _frame_findings(
    recording: Recording, problem: Problem, motion: Motion, final: FinalModel, robot: BuiltRobot
) -> FrameFindings:
    model = final.fitted.adjustment.model
    clouds = problem.prepared.clouds
    return FrameFindings(
        recording.frame_names,
        motion.used,
        final.fitted.adjustment.noise,
        foreign_points(clouds, motion.used, robot.surface, model, robot.states),
        places_that_move(robot.surface),
    )


def _joint_findings(
    problem: Problem, motion: Motion, final: FinalModel, robot: BuiltRobot
) -> JointFindings:
    values, revolute = robot.values, final.fitted.adjustment.model.revolute
    return JointFindings(
        robot.joints,
        np.ptp(values[motion.used], axis=0),
        final.candidate.tree.margins,
        robot.weak,
        robot.loops,
        leaps_of(values, problem.owners, motion.used, revolute).tolist(),
    )


def _notes_on_robot(
    candidate: CandidateModel, structure: ModelUncertainty, robot: BuiltRobot
) -> tuple[str, ...]:
    names = [link.name for link in robot.links]
    notes = notes_on(
        robot.base,
        candidate.segmentation.root_motion,
        names[0],
        robot.loops,
        robot.motors.still,
        [names[link] for link in structure.round],
        [name for body, name in enumerate(names) if not (candidate.labels == body).any()],
    )
    return (*notes, *mimic_notes(robot.joints))


def _suspected(candidate: CandidateModel, links: Sequence[str]) -> tuple[str, ...]:
    """In words, what some frames speak for; `links` are the links' names."""
    quoted = [repr(name) for name in links]
    return tuple(one.change for one in named(candidate.suspected, candidate.pieces, quoted))


def _model_order(candidate: CandidateModel) -> tuple[ModelOrderStep, ...]:
    segmentation = candidate.segmentation
    kept = [ModelOrderStep(0, cost, False) for cost in segmentation.kept_costs]
    merged = [ModelOrderStep(0, cost, True) for cost in sorted(segmentation.merged_costs)]
    steps = [*merged, *kept]
    return tuple(
        ModelOrderStep(len(steps) - i, step.cost, step.accepted) for i, step in enumerate(steps)
    )
