import numpy as np
import pytest
import trimesh
from mechanism_tracks import NO_SYMMETRY

from autourdf_ros.data.video.video_shape import VideoShape
from autourdf_ros.estimation.video.joints.mounting import body_distance
from autourdf_ros.estimation.video.pose_track import PoseTrack
from autourdf_ros.geometry.rigid_motion import from_translation
from autourdf_ros.geometry.triangle_mesh import GREY, from_trimesh


def two_boxes(gap):
    """A long box and a small one before the middle of its side, `gap` from it (m)."""
    sizes = {"cabinet": (1.0, 0.2, 0.2), "drawer": (0.1, 0.1, 0.1)}
    shapes = tuple(
        VideoShape(name, from_trimesh(trimesh.creation.box(size), GREY), None)
        for name, size in sizes.items()
    )
    poses = np.tile(np.eye(4), (2, 3, 1, 1))
    poses[0, 0] = np.nan
    poses[1] = from_translation(np.array([0.13, 0.15 + gap, 0.0]))
    poses[1, 2, 1, 3] += 1.0  # later it is elsewhere
    covariances = np.tile(np.eye(6), (2, 3, 1, 1))
    symmetries = (NO_SYMMETRY, NO_SYMMETRY)
    track = PoseTrack(
        tuple(sizes), np.arange(3.0), poses, covariances, np.zeros((2, 3)), symmetries
    )
    return track, shapes


def test_distance_is_that_of_surfaces_where_no_corner_is_near():
    track, shapes = two_boxes(0.005)
    assert body_distance(track, 0, 1, shapes) == pytest.approx(0.005, abs=1e-6)


def test_without_a_shape_the_distance_is_that_of_centres():
    track, shapes = two_boxes(0.005)
    assert body_distance(track, 0, 1, shapes[:1]) == pytest.approx(np.hypot(0.13, 0.155))


def test_bodies_that_are_never_seen_together_are_not_near():
    track, shapes = two_boxes(0.005)
    track.poses[1, 1:] = np.nan
    assert body_distance(track, 0, 1, shapes) == np.inf
