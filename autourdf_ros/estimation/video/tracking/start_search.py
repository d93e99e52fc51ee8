"""Fit bodies whose poses are known roughly: from several starts where the first agrees little."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from autourdf_ros.estimation.video.tracking.image_fit import (
    BodyFit,
    Expected,
    SeenFrame,
    fit_frame,
)
from autourdf_ros.estimation.video.tracking.known_body import KnownBody
from autourdf_ros.estimation.video.tracking.track_options import TrackOptions
from autourdf_ros.geometry.rigid_motion import moved_about, transform

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

    Every body that agrees little is tried from other poses within what is expected, the other
    bodies at their places; the one that explains most pixels stays.

    Args:
        frame: The frame.
        bodies: B bodies.
        expected: Of each.
        options: Choices.
    """
    widths = narrowing(max(one.deviations[3:].max() for one in expected), 12)
    fits = fit_frame(frame, bodies, expected, widths, options)
    for number, fit in enumerate(fits):
        if fit.overlap < options.sure_overlap:
            fits = _best_of_others(frame, bodies, (expected, number), fits, options)
    return fits


def _best_of_others(
    frame: SeenFrame,
    bodies: Sequence[KnownBody],
    searched: tuple[Sequence[Expected], int],
    fits: list[BodyFit],
    options: TrackOptions,
) -> list[BodyFit]:
    expected, number = searched
    body, centre_of = bodies[number], expected[number]
    rng = np.random.default_rng(0)  # the same video gives the same track
    widths = narrowing(centre_of.deviations[3:].max(), 10)
    for _ in range(options.starts):
        twist = rng.normal(size=6) * centre_of.deviations
        centre = transform(centre_of.pose, body.symmetry.centre)
        start = moved_about(centre[None], twist[None], centre_of.pose[None])[0]
        held = [
            Expected(fit.pose, one.deviations * (1.0 if k == number else 0.1))
            for k, (fit, one) in enumerate(zip(fits, expected, strict=True))
        ]
        held[number] = replace(centre_of, pose=start)
        tried = fit_frame(frame, bodies, held, widths, options)
        if agreement(tried) > BETTER * agreement(fits):
            fits = tried
        if fits[number].overlap >= options.sure_overlap:
            break
    return fits


def agreement(fits: Sequence[BodyFit]) -> float:
    """Return pixels that agree, weighted by the overlap of their body."""
    return float(sum(fit.agreeing * fit.overlap for fit in fits))
