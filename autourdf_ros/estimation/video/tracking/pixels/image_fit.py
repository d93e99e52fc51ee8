"""Fit the poses of all bodies to one depth image."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.estimation.common.surface_matching import geman_mcclure
from autourdf_ros.estimation.video.tracking.pixels.color_rows import color_rows
from autourdf_ros.estimation.video.tracking.pixels.known_body import KnownBody
from autourdf_ros.estimation.video.tracking.pixels.pixel_labels import Window, label_pixels
from autourdf_ros.estimation.video.tracking.pixels.pixel_rays import BodyGrid, Image
from autourdf_ros.estimation.video.tracking.pixels.pixel_rows import (
    COLUMNS,
    FREE,
    SIDES,
    SURFACE,
    depth_rows,
)
from autourdf_ros.estimation.video.tracking.track_options import TrackOptions
from autourdf_ros.geometry.arrays import Array
from autourdf_ros.geometry.rigid_motion import log_so3, moved_about, transform

ROWS = 60_000
"""Rows of one body at most (resource bound)."""
FREE_STRIDE = 2
"""Of the rows and columns of rays that go on beyond a body (resource bound)."""
SPACE = 0.02
"""About a body's outline that is searched, in its radius."""
FARTHEST = 1.5
"""Step at most, in standard deviations of what is expected."""


@dataclass(frozen=True)
class SeenFrame:
    """One frame before it is fitted.

    Attributes:
        image: Its depths; labels are working space.
        still: (H, W) pixels that show the background.
        masks: (H, W) int16 numbers of the bodies from 0, greater ones for foreign objects, NOBODY
            for background, or None.
        colored: There are labels from colours, and no depths.
    """

    image: Image
    still: NDArray[np.bool_]
    masks: NDArray[np.int16] | None = None
    colored: bool = False


@dataclass(frozen=True)
class Expected:
    """Where a body is expected.

    Attributes:
        pose: (4, 4) in the camera's frame.
        deviations: (6,) standard deviations of the twist about its centre (rad, m).
        velocity: (6,) of the twist (rad/s, m/s).
    """

    pose: Array
    deviations: Array
    velocity: Array


@dataclass(frozen=True)
class SideEffects:
    """Two numbers that should be 0, beside the pose: log of size, and time from top to bottom (s).

    Attributes:
        information: (2, 2) once the pose is eliminated.
        gradient: (2,); information^-1 gradient is what the frame says.
    """

    information: Array
    gradient: Array


@dataclass(frozen=True)
class BodyFit:
    """What a frame says about a body.

    Attributes:
        pose: (4, 4) in the camera's frame.
        information: (6, 6) of the twist about the centre, of the pixels alone, as if their errors
            were independent.
        scores: (6, 6) sum over blocks of pixels of the outer products of their gradients: its
            expected value is the information where errors are as assumed and independent.
        agreeing: Pixels that show the body where it is.
        overlap: Share of its pixels that agree; those that show what lies behind it do not.
        side: What else the pixels say.
    """

    pose: Array
    information: Array
    scores: Array
    agreeing: float
    overlap: float
    side: SideEffects


def fit_frame(
    frame: SeenFrame,
    bodies: Sequence[KnownBody],
    expected: Sequence[Expected],
    widths: Sequence[float],
    options: TrackOptions,
) -> list[BodyFit]:
    """Fit the poses of all bodies by Gauss-Newton steps.

    Args:
        frame: The frame.
        bodies: B bodies.
        expected: Of each.
        widths: (m) of the steps: a standard deviation that is added to every residual's, which
            lets far points draw; after the last, 0.
        options: Choices.
    """
    poses = [one.pose for one in expected]
    for step in range(max(options.steps, len(widths) + 2)):
        width = widths[step] if step < len(widths) else 0.0
        all_rows = _evaluate(frame, bodies, poses, width, options)
        largest = 0.0
        for b, (body, rows) in enumerate(zip(bodies, all_rows, strict=True)):
            twist, size = _step(rows, body, poses[b], expected[b])
            largest = max(largest, size)
            poses[b] = moved_about(_centre(body, poses[b])[None], twist[None], poses[b][None])[0]
        if width == 0.0 and largest < options.settled:
            break
    return [
        _fit(pose, rows, one.velocity, options)
        for pose, rows, one in zip(poses, all_rows, expected, strict=True)
    ]


def _centre(body: KnownBody, pose: Array) -> Array:
    return transform(pose, body.symmetry.centre)


@dataclass(frozen=True)
class _Rows:
    """Rows of least squares of one body.

    Attributes:
        coefficients: (N, 6) of the twist.
        residuals: (N,) (m).
        deviations: (N,) standard deviations (m).
        weights: (N,) robust ones over squared deviations; of thinned pixels for those around.
        kinds: (N,) SURFACE, EDGE or FREE.
        blocks: (N,) numbers of the blocks whose errors may depend on each other.
        places: (N, 2) change with the log of size (m), and row of the image from its middle, in its
            height.
        thinned: Pixels that a row stands for, by kind.
    """

    coefficients: Array
    residuals: Array
    deviations: Array
    weights: Array
    kinds: Array
    blocks: NDArray[np.int64]
    places: Array
    thinned: Array


