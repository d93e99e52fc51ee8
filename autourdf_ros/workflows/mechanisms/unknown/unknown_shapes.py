"""Track the bodies of a video: of known shapes, or of parts that motion shows, where none are."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from autourdf_ros.data.video.camera_video import CameraVideo
from autourdf_ros.data.video.video_shape import SeenSides, VideoShape
from autourdf_ros.errors import InputError, ReconstructionError
from autourdf_ros.estimation.motion.parts.rigid_parts import RigidParts, rigid_parts, united_parts
from autourdf_ros.estimation.motion.parts.rigid_parts_options import PartsOptions
from autourdf_ros.estimation.motion.seen_clouds import SeenClouds
from autourdf_ros.estimation.video.joints.fitting.pair_motion import WORLD
from autourdf_ros.estimation.video.joints.joints_options import JointsOptions
from autourdf_ros.estimation.video.joints.mechanism_joints import MechanismJoints, find_joints
from autourdf_ros.estimation.video.joints.mechanism_tree import TreeEdge
from autourdf_ros.estimation.video.pose_track import PoseTrack
from autourdf_ros.estimation.video.tracking.pixels.known_body import lens_of
from autourdf_ros.estimation.video.tracking.track_bodies import track_bodies
from autourdf_ros.estimation.video.tracking.track_options import TrackOptions
from autourdf_ros.estimation.video.unknown.moving_points import MovingPoints, moving_points
from autourdf_ros.estimation.video.unknown.part_shapes import PART, part_shapes, shape_doubts
from autourdf_ros.geometry.arrays import Array
from autourdf_ros.progress import Progress, part

UNKNOWN = (
    "no shapes were given: bodies are what moves as one, and the world is all that stands still"
)

GONE = ("free", "fixed")
"""Joints of parts that are no bodies of a mechanism."""


@dataclass(frozen=True)
class UnknownOptions:
    """Choices where no shapes are given.

    Attributes:
        frames: In which what moves is cut into parts, spread over the video (resource bound).
        parts: Of the cut.
        first_shift: How far parts are off in the frame that they are cut in (m).
        first_turn: The same of their rotation (rad).
        low_overlap: Of tracking: shapes that are guesses in part agree with less.
        starts: Of tracking, where a part agrees with less (resource bound): it may be none.
    """

    frames: int = 50
    parts: PartsOptions = field(default_factory=PartsOptions)
    first_shift: float = 0.005
    first_turn: float = 0.03
    low_overlap: float = 0.5
    starts: int = 4


@dataclass(frozen=True)
class TrackedBodies:
    """Bodies of a video.

    Attributes:
        track: Their poses.
        shapes: Given, or as they were seen.
        doubts: Sentences for the user.
        notes: Likewise, that are no doubt.
    """

    track: PoseTrack
    shapes: tuple[VideoShape, ...]
    doubts: tuple[str, ...]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class CutVideo:
    """A video without shapes, and the parts that what moves in it was cut into.

    Attributes:
        video: With depth images, without masks: they number shapes.
        seen: What moves.
        parts: Of it, at its reference frame.
    """

    video: CameraVideo
    seen: MovingPoints
    parts: RigidParts


def cut_video(
    video: CameraVideo, unknown: UnknownOptions, options: TrackOptions, progress: Progress
) -> CutVideo:
    """Find the rigid parts of what moves.

    Args:
        video: With depth images.
        unknown: Choices of the parts.
        options: Of tracking.
        progress: Of the work.

    Raises:
        InputError: there are no depths, nothing moves, or no frame fits another.
    """
    video = replace(video, masks=None)
    seen = moving_points(video, unknown.frames, options)
    clouds = SeenClouds(seen.points, seen.scenes, seen.reference, seen.eye)
    try:
        return CutVideo(video, seen, rigid_parts(clouds, unknown.parts, progress))
    except ReconstructionError as error:
        raise InputError(
            f"video: {error}; accepted is slower motion, or --shapes FOLDER"
        ) from error


def track_parts(
    cut: CutVideo, unknown: UnknownOptions, options: TrackOptions, progress: Progress
) -> TrackedBodies:
    """Track the parts as bodies of the shapes that were seen.

    Args:
        cut: The parts.
        unknown: Choices: how well they are known.
        options: Of tracking.
        progress: Of the work.
    """
    focal = lens_of(cut.video.camera).fx
    found = part_shapes(cut.parts.surfaces, _sides(cut.parts, cut.seen, focal))
    shapes = tuple(one.shape for one in found)
    near = replace(
        options,
        first_shift=unknown.first_shift,
        first_turn=unknown.first_turn,
        low_overlap=unknown.low_overlap,
        starts=unknown.starts,
    )
    start = int(cut.seen.frames[cut.seen.reference])
    track, doubts = track_bodies(cut.video, shapes, near, progress, start)
    return TrackedBodies(track, shapes, (*shape_doubts(found), *doubts), (UNKNOWN,))


def with_torn_united(
    cut: CutVideo, tracked: TrackedBodies, joints: MechanismJoints
) -> CutVideo | None:
    """Return parts with those that move as one united; None where there are none.

    Args:
        cut: The parts; those that have no shape stay away.
        tracked: Bodies of them.
        joints: Theirs.
    """
    numbers = [int(name.removeprefix(PART)) - 1 for name in tracked.track.bodies]
    group = {number: number for number in numbers}
    torn = [e for e in joints.trace.tree if e.kind == "fixed" and e.parent != WORLD]
    for edge in torn:
        parent, child = (group[numbers[body]] for body in (edge.parent, edge.child))
        group = {number: parent if own == child else own for number, own in group.items()}
    groups = [[n for n in numbers if group[n] == own] for own in dict.fromkeys(group.values())]
    return replace(cut, parts=united_parts(cut.parts, groups)) if torn else None


def _sides(parts: RigidParts, seen: MovingPoints, focal: float) -> list[SeenSides]:
    """What of each part the reference frame shows."""
    return [
        SeenSides(one.points, one.normals, _distance(one.points, seen.eye) / focal)
        for one in parts.shown
    ]


def _distance(points: Array, eye: Array) -> float:
    """Typical distance of points from the camera (m)."""
    return float(np.median(np.linalg.norm(points - eye, axis=1)))


@dataclass(frozen=True)
class JointedBodies:
    """Bodies and their joints.

    Attributes:
        bodies: As they were tracked.
        joints: Theirs.
        seconds: Of the search for joints, all rounds.
    """

    bodies: TrackedBodies
    joints: MechanismJoints
    seconds: float


def jointed_parts(
    video: CameraVideo,
    unknown: UnknownOptions,
    tracking: TrackOptions,
    options: JointsOptions,
    progress: Progress,
) -> JointedBodies:
    """Find the parts of what moves, and their joints.

    Parts that move as one in all frames are one part that was torn: they are united and tracked
    again. Parts that nothing holds or that stand still, beside others, are left out.

    Args:
        video: With depth images.
        unknown: Choices of the parts.
        tracking: Of tracking.
        options: Of the joints.
        progress: Of the work.

    Raises:
        InputError: as `cut_video`.
    """
    seconds = 0.0

    def joined(tracked: TrackedBodies, progress: Progress) -> MechanismJoints:
        nonlocal seconds
        begin = time.perf_counter()
        found = find_joints(tracked.track, tracked.shapes, options, progress)
        seconds += time.perf_counter() - begin
        return found

    cut = cut_video(video, unknown, tracking, part(progress, 0.0, 0.4))
    tracked = track_parts(cut, unknown, tracking, part(progress, 0.4, 0.65))
    joints = joined(tracked, part(progress, 0.65, 0.7))
    if (whole := with_torn_united(cut, tracked, joints)) is not None:
        tracked = track_parts(whole, unknown, tracking, part(progress, 0.7, 0.95))
        joints = joined(tracked, part(progress, 0.95, 0.98))
    held = held_bodies(tracked, joints)
    if held is not tracked:
        tracked, joints = held, joined(held, part(progress, 0.98, 1.0))
    return JointedBodies(tracked, joints, seconds)


def held_bodies(tracked: TrackedBodies, joints: MechanismJoints) -> TrackedBodies:
    """Leave out, and say so, parts that nothing holds or that stand still, beside others.

    Args:
        tracked: Bodies.
        joints: Theirs.
    """
    gone = dict(_no_body(edge, tracked.track) for edge in joints.trace.tree if edge.kind in GONE)
    kept = [body for body in range(len(tracked.shapes)) if body not in gone]
    if not gone or not kept:
        return tracked
    return _without(tracked, kept, {tracked.track.bodies[b]: gone[b] for b in sorted(gone)})


def _no_body(edge: TreeEdge, track: PoseTrack) -> tuple[int, str]:
    """Number of the part that is none, and why; of two that move as one, the smaller comes last."""
    if edge.kind == "free":
        return edge.child, "moves as nothing else holds it (a hand, or a finger that pushes?)"
    if edge.parent == WORLD:
        return edge.child, "stands still, as the world does"
    larger, smaller = sorted((edge.parent, edge.child))
    return smaller, f"moves as one with {track.bodies[larger]}"


def _without(tracked: TrackedBodies, kept: Sequence[int], gone: Mapping[str, str]) -> TrackedBodies:
    said = tuple(f"{name}: {why}; it is left out" for name, why in gone.items())
    doubts = tuple(
        one for one in tracked.doubts if not one.startswith(tuple(f"{n}:" for n in gone))
    )
    shapes = tuple(tracked.shapes[body] for body in kept)
    return replace(
        tracked,
        track=tracked.track.of(kept),
        shapes=shapes,
        doubts=doubts,
        notes=(*tracked.notes, *said),
    )
