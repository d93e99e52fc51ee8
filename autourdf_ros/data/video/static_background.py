"""What stands behind the moving bodies of a video."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.data.video.camera_video import CameraVideo

_SHARE = 0.9
"""Quantile of a pixel's depths that is taken for the background: bodies are before it."""
_NEAR = 0.02
"""Share of that depth within which a depth shows the same surface: beyond the noise of cameras."""
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
    """Return (R, W) of depths (T, R, W); pixels that mostly show nothing are NaN."""
    found = np.sort(np.where(np.isfinite(depth), depth, np.inf).astype(float), axis=0)
    row = min(int(_SHARE * len(found)), len(found) - 1)
    far = found[row]
    known = np.isfinite(far)
    same = (np.abs(found - np.where(known, far, 0.0)) <= _NEAR * np.where(known, far, 0.0)) & known
    chosen = np.where(same, found, np.nan)
    background = np.full(far.shape, np.nan)
    if known.any():
        background[known] = np.nanmedian(chosen[:, known], axis=0)
    return background
