"""A digest of a video, by which a result names what it comes from."""

from __future__ import annotations

import hashlib

import numpy as np

from autourdf_ros.data.video.camera_video import CameraVideo


def video_digest(video: CameraVideo) -> str:
    """Return the SHA-256 of a video's camera, stamps and images."""
    total = hashlib.sha256()
    camera = video.camera
    for values in (camera.focal, camera.principal, camera.pose, video.stamps):
        total.update(np.ascontiguousarray(values, float).tobytes())
    for name in ("depth", "colors", "masks"):
        images = getattr(video, name)
        if images is not None:
            total.update(f"{name} {images.shape} {images.dtype}".encode())
            total.update(np.ascontiguousarray(images).tobytes())
    return total.hexdigest()
