"""Frames of a video as the tracker sees them: by their depths, or by their colours."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np

from autourdf_ros.data.video.camera_video import CameraVideo
from autourdf_ros.errors import InputError
from autourdf_ros.estimation.video.tracking.pixels.color_images import (
    color_background,
    color_labels,
)
from autourdf_ros.estimation.video.tracking.pixels.depth_images import (
    still_background,
    without_mixed,
)
from autourdf_ros.estimation.video.tracking.pixels.image_fit import SeenFrame
from autourdf_ros.estimation.video.tracking.pixels.known_body import lens_of
from autourdf_ros.estimation.video.tracking.pixels.pixel_rays import NOBODY, Errors, Image
from autourdf_ros.estimation.video.tracking.track_doubts import Surroundings, surroundings
from autourdf_ros.estimation.video.tracking.track_options import TrackOptions
from autourdf_ros.geometry.arrays import Array

FRONT = 0.1
"""Share of its distance by which something is in front of the background."""


class VideoView(Protocol):
    """Frames of a video."""

    def frame(self, number: int) -> SeenFrame:
        """Prepare a frame."""

    def around(self, number: int, frame: SeenFrame) -> Surroundings:
        """Return what a frame that is fitted shows beside the bodies."""


class DepthView:
    """Frames of depths."""

    def __init__(self, video: CameraVideo, options: TrackOptions) -> None:
        """video: With depth images."""
        assert video.depth is not None
        self._video, self._depth = video, video.depth
        self.background = still_background(self._depth, options)

    def frame(self, number: int) -> SeenFrame:
        """Prepare a frame."""
        lens, errors = lens_of(self._video.camera), self.background.errors
        depth = without_mixed(self._depth[number], errors, lens.fx)
        labels = np.full(depth.shape, NOBODY, np.int16)
        masks = self._video.masks
        shown = None if masks is None else masks[number].astype(np.int16) - 1
        return SeenFrame(Image(depth, labels, lens, errors), self.background.shows(depth), shown)

    def around(self, number: int, frame: SeenFrame) -> Surroundings:
        """Return what a frame that is fitted shows beside the bodies."""
        depth, errors = frame.image.depth, self.background.errors
        noise = errors.step * errors.axial * depth**2
        free = (frame.image.labels < 0) & np.isfinite(depth)
        if frame.masks is not None:
            free &= frame.masks == NOBODY  # what has a mask is accounted for
        with np.errstate(invalid="ignore"):
            off = np.abs(depth - self.background.early) > np.sqrt(2) * noise
            in_front = free & (depth < (1 - FRONT) * self.background.depth - noise)
        return surroundings(off, free, in_front)


class ColorView:
    """Frames of colours."""

    def __init__(
        self, video: CameraVideo, colors: Sequence[Array | None], options: TrackOptions
    ) -> None:
        """Prepare the background.

        Args:
            video: With colour images.
            colors: (3,) of the bodies, of 0 to 255.
            options: Choices.

        Raises:
            InputError: a body's colour is not known, and there are no masks.
        """
        assert video.colors is not None
        if video.masks is None and any(color is None for color in colors):
            raise InputError(
                "shapes: a colour is not known; accepted for a video without depth are shapes with "
                "colours, or masks"
            )
        self._video, self._colors = video, video.colors
        self._bodies = [np.zeros(3) if one is None else np.asarray(one, float) for one in colors]
        self._errors = Errors(0.0, options.lateral, options.edge, options.step)
        self.background = color_background(self._colors)
        still = np.round(self.background.colors).astype(np.uint8)
        # Where a body is in most frames, nobody knows what is behind it.
        self._hidden = color_labels(still, self.background, self._bodies) != NOBODY

    def frame(self, number: int) -> SeenFrame:
        """Prepare a frame: its labels do not depend on poses."""
        if self._video.masks is not None:
            labels = self._video.masks[number].astype(np.int16) - 1
        else:
            labels = color_labels(self._colors[number], self.background, self._bodies)
        depth = np.full(labels.shape, np.nan, np.float32)
        image = Image(depth, labels, lens_of(self._video.camera), self._errors)
        return SeenFrame(image, np.zeros(labels.shape, bool), None, colored=True)

    def around(self, number: int, frame: SeenFrame) -> Surroundings:
        """Return what a frame shows beside the bodies."""
        free = frame.image.labels == NOBODY
        image = self._colors[number]
        foreign = free & self.background.off(image) & ~self._hidden
        return surroundings(self.background.off(image, early=True), free, foreign)
