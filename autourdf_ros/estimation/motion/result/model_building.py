"""From the adjusted articulation to the robot model, in metres, with names and uncertainty."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from autourdf_ros.data.frame import Recording
from autourdf_ros.estimation.motion.adjustment.base_motion import base_motion
from autourdf_ros.estimation.motion.adjustment.model_adjustment import FinalModel
from autourdf_ros.estimation.motion.fitting.frame_fit import States
from autourdf_ros.estimation.motion.fitting.motors import (
    match_motors,
    moving_readings,
    still_motors,
)
from autourdf_ros.estimation.motion.fitting.tracking import Motion
from autourdf_ros.estimation.motion.reconstruction import (
    Loop,
    ModelOrderStep,
    Reconstruction,
    SequenceMotion,
    WeakDirection,
)
from autourdf_ros.estimation.motion.registration.preparation import Prepared
from autourdf_ros.estimation.motion.result.confirmed_surfaces import (
    confirmed_surfaces,
    fused_surface,
)
from autourdf_ros.estimation.motion.result.corrected_cameras import (
    common_error,
    corrected_cameras,
)
from autourdf_ros.estimation.motion.result.joint_building import (
    build_joints,
    confidences_of,
    motor_sign,
)
from autourdf_ros.estimation.motion.result.metric_poses import in_metres
from autourdf_ros.estimation.motion.result.mimics import with_mimics
from autourdf_ros.estimation.motion.result.notes import (
    common_error_notes,
    left_out_notes,
    mimic_notes,
    notes_on,
)
from autourdf_ros.estimation.motion.result.unwound_values import unwound
from autourdf_ros.estimation.motion.structure.candidate_model import CandidateModel
from autourdf_ros.estimation.motion.structure.coupled_joints import coupled_joints
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
from autourdf_ros.geometry.arrays import Array
from autourdf_ros.model.layers.kinematics import MotorMatch
from autourdf_ros.model.self_model import Joint, Link, SelfModel


def build_reconstruction(
    recording: Recording,
    problem: Problem,
    motion: Motion,
    final: FinalModel,
    structure: ModelUncertainty,
) -> Reconstruction:
    """Return the reconstruction in the recording's own units and frame.

    Args:
        structure: How sure it is.
    """
    prepared, options = problem.prepared, problem.options
    candidate, adjustment = final.candidate, final.fitted.adjustment
    model = adjustment.model
    states = final.states(motion)
    readings = [frame.joint_positions for frame in recording.frames]
    turning = model.revolute & ~candidate.follow_motors
    values = unwound(states.values, problem.owners, turning)
    values = values * np.where(model.revolute, 1.0, prepared.scale)
    coupled = coupled_joints(model, values[motion.used])
    motors: list[MotorMatch | None] = [None] * len(model.parents)
    unexplained: list[str] = []
    still: list[str] = []
    if options.use_readings and all(reading is not None for reading in readings):
        known = [reading for reading in readings if reading is not None]
        moving, still = moving_readings(known), still_motors(known)
        used = motion.used
        columns = {name: column[used] for name, column in moving.items()}
        motors = match_motors(values[used], columns, coupled)
        taken = {motor.name for motor in motors if motor}
        unexplained = [name for name in moving if name not in taken]
    surface = fused_surface(prepared, candidate.surface, model, states, motion.used)
    surfaces = confirmed_surfaces(surface, prepared, model, states, motion.used)
    links = tuple(Link(f"link_{body}", own) for body, own in enumerate(surfaces))
    costs, patches = explain(problem, final, states, [link.name for link in links])
    confidences = confidences_of(model, structure, candidate)
    joints = build_joints(model, values[motion.used], motors, adjustment, confidences, prepared)
    signs = np.array([motor_sign(motor) for motor in motors])
    offsets = np.array([joint.reference for joint in joints])
    weak = _weak_directions(structure, joints, prepared)
    loops = _loops(structure, joints, links, prepared)
    motions = _motions(recording, prepared, states, values * signs + offsets, motion, final)
    joints = with_mimics(joints, motions, coupled)
    points = prepared.reference.points * prepared.scale + prepared.centre
    moves = candidate.segmentation.root_motion
    base = base_motion(
        moves, [own.base_poses[own.used] for own in motions], points[candidate.labels == 0]
    )
    hidden = [(links[end.link].name, end.points) for end in structure.hidden]
    warnings, verdict, structure_doubted = judge(
        FrameFindings(
            recording.frame_names,
            motion.used,
            adjustment.noise,
            foreign_points(prepared.clouds, motion.used, surface, model, states),
            places_that_move(surface),
        ),
        moves,
        base,
        JointFindings(
            joints,
            np.ptp(values[motion.used], axis=0),
            candidate.tree.margins,
            weak,
            loops,
            leaps_of(values, problem.owners, motion.used, model.revolute).tolist(),
        ),
        LinkFindings(costs, patches, _suspected(candidate, links), hidden),
        MotorFindings(any(motors), unexplained),
    )
    round_links = [links[link].name for link in structure.round]
    together = common_error(prepared)
    unseen = [link.name for i, link in enumerate(links) if not (candidate.labels == i).any()]
    return Reconstruction(
        model=SelfModel.of("robot", links, joints),
        motions=motions,
        noise=adjustment.noise * prepared.scale,
        reference_points=points,
        labels=candidate.labels,
        verdict=verdict,
        warnings=tuple(warnings),
        structure_doubted=structure_doubted,
        cameras=corrected_cameras(recording, prepared),
        common_error=together,
        model_order=_model_order(candidate),
        decisions=named(
            candidate.decisions, candidate.pieces, [f"{{{link.name}}}" for link in links]
        ),
        options=options,
        weak_directions=weak,
        base=base,
        notes=(
            *notes_on(base, moves, links[0].name, loops, still, round_links, unseen),
            *mimic_notes(joints),
            *common_error_notes(together),
            *left_out_notes(recording.frame_names, motion.used),
        ),
        loops=loops,
        link_costs=costs,
        patches=patches,
    )


def _suspected(candidate: CandidateModel, links: Sequence[Link]) -> tuple[str, ...]:
    """In words, what some frames speak for."""
    names = [repr(link.name) for link in links]
    return tuple(one.change for one in named(candidate.suspected, candidate.pieces, names))


def _weak_directions(
    structure: ModelUncertainty, joints: Sequence[Joint], prepared: Prepared
) -> tuple[WeakDirection, ...]:
    """The changes that the frames hardly show, in metres, with the joints' names."""
    weak = structure.weak
    result = []
    for turns, shifts in zip(weak.turns, prepared.scale * weak.shifts, strict=True):
        part = np.flatnonzero((turns > 0) | (shifts > 0))
        names = tuple(joints[j].name for j in part.tolist())
        result.append(WeakDirection(names, tuple(turns[part]), tuple(shifts[part])))
    return tuple(result)


