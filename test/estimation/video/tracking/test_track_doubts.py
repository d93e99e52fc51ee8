"""What makes a track doubtful is named, and nothing is named where all is well."""

from dataclasses import replace

import numpy as np
import pytest
from video_scene import camera, cart_pole

from autourdf_ros.assessment.metrics.video.pose_error import pose_errors
from autourdf_ros.data.video.video_shape import VideoShape
from autourdf_ros.estimation.video.tracking.track_bodies import track_bodies
from autourdf_ros.estimation.video.tracking.track_options import TrackOptions
from autourdf_ros.geometry.triangle_mesh import SurfaceMesh
from autourdf_ros.progress import silent

pytestmark = pytest.mark.slow
SMALL = camera(160, 120)


def tracked(scene, shapes=None, video=None):
    given = shapes or scene.started_off(1, 0.01, 3.0)
    return track_bodies(video or scene.video, given, TrackOptions(), silent)


@pytest.fixture(scope="module")
def scene():
    return cart_pole(12, view=SMALL)


def with_depth(scene, depth):
    return replace(scene.video, depth=depth)


def test_a_hand_in_front_is_named_and_hidden_poses_are_unknown(scene):
    depth = scene.video.depth.copy()
    depth[4:8, 20:100, 40:130] = 0.6
    track, warnings = tracked(scene, video=with_depth(scene, depth))
    assert any("hand" in one and "frame 4" in one for one in warnings)
    assert any("pole: is not seen in 4 of 12 frames" in one for one in warnings)
    assert np.isnan(track.poses[:, 4:8]).all()
    assert np.isfinite(track.poses[:, 8:]).all()
    assert pose_errors(track, scene.poses).position < 0.002


def test_a_hand_that_has_a_mask_is_no_doubt(scene):
    depth, masks = scene.video.depth.copy(), scene.masks().copy()
    depth[4:8, 20:60, 40:80], masks[4:8, 20:60, 40:80] = 0.6, 9
    shown = replace(scene.video, depth=depth, masks=masks)
    track, warnings = tracked(scene, video=shown)
    assert not any("hand" in one or "moved" in one for one in warnings)
    assert track.seen[:, 8:].all() and pose_errors(track, scene.poses).position < 0.002


def test_a_body_that_comes_late_is_named(scene):
    hidden = cart_pole(12, view=SMALL).video.depth.copy()
    hidden[:3] = np.nan
    track, warnings = tracked(scene, video=with_depth(scene, hidden))
    assert any("pole: is not in sight at the start" in one for one in warnings)
    assert np.isnan(track.poses[:, :3]).all()


def test_a_camera_that_moves_is_named(scene):
    depth = scene.video.depth.copy()
    depth[6:] = np.roll(depth[6:], (8, 10), (1, 2)) * 0.93
    _, warnings = tracked(scene, video=with_depth(scene, depth))
    assert any("camera has moved" in one for one in warnings)


def test_a_mesh_of_the_wrong_scale_is_named(scene):
    cart, pole = scene.started_off(1, 0.01, 3.0)
    mesh = SurfaceMesh(cart.mesh.vertices * np.float32(1.08), cart.mesh.triangles, cart.mesh.colors)
    _, warnings = tracked(scene, (VideoShape("cart", mesh, cart.first_pose), pole))
    assert any("cart: looks" in one and "smaller than its mesh" in one for one in warnings)


def test_dropped_frames_are_named(scene):
    stamps = scene.video.stamps.copy()
    stamps[7:] += 0.1
    _, warnings = tracked(scene, video=replace(scene.video, stamps=stamps))
    assert any("dropped" in one for one in warnings)


def test_nothing_is_named_where_all_is_well(scene):
    assert tracked(scene)[1] == ()


def test_registration_of_points_is_less_accurate(scene):
    ours, _ = tracked(scene)
    icp, _ = track_bodies(
        scene.video, scene.started_off(1, 0.01, 3.0), TrackOptions(method="icp"), silent
    )
    assert pose_errors(icp, scene.poses).both > 3 * pose_errors(ours, scene.poses).both
