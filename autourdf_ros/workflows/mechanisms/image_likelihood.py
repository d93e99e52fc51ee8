"""How likely depth images are, given joint values: rendered images against those of a video.

Heiden et al., "Inferring Articulated Rigid Body Dynamics from RGBD Video", 2022, section III-D:
squared differences of the pixels. They render differentiably; here each joint value is moved a
little, and the image rendered anew.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.data.video.camera_video import CameraVideo
from autourdf_ros.data.video.derived.static_background import static_background
from autourdf_ros.data.video.video_shape import VideoShape
from autourdf_ros.errors import InputError
from autourdf_ros.model.kinematic_tree import KinematicTree
from autourdf_ros.workflows.mechanisms.predicted_frames import DepthPainter

Array = NDArray[np.float64]


@dataclass(frozen=True)
class ImageLikelihoodOptions:
    """Choices.

    Attributes:
        every: Each so-manieth image counts.
        deviation: Standard deviation of a pixel's depth (m): of edges that lie beside, too.
        move: Of a joint value to either side for its derivative (rad or m): edges have to pass
            pixels.
    """

    every: int = 5
    deviation: float = 0.1
    move: float = 0.03


class ImageLikelihood:
    """Of the depth images of a video, by rendering."""

    def __init__(
        self,
        video: CameraVideo,
        shapes: Sequence[VideoShape],
        tree: KinematicTree,
        references: Mapping[str, Array],
        joints: Sequence[str],
        options: ImageLikelihoodOptions = ImageLikelihoodOptions(),
    ) -> None:
        """Prepare the images.

        Args:
            video: With depth; its images are those of the joint values, one each.
            shapes: Of the bodies.
            tree: Their joints.
            references: (4, 4) pose of every body at the reference configuration.
            joints: J names, the order of joint values.
            options: Choices.

        Raises:
            InputError: the video has no depth.
        """
        if video.depth is None:
            raise InputError("the video has no depth; accepted are depth images")
        self._options, self._tree = options, tree
        self._images = np.asarray(video.depth, float)
        self._painter = DepthPainter(
            video.camera, [one.mesh for one in shapes], static_background(video)
        )
        self._links = [tree.links.index(one.name) for one in shapes]
        self._references = np.stack([references[one.name] for one in shapes])
        self._columns = [tree.joint_names.index(name) for name in joints]

    def slopes(self, values: Array) -> tuple[float, Array]:
        """Return its logarithm, and the gradient (T, J) of that at joint values (T, J)."""
        total, gradient = 0.0, np.zeros(values.shape)
        steps = self._options.move * np.eye(values.shape[1])
        for frame in range(0, len(values), self._options.every):
            here = values[frame]
            if not np.isfinite(here).all():
                total = -np.inf
                continue
            total += self._log(frame, here)
            for column, step in enumerate(steps):
                rise = self._log(frame, here + step) - self._log(frame, here - step)
                gradient[frame, column] = rise / (2 * self._options.move)
        return total, gradient

    def _log(self, frame: int, values: Array) -> float:
        """Logarithm of the likelihood of one image at joint values (J,); pixels without count 0."""
        away = (self._rendered(values) - self._images[frame]) / self._options.deviation
        return float(-0.5 * np.nansum(away**2))

    def _rendered(self, values: Array) -> Array:
        """(H, W) depths (m) at joint values (J,)."""
        path = self._tree.reference_values.copy()
        path[self._columns] = values
        poses = self._tree.motions(path)[self._links] @ self._references
        return np.asarray(self._painter.depth(poses), float)
