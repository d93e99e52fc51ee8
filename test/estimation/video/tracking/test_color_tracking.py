"""Bodies of known colour that move in a plane are tracked without depth."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.spatial.transform import Rotation
from video_scene import camera, cart_pole

from autourdf_ros.assessment.metrics.video.pose_error import pose_errors
from autourdf_ros.data.video.video_shape import VideoShape
from autourdf_ros.errors import InputError
from autourdf_ros.estimation.video.tracking.track_bodies import track_bodies
from autourdf_ros.estimation.video.tracking.track_options import TrackOptions
from autourdf_ros.progress import silent

pytestmark = pytest.mark.slow
PLANE = TrackOptions(plane=(0.0, 1.0, 0.0))


@pytest.fixture(scope="module")
def scene():
    found = cart_pole(12, view=camera(160, 120), rgb=True)
    noise = np.random.default_rng(0).normal(0, 3, found.video.colors.shape)
    colors = np.clip(np.round(found.video.colors + noise), 0, 255).astype(np.uint8)
    return replace(found, video=replace(found.video, colors=colors))


def off_in_plane(scene):
    """Return shapes whose first poses are off by 3 cm and 10 degrees in the plane y = 0."""
    turn = Rotation.from_euler("y", 10, degrees=True).as_matrix()
    for shape in scene.shapes:
        pose = shape.first_pose.copy()
        pose[:3, :3] = turn @ pose[:3, :3]
        pose[:3, 3] += (0.02, 0, -0.02)
        yield VideoShape(shape.name, shape.mesh, pose, shape.color)


def test_poses_in_the_plane_are_right(scene):
    track, warnings = track_bodies(scene.video, tuple(off_in_plane(scene)), PLANE, silent)
    errors = pose_errors(track, scene.poses)
    assert errors.seen == 1.0
    assert errors.position < 0.001
    assert errors.angle < np.radians(0.2)
    assert np.abs(errors.shifts[:, 1]).max() < 1e-3
    assert warnings == ()


def test_a_body_without_a_colour_cannot_be_tracked(scene):
    shapes = [VideoShape(one.name, one.mesh, one.first_pose) for one in scene.shapes]
    with pytest.raises(InputError, match="a colour is not known"):
        track_bodies(scene.video, shapes, PLANE, silent)


def test_a_body_without_a_first_pose_cannot_be_tracked_by_colour(scene):
    shapes = [VideoShape(one.name, one.mesh, None, one.color) for one in scene.shapes]
    with pytest.raises(InputError, match="cart: has no first pose"):
        track_bodies(scene.video, shapes, PLANE, silent)
