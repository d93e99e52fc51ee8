"""Estimate the cameras' extrinsics: refined where they are given, or found from motion."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.data.frame import Recording, Sequence
from autourdf_ros.errors import InputError
from autourdf_ros.estimation.extrinsics.camera_views import CameraViews, camera_views, given_poses
from autourdf_ros.estimation.extrinsics.doubts import doubts
from autourdf_ros.estimation.extrinsics.motion_start import Start, start_from_motion
from autourdf_ros.estimation.extrinsics.surface_alignment import (
    Alignment,
    align,
    equations,
    noise_of,
    scene_centre,
    scene_size,
)
from autourdf_ros.geometry.arrays import Array
from autourdf_ros.geometry.rigid_motion import inverse
from autourdf_ros.parallel import calm_blas
from autourdf_ros.progress import Progress, part, silent

FRAMES = 16  # spread over the recording
HELD_OUT = 4  # one frame in so many does not enter the fit
LEAST_FRAMES = 4
POINTS = 1500  # of a view
GATE = 0.1  # of the scene's size, by which surfaces may be off at first
GIVEN_TURN, GIVEN_SHIFT = np.radians(5.0), 0.05  # rad, m: deviation of extrinsics that are given
LEAST_COMMON = 200  # points that connect two cameras


@dataclass(frozen=True)
class Extrinsics:
    """Where C cameras stand; the first as it was given, the others relative to it.

    Attributes:
        origin: what it began from.
        given: (C, 4, 4) optical frames in the fixed frame, as given.
        poses: (C, 4, 4) as found.
        covariances: (C, 6, 6) of a small motion of every camera (turn in rad, shift in m) about
            `centre` in the fixed frame, relative to the first camera.
        centre: (3,) in the fixed frame.
        noise: robust standard deviation (m) of a point from the plane that another camera saw.
        matches: (C, C) points of surfaces that two cameras saw.
        before: the noise (m) with the given poses, in frames that did not enter the fit.
        after: the same with the poses found.
        doubts: each a sentence on why not to trust it.
    """

    origin: Literal["given", "motion"]
    given: Array
    poses: Array
    covariances: Array
    centre: Array
    noise: float
    matches: NDArray[np.int64]
    before: float
    after: float
    doubts: tuple[str, ...]

    @property
    def relative(self) -> Array:
        """(C, 4, 4) poses in the first camera's optical frame."""
        return inverse(self.poses[0]) @ self.poses

    @property
    def turn_stds(self) -> Array:
        """(C,) standard deviation of every camera's direction (rad), of the worst turn."""
        return np.sqrt(np.linalg.eigvalsh(self.covariances[:, :3, :3])[:, -1].clip(0))

    @property
    def shift_stds(self) -> Array:
        """(C,) of where it puts what it sees, in the scene's middle (m), in the worst direction."""
        return np.sqrt(np.linalg.eigvalsh(self.covariances[:, 3:, 3:])[:, -1].clip(0))

    @property
    def verdict(self) -> Literal["trusted", "doubtful"]:
        """Whether it can be used as it is."""
        return "doubtful" if self.doubts else "trusted"


def estimate_extrinsics(
    recording: Recording, *, unknown: bool = False, progress: Progress = silent
) -> Extrinsics:
    """Estimate where the cameras of a recording stand, relative to the first.

    Args:
        recording: the frames.
        unknown: whether to use nothing that is given, but how each camera by itself sees bodies
            move; else what is given, which may be off by some centimetres and degrees, is refined.
        progress: is called with the stage and the share done.

    Raises:
        InputError: where the recording does not keep two standing cameras or more apart
            (`given_poses`), and where one of them shares nothing with the others.
    """
    given = given_poses(recording)
    frames = recording.frames
    if len(frames) < LEAST_FRAMES:
        raise InputError(
            f"{recording.source or 'recording'}: has {len(frames)} frame(s); accepted is at least "
            f"{LEAST_FRAMES}, better 20, between which the robot moves"
        )
    with calm_blas():
        start = None
        if unknown:
            start = start_from_motion(recording, given, part(progress, 0.0, 0.8))
        progress("aligning", 0.8 if unknown else 0.0)
        chosen = np.unique(np.linspace(0, len(frames) - 1, FRAMES).round().astype(int))
        views = camera_views(_only(recording, chosen), POINTS)
        out = np.arange(len(chosen)) % HELD_OUT == HELD_OUT - 1
        fitted, held_out = views.frames(np.flatnonzero(~out)), views.frames(np.flatnonzero(out))
        poses = given if start is None else start.poses
        gate = GATE * scene_size(views)
        centre = scene_centre(fitted, poses)
        prior = _given_prior(len(given)) if start is None else start.prior(centre)
        found = align(fitted, poses, prior, gate)
        if start is None:
            _check_connected(recording, found, gate)
        result = _result(given, start, found, held_out, gate, centre)
    progress("aligned", 1.0)
    return result


def _result(
    given: Array,
    start: Start | None,
    found: Alignment,
    held_out: CameraViews,
    gate: float,
    centre: Array,
) -> Extrinsics:
    count = len(given)
    blocks = found.covariance.reshape(count, 6, count, 6)
    covariances = np.stack([blocks[c, :, c] for c in range(count)])
    before, after = (
        noise_of(equations(held_out, poses, found.centre, gate), gate)
        for poses in (given, found.poses)
    )
    return Extrinsics(
        "given" if start is None else "motion",
        given,
        found.poses,
        covariances,
        found.centre,
        found.noise,
        found.matches,
        before,
        after,
        doubts(found, covariances, start, held_out),
    )


def _given_prior(count: int) -> Array:
    """Information (6 C, 6 C) of given extrinsics: what nothing determines stays as it was."""
    return np.diag(np.tile(np.repeat([GIVEN_TURN, GIVEN_SHIFT], 3) ** -2.0, count))


def _only(recording: Recording, chosen: NDArray[np.int64]) -> Recording:
    frames = tuple(recording.frames[number] for number in chosen)
    return Recording((Sequence(frames),), recording.source, recording.fixed_frame)


def _check_connected(recording: Recording, found: Alignment, gate: float) -> None:
    """Raise InputError where a camera sees nothing that those connected with the first see."""
    reached = connected(found.matches)
    lost = [str(number + 1) for number in np.flatnonzero(~reached)]
    if lost:
        raise InputError(
            f"{recording.source or 'recording'}: camera {', '.join(lost)} sees no surface that "
            f"lies within {gate:.2f} m of what another camera sees; accepted are cameras whose "
            "views overlap on the robot. Where their poses are not roughly known, use --unknown, "
            "which goes by motion"
        )


def connected(matches: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Return the cameras (C,) that common surfaces connect with the first, maybe through others."""
    linked = matches >= LEAST_COMMON
    reached = np.arange(len(matches)) == 0
    for _ in range(len(matches)):
        reached = reached | linked[reached].any(axis=0)
    return reached
