"""Depth images say which joint values are more likely."""

from dataclasses import replace

import numpy as np
import pytest
from hinged_video import hinged_video

from autourdf_ros.errors import InputError
from autourdf_ros.workflows.mechanisms.image_likelihood import (
    ImageLikelihood,
    ImageLikelihoodOptions,
)
from autourdf_ros.workflows.mechanisms.predicted_frames import DepthPainter

TRUE = np.array([[0.1, 0.8], [0.0, 0.3], [-0.1, -0.4]])


def _likelihood(every: int = 1) -> ImageLikelihood:
    found = hinged_video(TRUE)
    painter = DepthPainter(found.video.camera, [shape.mesh for shape in found.shapes])
    poses = found.track.poses.swapaxes(0, 1)
    depth = np.stack([painter.depth(one) for one in poses])
    video = replace(found.video, depth=np.where(np.isfinite(depth), depth, 2.5).astype("f4"))
    references = dict(zip(found.track.bodies, found.reference_poses, strict=True))
    options = ImageLikelihoodOptions(every=every, move=0.05)  # a pixel at 2 m
    return ImageLikelihood(
        video, found.shapes, found.model.tree, references, ("rail", "hinge"), options
    )


def test_it_is_greatest_at_the_truth_and_rises_towards_it() -> None:
    likelihood = _likelihood()
    best, _ = likelihood.slopes(TRUE)
    for way in ([0.05, 0.0], [-0.05, 0.0], [0.0, 0.1], [0.0, -0.1]):
        log, gradient = likelihood.slopes(TRUE + way)
        assert log < best - 1
        assert (gradient @ way).sum() < 0


def test_only_some_images_count_and_a_motion_that_diverges_is_impossible() -> None:
    values = TRUE + 0.1
    _, gradient = _likelihood(every=2).slopes(values)
    assert gradient[[0, 2]].all() and not gradient[1].any()
    values[2] = np.nan
    log, gradient = _likelihood(every=2).slopes(values)
    assert log == -np.inf and np.isfinite(gradient).all()


def test_a_video_without_depth_is_refused() -> None:
    found = hinged_video(TRUE)
    colors = np.zeros((len(TRUE), 30, 40, 3), np.uint8)
    video = replace(found.video, depth=None, colors=colors)
    with pytest.raises(InputError, match="no depth"):
        ImageLikelihood(video, found.shapes, found.model.tree, {}, ())
