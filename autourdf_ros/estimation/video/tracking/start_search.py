"""Fit bodies whose poses are known roughly: from several starts where the first agrees little."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from autourdf_ros.estimation.video.tracking.pixels.image_fit import (
    BodyFit,
    Expected,
    SeenFrame,
    fit_frame,
)
from autourdf_ros.estimation.video.tracking.pixels.known_body import KnownBody
from autourdf_ros.estimation.video.tracking.track_options import TrackOptions
from autourdf_ros.geometry.rigid_motion import moved_about, transform

HELD = 0.3
"""Share of what is expected by which the other bodies may move meanwhile."""
BETTER = 1.02
"""Ratio of agreements above which another start replaces the first."""


def narrowing(width: float, steps: int) -> list[float]:
    """Return widths (m) of the steps of a fit, from `width` to a twentieth of it."""
    return list(np.geomspace(width, width / 20, max(steps, 1)))


def fit_from_several(
    frame: SeenFrame,
    bodies: Sequence[KnownBody],
    expected: Sequence[Expected],
    options: TrackOptions,
) -> list[BodyFit]:
    """Fit poses that may be off by centimetres.

    Every body is tried from other poses within what is expected, the other bodies near their
    places, more often where it agrees little; the one that explains most pixels stays.

    Args:
        frame: The frame.
        bodies: B bodies.
        expected: Of each.
        options: Choices.
    """
    widths = narrowing(max(one.deviations[3:].max() for one in expected), 12)
    fits = fit_frame(frame, bodies, expected, widths, options)
    for number in range(len(bodies)):
        fits = other_starts(frame, bodies, (expected, number), fits, options)
    return fits


def other_starts(
    frame: SeenFrame,
    bodies: Sequence[KnownBody],
    searched: tuple[Sequence[Expected], int],
    fits: list[BodyFit],
    options: TrackOptions,
) -> list[BodyFit]:
    """Return the fits of all bodies after one of them was tried from other poses.

    Args:
        frame: The frame.
        bodies: B bodies.
        searched: Where each is expected, and the number of the one that is tried.
        fits: Of each so far.
        options: Choices.
    """
    expected, number = searched
    body, centre_of = bodies[number], expected[number]
    rng = np.random.default_rng(number)  # the same video gives the same track
    widths = narrowing(centre_of.deviations[3:].max(), 10)
    for trial in range(options.starts):
        if trial >= options.sure_starts and fits[number].overlap >= options.sure_overlap:
            break
        twist = body.observable(centre_of.pose) @ (rng.normal(size=6) * centre_of.deviations)
        centre = transform(centre_of.pose, body.symmetry.centre)
        start = moved_about(centre[None], twist[None], centre_of.pose[None])[0]
        held = [
            replace(one, pose=fit.pose, deviations=HELD * one.deviations)
            for fit, one in zip(fits, expected, strict=True)
        ]
        held[number] = replace(centre_of, pose=start)
        tried = fit_frame(frame, bodies, held, widths, options)
        if agreement(tried) > BETTER * agreement(fits):
            fits = tried
    return fits


def agreement(fits: Sequence[BodyFit]) -> float:
    """Return pixels that agree, weighted by the overlap of their body."""
    return float(sum(fit.agreeing * fit.overlap for fit in fits))
