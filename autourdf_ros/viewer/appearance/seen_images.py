"""Recorded images on the page, beside what the splats draw in their places."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import viser
import viser.transforms
from numpy.typing import NDArray

from autourdf_ros.data.images.posed_camera import PinholeCamera


@dataclass(frozen=True)
class SeenImage:
    """An image that the fit of the splats held out.

    Attributes:
        number: Of the image.
        camera: That took it, in the base frame.
        values: Joint values (rad or m) by name.
        recorded: (H, W, 3) uint8 RGB, the part around the robot.
        drawn: (H, W, 3) likewise.
        psnr: Of the robot's pixels (dB); None without a mask.
    """

    number: int
    camera: PinholeCamera
    values: Mapping[str, float]
    recorded: NDArray[np.uint8]
    drawn: NDArray[np.uint8]
    psnr: float | None


class ImageControls:
    """Controls that choose an image, and show it beside the drawn one and in the scene."""

    def __init__(
        self,
        server: viser.ViserServer,
        images: Sequence[SeenImage],
        size: float,
        chosen: Callable[[SeenImage], None],
    ) -> None:
        """Add the controls to the panel.

        Args:
            server: The page's server.
            images: At least one.
            size: Of a camera in the scene (m).
            chosen: Called when an image is chosen: the robot is to stand as in it.
        """
        self._server, self._images, self._chosen, self._size = server, images, chosen, size
        gui = server.gui
        self._number = gui.add_slider("image", 0, max(len(images) - 1, 1), 1, 0)
        self._text = gui.add_markdown("")
        self._pictures = gui.add_image(self._both())
        button = gui.add_button("look from its camera", hint="with the robot as in the image")
        self._number.on_update(lambda _: self._choose())
        button.on_click(self._look)
        self._describe()

    @property
    def now(self) -> SeenImage:
        """The chosen image."""
        return self._images[min(max(self._number.value, 0), len(self._images) - 1)]

    def _both(self) -> NDArray[np.uint8]:
        return np.hstack([self.now.recorded, self.now.drawn])

    def _choose(self) -> None:
        self._pictures.image = self._both()
        self._describe()
        self._chosen(self.now)

    def _describe(self) -> None:
        now, camera = self.now, self.now.camera
        ratio = "" if now.psnr is None else f", {now.psnr:.1f} dB of the robot's pixels"
        self._text.content = f"held-out image {now.number}, recorded and drawn{ratio}"
        self._server.scene.add_camera_frustum(
            "/camera",
            fov=_height_angle(camera),
            aspect=camera.width / camera.height,
            scale=self._size,
            wxyz=viser.transforms.SO3.from_matrix(camera.pose[:3, :3]).wxyz,
            position=camera.pose[:3, 3],
        )

    def _look(self, event: viser.GuiEvent[viser.GuiButtonHandle]) -> None:
        """Show the scene as the camera saw it, with the robot as in the image."""
        self._chosen(self.now)
        if event.client is None:
            return
        camera = self.now.camera
        with event.client.atomic():
            event.client.camera.wxyz = viser.transforms.SO3.from_matrix(camera.pose[:3, :3]).wxyz
            event.client.camera.position = camera.pose[:3, 3]
            event.client.camera.fov = _height_angle(camera)


def _height_angle(camera: PinholeCamera) -> float:
    return float(2 * np.arctan(camera.height / 2 / camera.focal[1]))