def _loops(
    structure: ModelUncertainty, joints: Sequence[Joint], links: Sequence[Link], prepared: Prepared
) -> tuple[Loop, ...]:
    """The joints that close chains, in metres, with names."""
    return tuple(
        Loop(
            (links[loop.first].name, links[loop.second].name),
            tuple(joints[j].name for j in loop.path),
            loop.type,
            loop.twist[:3] if loop.type == "revolute" else loop.twist[3:],
            loop.point * prepared.scale + prepared.centre,
            loop.cost,
        )
        for loop in structure.loops
    )


def _motions(
    recording: Recording,
    prepared: Prepared,
    states: States,
    values: Array,
    motion: Motion,
    final: FinalModel,
) -> tuple[SequenceMotion, ...]:
    base = in_metres(states.base, prepared)
    residuals, stds = np.full(len(values), np.nan), np.full_like(values, np.nan)
    units = np.where(final.fitted.adjustment.model.revolute, 1.0, prepared.scale)
    noise = final.fitted.adjustment.noise
    for fit in final.fits:
        residuals[fit.frames] = fit.adjustment.residuals * prepared.scale
        stds[fit.frames] = units * noise * np.sqrt(fit.adjustment.value_variances)
    stds[0] = 0.0
    held_out = np.zeros(len(values), dtype=bool)
    if final.held_out is not None:
        held_out[final.held_out.frames] = True
    result, start = [], 0
    for sequence in recording.sequences:
        part = slice(start, start + len(sequence.frames))
        start = part.stop
        result.append(
            SequenceMotion(
                values[part],
                stds[part],
                base[part],
                residuals[part],
                motion.used[part],
                held_out[part],
            )
        )
    return tuple(result)


def _model_order(candidate: CandidateModel) -> tuple[ModelOrderStep, ...]:
    segmentation = candidate.segmentation
    kept = [ModelOrderStep(0, cost, False) for cost in segmentation.kept_costs]
    merged = [ModelOrderStep(0, cost, True) for cost in sorted(segmentation.merged_costs)]
    steps = [*merged, *kept]
    return tuple(
        ModelOrderStep(len(steps) - i, step.cost, step.accepted) for i, step in enumerate(steps)
    )
