"""Shapes without a first pose are found in what moves, or in masks of any numbering."""

from dataclasses import replace

import numpy as np
import pytest
from video_scene import camera, cart_pole

from autourdf_ros.assessment.metrics.video.pose_error import pose_errors
from autourdf_ros.data.video.video_shape import VideoShape
from autourdf_ros.estimation.video.tracking.track_bodies import track_bodies
from autourdf_ros.estimation.video.tracking.track_options import TrackOptions
from autourdf_ros.progress import silent

pytestmark = pytest.mark.slow
VIEW = camera(160, 120)


@pytest.fixture(scope="module")
def scene():
    return cart_pole(10, view=VIEW)


def unplaced(scene):
    return [VideoShape(one.name, one.mesh, None, one.color) for one in scene.shapes]


def test_shapes_are_found_in_what_moves(scene):
    track, warnings = track_bodies(scene.video, unplaced(scene), TrackOptions(), silent)
    errors = pose_errors(track, scene.poses)
    assert (errors.seen, warnings) == (1.0, ())
    assert errors.position < 0.001


def test_masks_of_another_order_are_assigned(scene):
    other = np.array([0, 7, 3], np.uint8)[scene.masks()]
    video = replace(scene.video, masks=other)
    for shapes in (unplaced(scene), scene.started_off(0)):
        track, _ = track_bodies(video, shapes, TrackOptions(), silent)
        errors = pose_errors(track, scene.poses)
        assert errors.seen == 1.0
        assert errors.position < 0.001
