"""Track bodies of known shape through a depth video."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from autourdf_ros.data.video.camera_video import CameraVideo
from autourdf_ros.estimation.video.tracking.body_motion import BodyMotion, first_motion
from autourdf_ros.estimation.video.tracking.pixels.depth_images import (
    StillBackground,
    still_background,
    without_mixed,
)
from autourdf_ros.estimation.video.tracking.pixels.image_fit import (
    BodyFit,
    Expected,
    SeenFrame,
    fit_frame,
)
from autourdf_ros.estimation.video.tracking.pixels.known_body import KnownBody, lens_of
from autourdf_ros.estimation.video.tracking.pixels.pixel_rays import NOBODY, Image
from autourdf_ros.estimation.video.tracking.start_search import (
    fit_from_several,
    narrowing,
    other_starts,
)
from autourdf_ros.estimation.video.tracking.track_doubts import Surroundings, surroundings
from autourdf_ros.estimation.video.tracking.track_options import TrackOptions
from autourdf_ros.geometry.arrays import Array
from autourdf_ros.progress import Progress


@dataclass(frozen=True)
class FrameFits:
    """What every frame says, in the camera's frame.

    Attributes:
        fits: For every body, of every frame; None where it was not seen.
        expected: For every body, what was expected in every frame.
        background: What does not move.
        around: What every frame shows beside the bodies.
    """

    fits: list[list[BodyFit | None]]
    expected: list[list[Expected]]
    background: StillBackground
    around: list[Surroundings]


def track_depth(
    video: CameraVideo,
    bodies: Sequence[KnownBody],
    first: Sequence[Array],
    options: TrackOptions,
    progress: Progress,
) -> FrameFits:
    """Track bodies from rough first poses.

    Args:
        video: With depth images.
        bodies: B bodies.
        first: Their (4, 4) first poses in the camera's frame.
        options: Choices.
        progress: Of the work.
    """
    assert video.depth is not None
    background = still_background(video.depth, options)
    stamps = video.stamps
    motions = [
        first_motion(body, pose, stamps[0] - 1e-3, options)
        for body, pose in zip(bodies, first, strict=True)
    ]
    found = FrameFits([[] for _ in bodies], [[] for _ in bodies], background, [])
    lost = [True] * len(bodies)
    for k, stamp in enumerate(stamps):
        progress("tracking", k / len(stamps))
        frame = seen_frame(video, k, background)
        expected = [motion.expected(stamp, options) for motion in motions]
        fits = _fit(frame, bodies, expected, lost, options)
        found.around.append(surroundings(frame.image.depth, frame.image.labels, background))
        for b, fit in enumerate(fits):
            lost[b] = not is_seen(fit, options)
            found.fits[b].append(None if lost[b] else fit)
            found.expected[b].append(expected[b])
            motions[b] = _next(motions[b], fit, expected[b], stamp, (lost[b], k == 0, options))
    return found


def _next(
    motion: BodyMotion,
    fit: BodyFit,
    expected: Expected,
    stamp: float,
    state: tuple[bool, bool, TrackOptions],
) -> BodyMotion:
    lost, first, options = state
    if lost:
        return motion.unseen()
    if first:
        return first_motion(motion.body, fit.pose, stamp, options)
    return motion.after(fit, expected, stamp)


def seen_frame(video: CameraVideo, frame: int, background: StillBackground) -> SeenFrame:
    """Prepare one frame of a depth video."""
    assert video.depth is not None
    lens = lens_of(video.camera)
    depth = without_mixed(video.depth[frame], background.errors, lens.fx)
    labels = np.full(depth.shape, NOBODY, np.int16)
    masks = None if video.masks is None else video.masks[frame].astype(np.int16) - 1
    return SeenFrame(Image(depth, labels, lens, background.errors), background.shows(depth), masks)


def is_seen(fit: BodyFit, options: TrackOptions) -> bool:
    """Return whether enough pixels agree with a pose."""
    return fit.agreeing >= options.least_pixels and fit.overlap >= options.least_overlap


def _fit(
    frame: SeenFrame,
    bodies: Sequence[KnownBody],
    expected: Sequence[Expected],
    lost: Sequence[bool],
    options: TrackOptions,
) -> list[BodyFit]:
    if all(lost):
        return fit_from_several(frame, bodies, expected, options)
    moving = max(one.deviations[3:].max() for one in expected) / options.wander
    fits = fit_frame(frame, bodies, expected, narrowing(moving, 2), options)
    for number, fit in enumerate(fits):
        if fit.overlap < options.low_overlap or fit.agreeing < options.least_pixels:
            fits = other_starts(frame, bodies, (expected, number), fits, options)
    return fits
