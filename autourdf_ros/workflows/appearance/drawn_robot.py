"""Draws a result folder's robot in any configuration as a camera would see it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.data.images.posed_camera import PinholeCamera
from autourdf_ros.estimation.appearance.rasterizer.rasterize import rasterize
from autourdf_ros.estimation.appearance.rasterizer.seen_surface import NOTHING, seen_surface
from autourdf_ros.estimation.appearance.splats.splat_model import posed
from autourdf_ros.model.document.self_model_reading import read_self_model
from autourdf_ros.workflows.appearance.image_poses import configured_poses
from autourdf_ros.workflows.appearance.splat_result import read_result_splats


@dataclass(frozen=True)
class DrawnImage:
    """What a camera sees.

    Attributes:
        color: (H, W, 3) uint8 RGB before a black background; None where no colours are known.
        depth: (H, W) float32 along the optical axis (m), NaN where nothing is.
        link: (H, W) number of the link, or NOTHING.
        mask: (H, W) float32 share of a pixel that the robot covers.
    """

    color: NDArray[np.uint8] | None
    depth: NDArray[np.float32]
    link: NDArray[np.int64]
    mask: NDArray[np.float32]


class DrawnRobot:
    """Splats of a result folder, ready to be drawn.

    Raises:
        InputError: The folder has no splats, or is damaged.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.model = read_self_model(folder)
        self._splats, self._links = read_result_splats(folder)

    def draw(self, positions: Mapping[str, float], camera: PinholeCamera) -> DrawnImage:
        """Return an image.

        Args:
            positions: By name of a joint or motor (rad or m); others stand at their reference.
            camera: In the base frame.

        Raises:
            InputError: A joint is unknown.
        """
        poses = configured_poses(self.model, positions, str(self._folder))
        image = rasterize(posed(self._splats, self._links, poses), camera)
        surface = seen_surface(image)
        link = np.full(surface.number.shape, NOTHING, np.int64)
        shown = surface.number >= 0
        link[shown] = self._links[surface.number[shown]]
        color = (image.pixels[..., :3].clip(0, 1) * 255 + 0.5).astype(np.uint8)
        return DrawnImage(color, surface.depth, link, 1 - image.pixels[..., 3])

    def points(self, positions: Mapping[str, float]) -> NDArray[np.float64]:
        """Return the places (N, 3) of all splats in the base frame (m)."""
        poses = configured_poses(self.model, positions, str(self._folder))
        return posed(self._splats, self._links, poses).means.astype(np.float64)
