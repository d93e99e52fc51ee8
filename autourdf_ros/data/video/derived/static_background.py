"""What stands behind the moving bodies of a video."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.data.video.camera_video import CameraVideo

_SHARE = 0.9
"""Quantile of a pixel's depths that is taken for the background: bodies are before it."""
_NEAR = 0.02
"""Share of that depth within which a depth shows the same surface: beyond the noise of cameras."""
_DROPPED = 0.3
"""Share of the frames that a camera may lose at a pixel; where more are without depth, nothing is
there."""
_CHUNK = 32  # rows at a time: a resource bound


def static_background(video: CameraVideo) -> NDArray[np.float32] | None:
    """Return (H, W) depths (m) of what does not move, NaN where none; None without depth.

    Where bodies cover a pixel in most frames, what they cover is not seen: the pixel shows the
    farthest of them.
    """
    if video.depth is None:
        return None
    parts = [
        _of_rows(video.depth[:, start : start + _CHUNK])
        for start in range(0, video.camera.height, _CHUNK)
    ]
    return np.concatenate(parts).astype(np.float32)


def _of_rows(depth: NDArray[np.float32]) -> NDArray[np.float64]:
    """Return (R, W) of depths (T, R, W)."""
    finite = np.isfinite(depth)
    known = finite.mean(axis=0) > 1 - _DROPPED
    found = np.sort(np.where(finite, depth, np.inf).astype(float), axis=0)
    row = np.maximum(np.ceil(_SHARE * finite.sum(axis=0)).astype(int) - 1, 0)
    far = np.where(known, np.take_along_axis(found, row[None], axis=0)[0], np.nan)
    chosen = np.where(np.abs(found - far) <= _NEAR * far, found, np.nan)
    background = np.full(far.shape, np.nan)
    if known.any():
        background[known] = np.nanmedian(chosen[:, known], axis=0)
    return background
