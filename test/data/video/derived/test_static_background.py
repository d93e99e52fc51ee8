"""What stands behind the moving bodies of a video."""

import numpy as np
import pytest

from autourdf_ros.data.images.posed_camera import PinholeCamera
from autourdf_ros.data.video.camera_video import CameraVideo
from autourdf_ros.data.video.derived.static_background import static_background


def _video(depth: np.ndarray | None) -> CameraVideo:
    camera = PinholeCamera(8, 6, (8.0, 8.0), (3.5, 2.5), np.eye(4))
    colors = np.zeros((10, 6, 8, 3), np.uint8)
    return CameraVideo(camera, np.arange(10.0), depth, colors)


def test_the_background_is_what_a_passing_body_leaves_free() -> None:
    random = np.random.default_rng(0)
    depth = (2.0 + 0.004 * random.standard_normal((10, 6, 8))).astype(np.float32)
    for frame in range(6):
        depth[frame, :, frame : frame + 2] = 1.0
    depth[:4, 0, 0] = np.nan
    depth[2, 3, 3] = np.nan
    found = static_background(_video(depth))
    assert found is not None and np.isnan(found[0, 0])
    assert np.nanmax(np.abs(found - 2.0)) < 0.01
    assert np.isfinite(found).sum() == 47


def test_the_edge_of_a_body_that_swings_before_nothing_stays_nothing() -> None:
    depth = np.full((10, 6, 8), np.nan, np.float32)
    depth[:5, :, :4] = 1.0
    found = static_background(_video(depth))
    assert found is not None and np.isnan(found).all()


def test_colours_alone_have_no_background_in_depth() -> None:
    assert static_background(_video(None)) is None


@pytest.mark.parametrize("frames", [1, 3])
def test_short_videos_do(frames: int) -> None:
    camera = PinholeCamera(8, 6, (8.0, 8.0), (3.5, 2.5), np.eye(4))
    video = CameraVideo(camera, np.arange(float(frames)), np.full((frames, 6, 8), 2.0, np.float32))
    found = static_background(video)
    assert found is not None and (found == 2).all()
