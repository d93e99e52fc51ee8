"""Where a camera stands, by the robot that it measures: the small error of a calibration."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from autourdf_ros.data.images.posed_camera import PinholeCamera

Array = NDArray[np.float64]


@dataclass(frozen=True)
class CorrectionOptions:
    """How a camera's error is found.

    Attributes:
        shift: Standard deviation of the error before anything is measured (m).
        turn: Likewise (rad).
        reach: Greatest distance (m) of a measured point from the surface that it is compared with.
        cosine: Least cosine between normal and ray of a point that is compared.
        least: Points that a frame needs.
        noise: Standard deviation (m) that a single point is taken to have at least.
        alike: Neighbouring points whose errors count as one.
        most: Points of a frame, evenly in its image (resource bound).
        kept: Share of what is known that a new frame leaves, so that a camera that was moved is
            found again.
    """

    shift: float = 0.01
    turn: float = 0.02
    reach: float = 0.05
    cosine: float = 0.3
    least: int = 500
    noise: float = 0.002
    alike: float = 100.0
    most: int = 12_000
    kept: float = 0.98


class CameraCorrection:
    """The error of a camera's pose, from depths beside predicted ones, frame by frame.

    A measured point p in the optical frame belongs on the predicted surface: with its nearest point
    q (along the ray) and the normal n there, n.(p + w x p + t - q) = 0 for a small error (t, w).
    Its information adds up over frames (a Kalman filter of a constant).

    Attributes:
        pose: (4, 4), the camera stands at its calibrated pose times this.
    """

    def __init__(self, options: CorrectionOptions = CorrectionOptions()) -> None:
        self.pose = np.eye(4)
        self._options = options
        self._prior = np.diag([options.shift**-2.0] * 3 + [options.turn**-2.0] * 3)
        self._information = np.zeros((6, 6))

    @property
    def shift(self) -> float:
        """Length of the error (m)."""
        return float(np.linalg.norm(self.pose[:3, 3]))

    @property
    def turn(self) -> float:
        """Angle of the error (rad)."""
        return float(Rotation.from_matrix(self.pose[:3, :3]).magnitude())

    def see(
        self, measured: NDArray[np.floating], predicted: NDArray[np.float32], camera: PinholeCamera
    ) -> None:
        """Take a frame.

        Args:
            measured: (H, W) depths (m), NaN where none.
            predicted: (H, W) depths of the robot from where the camera stands by `pose`.
            camera: Of both.
        """
        given = self._options
        window, step = _window(predicted, given.most)
        measured, predicted = measured[window], predicted[window]
        if min(predicted.shape) < 2:
            return
        directions = camera.directions[window]
        surface = directions * predicted[..., None]
        normal = np.cross(np.gradient(surface, axis=1), np.gradient(surface, axis=0))
        with np.errstate(invalid="ignore", divide="ignore"):
            normal /= np.linalg.norm(normal, axis=2, keepdims=True)
            ray = directions / np.linalg.norm(directions, axis=2, keepdims=True)
            used = np.abs(np.einsum("hwc,hwc->hw", normal, ray)) > given.cosine
            used &= np.abs(measured - predicted) < given.reach
        if np.count_nonzero(used) * step**2 < given.least:
            return
        normals, points = normal[used], directions[used] * measured[used][:, None]
        apart = np.einsum("nc,nc->n", normals, surface[used] - points)
        slopes = np.hstack([normals, np.cross(points, normals)])
        sigma = max(given.noise, 1.4826 * float(np.median(np.abs(apart))))
        share = np.where(np.abs(apart) < 4 * sigma, min(step**2 / given.alike, 1.0) / sigma**2, 0.0)
        self._information = given.kept * self._information + slopes.T @ (slopes * share[:, None])
        error = np.linalg.solve(self._information + self._prior, slopes.T @ (share * apart))
        moved = np.eye(4)
        moved[:3, :3] = Rotation.from_rotvec(error[3:]).as_matrix()
        moved[:3, 3] = error[:3]
        self.pose = self.pose @ moved


def _window(depth: NDArray[np.float32], most: int) -> tuple[tuple[slice, slice], int]:
    """Return rows and columns in which anything is, at `most` such pixels; and the step of both."""
    inside = np.isfinite(depth)
    step = max(1, int(np.ceil(np.sqrt(np.count_nonzero(inside) / most))))
    rows, columns = (np.flatnonzero(inside.any(axis=axis)) for axis in (1, 0))
    if not len(rows):
        return (slice(0, 0), slice(0, 0)), 1
    return (slice(rows[0], rows[-1] + 1, step), slice(columns[0], columns[-1] + 1, step)), step
