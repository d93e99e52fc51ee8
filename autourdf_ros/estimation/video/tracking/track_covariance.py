"""Turn what the frames say into a track with calibrated covariances."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from autourdf_ros.data.video.camera_video import CameraVideo
from autourdf_ros.estimation.video.pose_track import PoseTrack
from autourdf_ros.estimation.video.symmetry.equivalent_poses import nearest_equivalent
from autourdf_ros.estimation.video.tracking.body_tracker import FrameFits
from autourdf_ros.estimation.video.tracking.pixels.image_fit import BodyFit, Expected
from autourdf_ros.estimation.video.tracking.pixels.known_body import KnownBody
from autourdf_ros.geometry.arrays import Array

UNKNOWN_TURN = np.pi / np.sqrt(3)
"""Standard deviation of an angle that is uniform over a full turn (rad)."""

SIDE = np.radians(5.0)
"""Turn of a body against its line of sight after which it shows another side (rad)."""

COMMON = 3.0
"""Frames that all frames together count as, where few show the same side."""


def pose_track(
    video: CameraVideo, bodies: Sequence[KnownBody], found: FrameFits, systematic: Sequence[float]
) -> PoseTrack:
    """Return the track in the world.

    Args:
        video: Whose frames were fitted.
        bodies: B bodies.
        found: What every frame says.
        systematic: Of each body, standard deviation of what is off in the same way everywhere
            (pixels).
    """
    off = np.asarray(systematic) / min(video.camera.focal)
    count = len(video.stamps)
    poses = np.full((len(bodies), count, 4, 4), np.nan)
    covariances = np.full((len(bodies), count, 6, 6), np.nan)
    for b, body in enumerate(bodies):
        seen = [k for k, fit in enumerate(found.fits[b]) if fit is not None]
        inflations = _inflations(body, [fit for fit in found.fits[b] if fit is not None])
        before = None
        for k, inflation in zip(seen, inflations, strict=True):
            fit = found.fits[b][k]
            assert fit is not None
            pose = (
                fit.pose if before is None else nearest_equivalent(body.symmetry, fit.pose, before)
            )
            before = pose
            poses[b, k] = video.camera.pose @ pose
            own = _covariance(body, fit, found.expected[b][k], inflation)
            own += _systematic(body, fit, float(off[b]))
            covariances[b, k] = _turned(own, video.camera.pose[:3, :3])
    return PoseTrack(
        tuple(body.name for body in bodies),
        video.stamps,
        poses,
        covariances,
        np.array([body.symmetry.centre for body in bodies]),
        tuple(body.symmetry for body in bodies),
    )


def _inflations(body: KnownBody, fits: Sequence[BodyFit]) -> Array:
    """Return by how much variances (F, 6, 6) are larger than if pixels' errors were independent.

    In the body's frame, in units of the information: the sum over blocks of the outer products of
    gradients. It is the "sandwich" for errors that depend on each other within a block (Liang and
    Zeger, Longitudinal data analysis using generalized linear models, Biometrika 1986). One frame
    has too few blocks for it: it is averaged over the frames in which the body shows nearly the
    same side, for a plate seen edge-on errs otherwise than one seen from the front.
    """
    if not fits:
        return np.zeros((0, 6, 6))
    ratios, views = [], []
    for fit in fits:
        back = fit.pose[:3, :3].T
        half = _root(_turned(fit.information, back), body.radius, -0.5)
        ratios.append(half.T @ _turned(fit.scores, back) @ half)
        views.append(-back @ fit.pose[:3, 3] / np.linalg.norm(fit.pose[:3, 3]))
    apart = np.arccos(np.clip(np.array(views) @ np.array(views).T, -1.0, 1.0))
    weights = np.exp(-0.5 * (apart / SIDE) ** 2) + COMMON / len(fits)
    weights /= weights.sum(axis=1, keepdims=True)
    return np.asarray(np.einsum("kf,fij->kij", weights, np.array(ratios)))


def _root(information: Array, radius: float, power: float) -> Array:
    """Return W with W^T W = information, or with power -0.5 its inverse, 0 where it is singular.

    Rotations count by the way of a point at `radius` (m).
    """
    scales = np.repeat([radius, 1.0], 3)
    values, vectors = np.linalg.eigh(information / np.outer(scales, scales))
    powers = np.where(values > 1e-9 * values.max(), np.maximum(values, 1e-300) ** power, 0.0)
    root = (vectors * powers) @ vectors.T
    return np.asarray(root * scales if power > 0 else root / scales[:, None])


def _covariance(body: KnownBody, fit: BodyFit, expected: Expected, inflation: Array) -> Array:
    prior = np.diag(expected.deviations**-2.0)
    kept = body.observable(fit.pose)
    back = fit.pose[:3, :3].T
    own = np.linalg.inv(fit.information + prior)
    half = _root(_turned(fit.information, back), body.radius, 0.5)
    scores = _turned(half.T @ inflation @ half, back.T)
    covariance = own @ (scores + prior) @ own
    return np.asarray(kept @ covariance @ kept + UNKNOWN_TURN**2 * (np.eye(6) - kept))


def _systematic(body: KnownBody, fit: BodyFit, off: float) -> Array:
    """Return the covariance of a body that is off by an angle `off` (rad) as the camera sees it."""
    shift = off * max(float(fit.pose[2, 3]), 0.0)
    kept = body.observable(fit.pose)
    return kept @ np.diag(np.repeat([(shift / body.radius) ** 2, shift**2], 3)) @ kept


def _turned(covariance: Array, rotation: Array) -> Array:
    both = np.kron(np.eye(2), rotation)
    return np.asarray(both @ covariance @ both.T)
