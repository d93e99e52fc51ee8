"""The adjusted robot in metres, with names of its links, joints and motors; not judged yet."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.data.frame import Recording
from autourdf_ros.estimation.motion.adjustment.base_motion import base_motion
from autourdf_ros.estimation.motion.adjustment.model_adjustment import FinalModel
from autourdf_ros.estimation.motion.fitting.frame_fit import States
from autourdf_ros.estimation.motion.fitting.motors import (
    match_motors,
    moving_readings,
    still_motors,
)
from autourdf_ros.estimation.motion.fitting.surface import LabelledSurface
from autourdf_ros.estimation.motion.fitting.tracking import Motion
from autourdf_ros.estimation.motion.reconstruction import (
    BaseMotion,
    Loop,
    SequenceMotion,
    WeakDirection,
)
from autourdf_ros.estimation.motion.registration.preparation import Prepared
from autourdf_ros.estimation.motion.result.confirmed_surfaces import (
    confirmed_surfaces,
    fused_surface,
)
from autourdf_ros.estimation.motion.result.joint_building import (
    build_joints,
    confidences_of,
    motor_sign,
)
from autourdf_ros.estimation.motion.result.metric_poses import in_metres
from autourdf_ros.estimation.motion.result.mimics import with_mimics
from autourdf_ros.estimation.motion.result.unwound_values import unwound
from autourdf_ros.estimation.motion.structure.coupled_joints import coupled_joints
from autourdf_ros.estimation.motion.structure.problem import Problem
from autourdf_ros.estimation.motion.uncertainty.uncertainty_assessment import ModelUncertainty
from autourdf_ros.geometry.arrays import Array
from autourdf_ros.model.layers.kinematics import MotorMatch
from autourdf_ros.model.self_model import Joint, Link


@dataclass(frozen=True)
class BuiltMotors:
    """What turns the joints.

    Attributes:
        matches: of every joint, None where none is known.
        unexplained: names of motors that moved and turn no joint.
        still: names of motors that did not move.
    """

    matches: tuple[MotorMatch | None, ...]
    unexplained: tuple[str, ...] = ()
    still: tuple[str, ...] = ()


@dataclass(frozen=True)
class BuiltRobot:
    """A robot that is not judged yet.

    Attributes:
        states: of all F frames, in engine units.
        values: (F, J) joint values (rad or m), none of them less a reference.
        motors: of the joints.
        surface: of all frames, as `fused_surface`.
        links: with their surfaces.
        joints: with names of their motors.
        motions: by sequence.
        base: how the root link moved.
        weak: changes that the frames hardly show.
        loops: joints that close chains.
    """

    states: States
    values: Array
    motors: BuiltMotors
    surface: LabelledSurface
    links: tuple[Link, ...]
    joints: tuple[Joint, ...]
    motions: tuple[SequenceMotion, ...]
    base: BaseMotion
    weak: tuple[WeakDirection, ...]
    loops: tuple[Loop, ...]


def built_robot(
    recording: Recording,
    problem: Problem,
    motion: Motion,
    final: FinalModel,
    structure: ModelUncertainty,
) -> BuiltRobot:
    """Return the robot in the recording's own units and frame, with names.

    Args:
        recording: The frames.
        problem: The same, in engine units.
        motion: Of the model in all frames, before the adjustment.
        final: The adjusted model.
        structure: How sure it is.
    """
    prepared, candidate = problem.prepared, final.candidate
    adjustment, used = final.fitted.adjustment, motion.used
    model, states = adjustment.model, final.states(motion)
    values = unwound(states.values, problem.owners, model.revolute & ~candidate.follow_motors)
    values = values * np.where(model.revolute, 1.0, prepared.scale)
    coupled = coupled_joints(model, values[used])
    motors = _motors(recording, problem, values[used], used, coupled)
    surface = fused_surface(prepared, candidate.surface, model, states, used)
    surfaces = confirmed_surfaces(surface, prepared, model, states, used)
    links = tuple(Link(f"link_{body}", own) for body, own in enumerate(surfaces))
    confidences = confidences_of(model, structure, candidate)
    matches = list(motors.matches)
    joints = build_joints(model, values[used], matches, adjustment, confidences, prepared)
    signs = np.array([motor_sign(motor) for motor in matches])
    offsets = np.array([joint.reference for joint in joints])
    motions = _motions(recording, prepared, states, values * signs + offsets, motion, final)
    base = base_motion(
        candidate.segmentation.root_motion,
        [own.base_poses[own.used] for own in motions],
        reference_points(prepared)[candidate.labels == 0],
    )
    return BuiltRobot(
        states=states,
        values=values,
        motors=motors,
        surface=surface,
        links=links,
        joints=with_mimics(joints, motions, coupled),
        motions=motions,
        base=base,
        weak=_weak_directions(structure, joints, prepared),
        loops=_loops(structure, joints, links, prepared),
    )


def _motors(
    recording: Recording,
    problem: Problem,
    values: Array,
    used: NDArray[np.bool_],
    coupled: NDArray[np.bool_],
) -> BuiltMotors:
    """Match motors with joints by their values in the frames that are used."""
    readings = [frame.joint_positions for frame in recording.frames]
    known = [reading for reading in readings if reading is not None]
    if not problem.options.use_readings or len(known) < len(readings):
        return BuiltMotors((None,) * values.shape[1])
    moving = {name: column[used] for name, column in moving_readings(known).items()}
    matches = match_motors(values, moving, coupled)
    taken = {motor.name for motor in matches if motor}
    unexplained = tuple(name for name in moving if name not in taken)
    return BuiltMotors(tuple(matches), unexplained, tuple(still_motors(known)))


def reference_points(prepared: Prepared) -> Array:
    """Return the points (N, 3) of the reference (m)."""
    return prepared.reference.points * prepared.scale + prepared.centre


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
