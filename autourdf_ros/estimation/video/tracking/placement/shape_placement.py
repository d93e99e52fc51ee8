"""Find shapes without a first pose by registration to segments of the first image."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from autourdf_ros.data.video.camera_video import CameraVideo
from autourdf_ros.estimation.video.tracking.pixels.depth_images import StillBackground
from autourdf_ros.estimation.video.tracking.pixels.image_fit import (
    BodyFit,
    Expected,
    SeenFrame,
    fit_frame,
)
from autourdf_ros.estimation.video.tracking.pixels.known_body import KnownBody
from autourdf_ros.estimation.video.tracking.placement.image_segments import (
    image_segments,
    segment_points,
)
from autourdf_ros.estimation.video.tracking.track_options import TrackOptions
from autourdf_ros.geometry.arrays import Array

COARSE_PIXELS = 400
"""Of a body in the coarse registrations (resource bound)."""
RANDOM = 24
"""Rotations that are tried beside those of the principal axes (resource bound)."""
KEPT = 4
"""Coarse registrations that are refined (resource bound)."""
TURN = 0.7
"""Standard deviation of a tried rotation (rad): those of the axes are 90 degrees apart."""


@dataclass(frozen=True)
class _Scene:
    video: CameraVideo
    frame: SeenFrame
    background: StillBackground
    options: TrackOptions


def placed_bodies(
    video: CameraVideo,
    frame: SeenFrame,
    background: StillBackground,
    bodies: Sequence[tuple[KnownBody, Array | None]],
    options: TrackOptions,
) -> list[Array | None]:
    """Return poses (4, 4) of all bodies in the first image, in the camera's frame.

    Of all bodies and segments, the pair that explains most pixels is placed first; its pixels are
    taken, and the others are sought in what is left.

    Args:
        video: With depth images.
        frame: The first one.
        background: What does not move.
        bodies: Each with its pose where one is given.
        options: Choices.

    Returns:
        None where a body is not found.
    """
    scene = _Scene(video, replace(frame, masks=None), background, options)
    poses = [pose for _, pose in bodies]
    while any(pose is None for pose in poses):
        known = [(body, pose) for (body, _), pose in zip(bodies, poses, strict=True)]
        best: tuple[float, int, Array] | None = None
        for number, (_, pose) in enumerate(known):
            fit = _best_fit(scene, known, number) if pose is None else None
            if fit is not None and (best is None or _worth(fit) > best[0]):
                best = _worth(fit), number, fit.pose
        if best is None:
            break
        poses[best[1]] = best[2]
    return poses


def _worth(fit: BodyFit) -> float:
    return fit.agreeing * fit.overlap**2


def _best_fit(
    scene: _Scene, known: Sequence[tuple[KnownBody, Array | None]], number: int
) -> BodyFit | None:
    """Return the best fit of one body beside those that are placed."""
    body, options = known[number][0], scene.options
    placed = [(one, pose) for one, pose in known if pose is not None]
    coarse = replace(options, body_pixels=COARSE_PIXELS)
    fits = []
    for segment in image_segments(
        scene.video, scene.background, _taken(scene, placed), options.least_pixels
    ):
        for pose in _tried_poses(body, segment_points(scene.video, segment)):
            fits.append(_fitted(scene.frame, placed, (body, pose), coarse))
    fits = sorted(fits, key=_worth)[-KEPT:]
    fits = [_fitted(scene.frame, placed, (body, fit.pose), options) for fit in fits]
    fits = [
        fit
        for fit in fits
        if fit.agreeing >= options.least_pixels and fit.overlap >= options.least_overlap
    ]
    return max(fits, key=_worth) if fits else None


def _taken(scene: _Scene, placed: Sequence[tuple[KnownBody, Array]]) -> NDArray[np.bool_]:
    if not placed:
        return np.zeros(scene.frame.still.shape, bool)
    expected = [_expected(body, pose, 0.1) for body, pose in placed]
    fit_frame(scene.frame, [body for body, _ in placed], expected, [], scene.options)
    return np.asarray(scene.frame.image.labels >= 0)


def _fitted(
    frame: SeenFrame,
    placed: Sequence[tuple[KnownBody, Array]],
    tried: tuple[KnownBody, Array],
    options: TrackOptions,
) -> BodyFit:
    expected = [_expected(body, pose, 0.1) for body, pose in placed] + [_expected(*tried, 1.0)]
    bodies = [body for body, _ in placed] + [tried[0]]
    widths = list(np.geomspace(tried[0].radius / 4, tried[0].radius / 80, 8))
    return fit_frame(frame, bodies, expected, widths, options)[-1]


def _expected(body: KnownBody, pose: Array, share: float) -> Expected:
    deviations = share * np.repeat([TURN, body.radius / 2], 3)
    return Expected(pose, deviations, np.zeros(6))


def _tried_poses(body: KnownBody, points: Array) -> Iterator[Array]:
    """Yield poses whose principal axes are those of the points, in any order, and random ones.

    The centre lies behind the points by half the least extent of the shape.
    """
    middle = points.mean(axis=0)
    own = np.linalg.svd(body.corners - body.symmetry.centre, full_matrices=False)[2]
    sizes = np.ptp(body.corners @ own.T, axis=0)
    centre = middle * (1 + 0.5 * sizes.min() / np.linalg.norm(middle))
    seen = _proper(np.linalg.svd(points - middle, full_matrices=False)[2])
    cube = Rotation.create_group("O").as_matrix()
    rng = np.random.default_rng(0)
    rotations = [seen.T @ turn @ _proper(own) for turn in cube]
    for rotation in (*rotations, *Rotation.random(RANDOM, rng=rng).as_matrix()):
        pose = np.eye(4)
        pose[:3, :3] = rotation
        pose[:3, 3] = centre - rotation @ body.symmetry.centre
        yield pose


def _proper(axes: Array) -> Array:
    """Return axes (3, 3) as a rotation."""
    return np.asarray(axes * np.array([[1.0], [1.0], [np.linalg.det(axes)]]))
