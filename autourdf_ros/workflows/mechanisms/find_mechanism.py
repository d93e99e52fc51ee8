"""From a video of known shapes to a mechanism: check, track, joints; then its folder, dynamics."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.data.video.camera_video import CameraVideo
from autourdf_ros.data.video.force_table import ForceTable
from autourdf_ros.data.video.video_checks import check_shapes, video_remarks
from autourdf_ros.data.video.video_shape import VideoShape
from autourdf_ros.errors import InputError
from autourdf_ros.estimation.dynamics.posterior.dynamics_posterior import DynamicsPosterior
from autourdf_ros.estimation.video.joints.fitting.mechanism_fit import predicted
from autourdf_ros.estimation.video.joints.joints_options import JointsOptions
from autourdf_ros.estimation.video.joints.mechanism_joints import MechanismJoints, find_joints
from autourdf_ros.estimation.video.pose_track import PoseTrack
from autourdf_ros.estimation.video.tracking.track_bodies import track_bodies
from autourdf_ros.estimation.video.tracking.track_options import TrackOptions
from autourdf_ros.estimation.video.video_mechanism import VideoMechanism
from autourdf_ros.model.result_files import check_output
from autourdf_ros.progress import Progress, part, silent
from autourdf_ros.workflows.mechanisms.mechanism_dynamics import (
    MechanismDynamicsOptions,
    add_dynamics,
)
from autourdf_ros.workflows.mechanisms.mechanism_result import WrittenMechanism, write_mechanism
from autourdf_ros.workflows.mechanisms.unknown.forces_on_parts import forces_on_parts
from autourdf_ros.workflows.mechanisms.unknown.unknown_shapes import (
    JointedBodies,
    TrackedBodies,
    UnknownOptions,
    jointed_parts,
)

Array = NDArray[np.float64]

_TO_NOISE = 1 / (0.6745 * np.sqrt(6.0))
"""From the median absolute second difference of independent normal values to their deviation."""


@dataclass(frozen=True)
class MechanismOptions:
    """Choices of the user.

    Attributes:
        tracking: Of the bodies.
        unknown: Of parts, where no shapes are given.
        joints: Of their joints.
        dynamics: Of masses and friction; None: they are not found.
        record: What the result says of the choices.
    """

    tracking: TrackOptions = field(default_factory=TrackOptions)
    unknown: UnknownOptions = field(default_factory=UnknownOptions)
    joints: JointsOptions = field(default_factory=JointsOptions)
    dynamics: MechanismDynamicsOptions | None = field(default_factory=MechanismDynamicsOptions)
    record: dict[str, object] = field(default_factory=dict)


@dataclass(frozen=True)
class FoundMechanism:
    """What became of a video.

    Attributes:
        found: The mechanism.
        posterior: Of its dynamics; None where they were not found.
        reason: Why not, for the user; empty where they were not asked for.
    """

    found: VideoMechanism
    posterior: DynamicsPosterior | None = None
    reason: str = ""


def mechanism_to_folder(
    video: CameraVideo,
    shapes: Sequence[VideoShape] | None,
    out: Path,
    written: WrittenMechanism,
    options: MechanismOptions,
    forces: ForceTable | None = None,
    progress: Progress = silent,
) -> FoundMechanism:
    """Find a mechanism in a video and write its result folder at `out`.

    Dynamics come second, as a new version of the folder: where they cannot be found, the folder
    without them stays, and the reason is returned.

    Args:
        video: Of a camera that stands still.
        shapes: Of the bodies; None: not known.
        out: Where.
        written: How the mechanism is written.
        options: Choices.
        forces: That drove it; None where none is known.
        progress: Is called with stage and fraction.

    Raises:
        InputError: as `find_mechanism` and `write_mechanism`.
    """
    out = check_output(out)
    if shapes is not None:
        _check_forces(forces, shapes)
    found = find_mechanism(video, shapes, options, part(progress, 0.0, 0.6))
    if shapes is None and forces is not None:
        forces, said = forces_on_parts(forces, found.track, found.shapes)
        found = replace(found, notes=(*found.notes, *said))
    write_mechanism(found, out, written, part(progress, 0.6, 0.75))
    if options.dynamics is None:
        return FoundMechanism(found)
    try:
        posterior = add_dynamics(out, forces, options.dynamics, part(progress, 0.75, 1.0))
    except InputError as error:
        return FoundMechanism(found, reason=str(error))
    return FoundMechanism(found, posterior)


def _check_forces(forces: ForceTable | None, shapes: Sequence[VideoShape]) -> None:
    if unknown := sorted(set(forces.forces if forces else ()) - {one.name for one in shapes}):
        raise InputError(
            f"forces: body {unknown[0]!r} is unknown; accepted are "
            f"{', '.join(one.name for one in shapes)}"
        )


def find_mechanism(
    video: CameraVideo,
    shapes: Sequence[VideoShape] | None,
    options: MechanismOptions,
    progress: Progress = silent,
) -> VideoMechanism:
    """Track the bodies of a video and find their joints.

    Args:
        video: Of a camera that stands still.
        shapes: Of the bodies; None: they are what moves as one.
        options: Choices.
        progress: Of the work.

    Raises:
        InputError: a shape cannot be what the camera sees, or bodies are seen too rarely.
    """
    begin = time.perf_counter()
    if shapes is None:
        found = jointed_parts(video, options.unknown, options.tracking, options.joints, progress)
    else:
        found = _jointed_shapes(video, shapes, options, progress)
    bodies, joints = found.bodies, found.joints
    timings = {
        "tracking": time.perf_counter() - begin - found.seconds,
        "joints": found.seconds,
    }
    return VideoMechanism(
        video,
        bodies.shapes,
        bodies.track,
        joints.model,
        *all_joint_values(joints),
        reference_poses_of(joints, bodies.track),
        joints.trace.adjusted.reference,
        warnings=(*_unseen(bodies.track), *bodies.doubts, *joints.warnings),
        notes=(*bodies.notes, *joints.notes, *video_remarks(video)),
        options=options.record,
        timings=timings,
    )


def _jointed_shapes(
    video: CameraVideo,
    shapes: Sequence[VideoShape],
    options: MechanismOptions,
    progress: Progress,
) -> JointedBodies:
    check_shapes(video, shapes)
    track, doubts = track_bodies(video, shapes, options.tracking, part(progress, 0.0, 0.7))
    begin = time.perf_counter()
    joints = find_joints(track, shapes, options.joints, part(progress, 0.7, 1.0))
    bodies = TrackedBodies(track, tuple(shapes), doubts)
    return JointedBodies(bodies, joints, time.perf_counter() - begin)


def all_joint_values(joints: MechanismJoints) -> tuple[Array, Array]:
    """Return values and standard deviations (T, J) of all the model's joints; fixed ones are 0.

    Where the method states no deviation, that of the scatter from frame to frame is taken.
    """
    names = joints.model.tree.joint_names
    shape = len(joints.joint_values), len(names)
    values, stds = np.zeros(shape), np.zeros(shape)
    for column, name in enumerate(joints.moving):
        own, std = joints.joint_values[:, column], joints.joint_stds[:, column]
        values[:, names.index(name)] = own
        lacking = np.isfinite(own) & ~np.isfinite(std)
        stds[:, names.index(name)] = np.where(lacking, _scatter(own), std)
    return values, stds


def _scatter(values: Array) -> float:
    """Standard deviation of the noise of a smooth series, from its second differences."""
    bends = np.abs(np.diff(values, 2))
    bends = bends[np.isfinite(bends)]
    size = float(np.nanmax(np.abs(values))) if np.isfinite(values).any() else 1.0
    return max(_TO_NOISE * float(np.median(bends)) if len(bends) else size, 1e-9 + 1e-6 * size)


def reference_poses_of(joints: MechanismJoints, track: PoseTrack) -> Array:
    """Return (B, 4, 4) poses of the bodies with every joint at zero, in the track's order."""
    adjusted = joints.trace.adjusted
    return np.asarray(
        predicted(adjusted.fit.observations, adjusted.fit.edges)[:, adjusted.reference]
    )


def _unseen(track: PoseTrack) -> tuple[str, ...]:
    """Sentences about bodies that were not seen in some frames."""
    lacking = (~track.seen).sum(axis=1)
    return tuple(
        f"{body} is not seen in {count} of {track.seen.shape[1]} frames; no pose is given there"
        for body, count in zip(track.bodies, lacking.tolist(), strict=True)
        if count
    )
