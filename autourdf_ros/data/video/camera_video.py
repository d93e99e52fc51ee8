"""A video in memory: depth or colour images of one camera that does not move."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.data.images.posed_camera import PinholeCamera
from autourdf_ros.errors import InputError


@dataclass(frozen=True)
class CameraVideo:
    """Images of one camera that stands still.

    Attributes:
        camera: Intrinsics and pose.
        stamps: (T,) times of the images (s), rising.
        depth: (T, H, W) float32 along the optical axis (m), NaN where none; or None.
        colors: (T, H, W, 3) uint8 RGB; or None.
        masks: (T, H, W) uint8 numbers of the bodies from 1, 0 background; or None.
        source: File or folder that it was read from, or None.

    Raises:
        InputError: there are neither depth nor colours, shapes differ, or stamps do not rise.
    """

    camera: PinholeCamera
    stamps: NDArray[np.float64]
    depth: NDArray[np.float32] | None = None
    colors: NDArray[np.uint8] | None = None
    masks: NDArray[np.uint8] | None = None
    source: Path | None = None

    def __post_init__(self) -> None:
        where = self.source or "video"
        if self.depth is None and self.colors is None:
            raise InputError(f"{where}: there are neither depth nor colour images")
        shape = (len(self.stamps), self.camera.height, self.camera.width)
        for name in ("depth", "colors", "masks"):
            images = getattr(self, name)
            if images is not None and images.shape[:3] != shape:
                raise InputError(
                    f"{where}: {name} are {images.shape[:3]}; accepted is {shape} (frames, height, "
                    "width)"
                )
        if len(self.stamps) == 0 or not (np.diff(self.stamps) > 0).all():
            raise InputError(f"{where}: stamps do not rise; accepted is at least one frame, rising")