def _evaluate(
    frame: SeenFrame,
    bodies: Sequence[KnownBody],
    poses: Sequence[Array],
    width: float,
    options: TrackOptions,
) -> list[_Rows]:
    image, reach = frame.image, options.robust * width
    size = (image.depth.shape[0], image.depth.shape[1])
    placed = [body.at(pose) for body, pose in zip(bodies, poses, strict=True)]
    windows = [
        body.window(pose, image.lens, size, reach + SPACE * body.radius)
        for body, pose in zip(bodies, poses, strict=True)
    ]
    if not frame.colored:
        label_pixels(image, placed, windows, frame.still, frame.masks, reach)
    return [
        _rows(frame, (number, at, windows[number]), body.observable(at.pose), width, options)
        for number, (body, at) in enumerate(zip(bodies, placed, strict=True))
    ]


def _rows(
    frame: SeenFrame,
    body: tuple[int, BodyGrid, Window],
    kept: Array,
    width: float,
    options: TrackOptions,
) -> _Rows:
    number, at, window = body
    area = max((window[2] - window[0]) * (window[3] - window[1]), 1)
    stride = max(int(np.sqrt(area / (2 * options.body_pixels))), 1)
    strides = (stride, max(int(np.ceil(np.sqrt(area / options.body_pixels))), FREE_STRIDE))
    rows = np.empty((ROWS, COLUMNS))
    write = color_rows if frame.colored else depth_rows
    rows = rows[: write(frame.image, at, number, window, strides, rows)]
    deviations = np.sqrt(rows[:, 7] ** 2 + width**2)
    weights = geman_mcclure(rows[:, 6] / deviations, options.robust) / deviations**2
    thinned = np.array([strides[0] ** 2, 1.0, strides[1] ** 2])  # outlines are not
    weights *= thinned[rows[:, 8].astype(int)]
    blocks = rows[:, 9].astype(int)
    places = np.stack([rows[:, 10], rows[:, 11] / len(frame.image.depth) - 0.5], axis=1)
    return _Rows(
        rows[:, :6] @ kept, rows[:, 6], deviations, weights, rows[:, 8], blocks, places, thinned
    )


def _fit(pose: Array, rows: _Rows, velocity: Array, options: TrackOptions) -> BodyFit:
    weighted = rows.coefficients * rows.weights[:, None]
    surface = rows.kinds == SURFACE
    agree = surface & (np.abs(rows.residuals) < options.robust * rows.deviations)
    agreeing = float(agree.sum() * rows.thinned[SURFACE])
    free = float((rows.kinds == FREE).sum() * rows.thinned[FREE])
    against = float((surface & ~agree).sum() * rows.thinned[SURFACE]) + free
    overlap = agreeing / max(agreeing + against, 1.0)
    scores = _block_scores(weighted * rows.residuals[:, None], rows.blocks)
    information = weighted.T @ rows.coefficients
    side = _side_effects(rows, weighted, information, velocity)
    return BodyFit(pose, information, scores, agreeing, overlap, side)


def _side_effects(rows: _Rows, weighted: Array, information: Array, velocity: Array) -> SideEffects:
    """Eliminate the pose from the equations of size and of time from row to row."""
    speeds = rows.coefficients @ velocity
    columns = np.stack([rows.places[:, 0], rows.places[:, 1] * speeds], axis=1)
    mixed = weighted.T @ columns
    ridge = 1e-9 * np.trace(information) * np.eye(6) + 1e-30 * np.eye(6)
    known = np.linalg.solve(
        information + ridge, np.column_stack([mixed, weighted.T @ rows.residuals])
    )
    own = columns * rows.weights[:, None]
    return SideEffects(
        own.T @ columns - mixed.T @ known[:, :2], own.T @ rows.residuals - mixed.T @ known[:, 2]
    )


def _block_scores(gradients: Array, blocks: NDArray[np.int64]) -> Array:
    if not len(gradients):
        return np.zeros((6, 6))
    sums = np.stack([np.bincount(blocks, gradients[:, k]) for k in range(6)], axis=1)
    # Of two opposite sides, the fit takes the mean error off: half the variance.
    sums[:SIDES] *= np.sqrt(2)
    return np.asarray(sums.T @ sums)


def _step(rows: _Rows, body: KnownBody, pose: Array, expected: Expected) -> tuple[Array, float]:
    """Return the step of one body, and its length in standard deviations."""
    weighted = rows.coefficients * rows.weights[:, None]
    prior = np.diag(expected.deviations**-2.0)
    turn = log_so3(expected.pose[:3, :3] @ pose[:3, :3].T)
    shift = _centre(body, expected.pose) - _centre(body, pose)
    total = weighted.T @ rows.coefficients + prior
    gradient = weighted.T @ rows.residuals + prior @ np.concatenate([turn, shift])
    twist = body.observable(pose) @ np.linalg.solve(total, gradient)
    size = float(twist @ total @ twist)
    # A twist beyond what is expected to be off comes of a bad linearisation.
    beyond = float(np.abs(twist / expected.deviations).max())
    return twist * min(1.0, FARTHEST / max(beyond, 1e-12)), float(np.sqrt(max(size, 0.0)))
