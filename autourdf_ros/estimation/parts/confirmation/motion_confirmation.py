"""Confirm an assembly's joints by frames of its motion: the whole algorithm at a glance."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from autourdf_ros.data.frame import Frame
from autourdf_ros.data.parts.part_assembly import PartAssembly
from autourdf_ros.errors import InputError
from autourdf_ros.estimation.parts.assembly_trace import EdgeJoint
from autourdf_ros.estimation.parts.confirmation.confirmation_options import ConfirmationOptions
from autourdf_ros.estimation.parts.confirmation.confirmation_result import (
    Confirmation,
    JointConfirmation,
)
from autourdf_ros.estimation.parts.confirmation.joint_weighing import (
    LEAST_FRAMES,
    between,
    weigh_alternatives,
    weigh_parents,
)
from autourdf_ros.estimation.parts.confirmation.motion_joint import motion_joint
from autourdf_ros.estimation.parts.confirmation.reconciliation import reconciled
from autourdf_ros.estimation.parts.confirmation.recording_doubts import (
    about_frames,
    about_root,
    shifts_of,
)
from autourdf_ros.estimation.parts.confirmation.tracking.base_registration import register_base
from autourdf_ros.estimation.parts.confirmation.tracking.box_joints import box_joints
from autourdf_ros.estimation.parts.confirmation.tracking.observed_frame import (
    LEAST_POINTS,
    ObservedFrame,
    observe,
)
from autourdf_ros.estimation.parts.confirmation.tracking.pose_refinement import (
    TrackedParts,
    facing,
    gathered,
    measured_noise,
    refine_parts,
    shown,
)
from autourdf_ros.estimation.parts.confirmation.tracking.pose_search import (
    Searched,
    pose_score,
    search_poses,
    searched,
)
from autourdf_ros.estimation.parts.confirmation.tracking.surface_samples import (
    PartSamples,
    sample_parts,
)
from autourdf_ros.estimation.parts.confirmation.verdicts import (
    judged,
    unseen,
    verdict_of,
    with_motion_joint,
)
from autourdf_ros.geometry.arrays import Array
from autourdf_ros.geometry.rigid_motion import skew
from autourdf_ros.progress import Progress, part, silent


def confirm_joints(
    assembly: PartAssembly,
    root: int,
    joints: Sequence[EdgeJoint],
    frames: Sequence[Frame],
    options: ConfirmationOptions = ConfirmationOptions(),  # noqa: B008  (frozen)
    progress: Progress = silent,
) -> Confirmation:
    """Weigh the alternatives of an assembly's joints by frames of its motion.

    Args:
        assembly: The parts at the given pose.
        root: Number of the root part.
        joints: Of the tree, with their alternatives.
        frames: Of a recording; in the first one all joints are near the given pose.
        options: Constants.
        progress: Is called with stage and fraction, and may raise to cancel.

    Raises:
        InputError: There are too few frames or points.
    """
    _check(frames)
    progress("register", 0.0)
    samples = sample_parts(assembly, options)
    first = _observed(frames[0], np.eye(4), options)
    base = register_base(samples, first, assembly.size, options)
    observed = [_observed(frame, base, options) for frame in frames]
    samples, noise = _first_frame(samples, observed[0], assembly.size, options)
    task = searched(samples, joints, root, assembly.size, options)
    poses = _tracked(samples, observed, task, noise, part(progress, 0.1, 0.5))
    parts = gathered(samples, observed, poses, noise, options)
    # Once more, by the alternatives that most frames show: a frame may have been taken for another.
    likely = [_likeliest(joint, parts, samples, options) for joint in joints]
    task = searched(samples, likely, root, assembly.size, options)
    again = _tracked(samples, observed, task, noise, part(progress, 0.5, 0.9))
    poses = _better(observed, task, poses, again)
    parts = gathered(samples, observed, poses, noise, options)
    parts = _with_still_root(root, parts, samples, options)
    poses = reconciled(joints, parts, observed, task, options)
    parts = gathered(samples, observed, poses, noise, options)
    parts = _with_still_root(root, parts, samples, options)
    progress("weigh", 0.9)
    names = [one.name for one in assembly.parts]
    results = tuple(_weighed(joint, joints, parts, samples, names, options) for joint in joints)
    doubts = (
        *about_root(root, parts, samples, names, options),
        *about_frames(parts, names, options),
    )
    verdict, reasons = verdict_of(results, doubts)
    return Confirmation(
        results, verdict, reasons, base, poses, parts.tracked, noise, parts.explained
    )


def _check(frames: Sequence[Frame]) -> None:
    if len(frames) < LEAST_FRAMES:
        raise InputError(
            f"recording: {len(frames)} frames; accepted are {LEAST_FRAMES} or more, in which the "
            "joints stand differently"
        )
    for number, frame in enumerate(frames):
        if len(frame.points) < LEAST_POINTS:
            raise InputError(
                f"recording: frame {number} has {len(frame.points)} points; accepted are "
                f"{LEAST_POINTS} or more"
            )


def _observed(frame: Frame, base: Array, options: ConfirmationOptions) -> ObservedFrame:
    return observe(frame, base, options.frame_points, options.cells, options.seed)


def _first_frame(
    samples: PartSamples, frame: ObservedFrame, size: float, options: ConfirmationOptions
) -> tuple[PartSamples, float]:
    """The samples with what the first frame shows, and the noise of its points."""
    poses = np.tile(np.eye(4), (samples.count, 1, 1))
    wide = options.coarse * size / 2
    poses = refine_parts(samples, frame, poses, (wide, wide / 4))
    measured = measured_noise(samples, frame, poses, wide / 2)
    noise = max(measured, options.least_noise * size)
    reach = 2 * max(frame.cloud.spacing, options.gate * noise), options.gate * noise
    if frame.outward:
        samples = facing(samples, frame, poses, reach)
    return samples.with_seen(shown(samples, frame, poses, reach)), noise


def _tracked(
    samples: PartSamples,
    observed: Sequence[ObservedFrame],
    task: Searched,
    noise: float,
    progress: Progress,
) -> Array:
    """Poses (F, P, 4, 4) of all parts."""
    widths = task.options.coarse * task.size / 2, task.options.kernel * noise
    as_given = np.tile(np.eye(4), (samples.count, 1, 1))
    poses = [refine_parts(samples, observed[0], as_given, widths)]
    start = poses[0][task.root]
    for number, frame in enumerate(observed[1:], 1):
        progress("track", number / len(observed))
        found = refine_parts(samples, frame, search_poses(frame, task, start), widths)
        start = found[task.root]
        poses.append(found)
    return np.array(poses)


def _likeliest(
    joint: EdgeJoint, parts: TrackedParts, samples: PartSamples, options: ConfirmationOptions
) -> EdgeJoint:
    """The joint with the alternative that motion decides for alone, where it does.

    A part that no alternative follows gets joints that any part may have beside them.
    """
    relative = between(parts, joint.parent, joint.child, options)
    if len(relative.frames) < LEAST_FRAMES:
        return _freer(joint, samples, options)
    size = samples.sizes[joint.child]
    weighed = weigh_alternatives(joint, relative, size, parts.noise, options)
    if weighed.moved < options.moved or weighed.certainty < options.decided:
        return joint
    if weighed.residual > _largest(size, parts, options):
        return _freer(joint, samples, options)
    return replace(joint, alternatives=(joint.alternatives[weighed.best],))


def _freer(joint: EdgeJoint, samples: PartSamples, options: ConfirmationOptions) -> EdgeJoint:
    seen = np.count_nonzero(samples.seen & (samples.owners == joint.child))
    if seen < options.search_samples / 4:
        return joint
    return replace(joint, alternatives=(*joint.alternatives, *box_joints(samples, joint.child)))


def _largest(size: float, parts: TrackedParts, options: ConfirmationOptions) -> float:
    """Error (m) on the surfaces up to which a joint fits."""
    return max(options.tolerance * size, options.tolerance_noise * parts.noise)


def _better(
    observed: Sequence[ObservedFrame], task: Searched, first: Array, second: Array
) -> Array:
    """Of two poses (F, P, 4, 4), those that agree better with each frame."""
    scores = [
        (pose_score(frame, task, one), pose_score(frame, task, other))
        for frame, one, other in zip(observed, first, second, strict=True)
    ]
    chosen = np.array([other > one for one, other in scores])
    return np.where(chosen[:, None, None, None], second, first)


def _weighed(
    joint: EdgeJoint,
    joints: Sequence[EdgeJoint],
    parts: TrackedParts,
    samples: PartSamples,
    names: Sequence[str],
    options: ConfirmationOptions,
) -> JointConfirmation:
    relative = between(parts, joint.parent, joint.child, options)
    frames = len(parts.tracked)
    if len(relative.frames) < LEAST_FRAMES:
        return unseen(joint, frames, names)
    size = samples.sizes[joint.child]
    weighed = weigh_alternatives(joint, relative, size, parts.noise, options)
    others = sorted(set(range(samples.count)) - _below(joint.child, joints) - {joint.parent})
    largest = _largest(size, parts, options)
    parents = weigh_parents(joint, others, parts, largest, options)
    limits = largest, options
    found = judged(joint, weighed, relative, parents, frames, limits, names)
    if found.status != "contradicted":
        return found
    body = samples.centres[joint.child], size
    proposed = motion_joint(joint, weighed, relative, body, parts.noise, options)
    return found if proposed is None else with_motion_joint(found, proposed, parents, limits, names)


def _below(number: int, joints: Sequence[EdgeJoint]) -> set[int]:
    """A part and all that hang on it."""
    found = {number}
    while more := {j.child for j in joints if j.parent in found} - found:
        found |= more
    return found


def _with_still_root(
    root: int, parts: TrackedParts, samples: PartSamples, options: ConfirmationOptions
) -> TrackedParts:
    """The parts, the root's pose known in full where it stands still as far as its surface shows.

    A round root does not show that it does not spin.
    """
    limit = _largest(samples.sizes[root], parts, options)
    if not shifts_of(parts, samples)[root] <= limit:
        return parts
    bodies = parts.bodies
    poses, information = bodies.poses.copy(), bodies.information.copy()
    poses[:, root] = poses[0, root]
    own = samples.points[samples.owners == root]
    rows = np.concatenate([-skew(own), np.broadcast_to(np.eye(3), (len(own), 3, 3))], axis=2)
    full = np.einsum("nki,nkj->ij", rows, rows) / len(own)
    information[:, root] = bodies.weights[:, root, None, None] * full
    return replace(parts, bodies=replace(bodies, poses=poses, information=information))
