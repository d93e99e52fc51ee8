"""Track bodies of known shape through a depth video."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from autourdf_ros.estimation.video.tracking.body_motion import BodyMotion, first_motion
from autourdf_ros.estimation.video.tracking.pixels.image_fit import (
    BodyFit,
    Expected,
    SeenFrame,
    fit_frame,
)
from autourdf_ros.estimation.video.tracking.pixels.known_body import KnownBody
from autourdf_ros.estimation.video.tracking.start_search import (
    fit_from_several,
    narrowing,
    other_starts,
)
from autourdf_ros.estimation.video.tracking.track_doubts import Surroundings
from autourdf_ros.estimation.video.tracking.track_options import TrackOptions
from autourdf_ros.estimation.video.tracking.video_views import VideoView
from autourdf_ros.progress import Progress


@dataclass(frozen=True)
class FrameFits:
    """What every frame says, in the camera's frame.

    Attributes:
        fits: For every body, of every frame; None where it was not seen.
        expected: For every body, what was expected in every frame.
        around: What every frame shows beside the bodies.
    """

    fits: list[list[BodyFit | None]]
    expected: list[list[Expected]]
    around: list[Surroundings]

    def after(self, earlier: FrameFits) -> FrameFits:
        """Return the fits behind those of earlier frames, which are given from the last one on."""
        return FrameFits(
            [one[::-1] + two for one, two in zip(earlier.fits, self.fits, strict=True)],
            [one[::-1] + two for one, two in zip(earlier.expected, self.expected, strict=True)],
            earlier.around[::-1] + self.around,
        )


def track_frames(
    view: VideoView,
    moments: Sequence[tuple[int, float]],
    motions: Sequence[BodyMotion],
    options: TrackOptions,
    progress: Progress,
) -> FrameFits:
    """Track bodies from rough first poses.

    Args:
        view: Of the video.
        moments: Numbers and times (s) of its frames, in the order in which they are tracked, which
            may be that of falling times.
        motions: Of the bodies at the first of them.
        options: Choices.
        progress: Of the work.
    """
    motions = list(motions)
    bodies = [motion.body for motion in motions]
    found = FrameFits([[] for _ in bodies], [[] for _ in bodies], [])
    lost = [True] * len(bodies)
    for done, (k, stamp) in enumerate(moments):
        progress("tracking", done / len(moments))
        frame = view.frame(k)
        expected = [motion.expected(stamp, options) for motion in motions]
        fits = _fit(frame, bodies, expected, lost, options)
        found.around.append(view.around(k, frame))
        for b, fit in enumerate(fits):
            before, lost[b] = lost[b], not is_seen(fit, options)
            found.fits[b].append(None if lost[b] else fit)
            found.expected[b].append(expected[b])
            motions[b] = _next(motions[b], fit, expected[b], stamp, (lost[b], before, options))
    return found


def _next(
    motion: BodyMotion,
    fit: BodyFit,
    expected: Expected,
    stamp: float,
    state: tuple[bool, bool, TrackOptions],
) -> BodyMotion:
    lost, before, options = state
    if lost:
        return motion.unseen()
    if before:
        return first_motion(motion.body, fit.pose, stamp, options)
    return motion.after(fit, expected, stamp)


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
    moving = max(
        one.deviations[3:].max() for one, is_lost in zip(expected, lost, strict=True) if not is_lost
    )
    fits = fit_frame(frame, bodies, expected, narrowing(moving / options.wander, 2), options)
    for number, fit in enumerate(fits):
        if fit.overlap < options.low_overlap or fit.agreeing < options.least_pixels:
            fits = other_starts(frame, bodies, (expected, number), fits, options)
    return fits
