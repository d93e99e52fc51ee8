"""A plate slides within its plane, which only its edges show, as far as the anchor lets it."""

import numpy as np
import trimesh

from autourdf_ros.data.frame import Frame
from autourdf_ros.estimation.parts.confirmation.tracking.base_registration import (
    ANCHOR as FREE,
)
from autourdf_ros.estimation.parts.confirmation.tracking.observed_frame import observe
from autourdf_ros.estimation.parts.confirmation.tracking.pose_scoring import (
    ANCHOR,
    agreement,
    refined,
)
from autourdf_ros.geometry.rigid_motion import from_translation

AWAY = np.array([0.03, -0.02, 0.01])  # m


def left_over(anchor):
    plate = trimesh.creation.box((0.4, 0.5, 0.02))
    seen = trimesh.sample.sample_surface(plate, 6000, seed=1)[0] + AWAY
    frame = observe(Frame(seen.astype(np.float32)), np.eye(4), 9000, 110, 0)
    points, faces = trimesh.sample.sample_surface(plate, 500, seed=2)
    samples, pose = (points, plate.face_normals[faces]), np.eye(4)[None]

    pose = refined(frame, pose, samples, (0.03, 0.004), anchor)
    return float(np.linalg.norm(pose[0] - from_translation(AWAY)))


def test_a_start_that_says_little_leaves_the_plate_free():
    assert left_over(FREE) < 0.5 * left_over(ANCHOR)


def test_samples_between_sparse_points_agree_along_the_surface_and_not_across():
    """Points lie 10 mm apart, the width is 3 mm."""
    seen = trimesh.sample.sample_surface(trimesh.creation.box((0.8, 0.6, 0.2)), 3000, seed=1)[0]
    frame = observe(Frame(seen.astype(np.float32)), np.eye(4), 9000, 110, 0)
    assert frame.cloud.spacing > 3 * 0.003
    grid = np.mgrid[-0.3:0.3:20j, -0.2:0.2:20j].reshape(2, -1).T
    points = np.column_stack([grid, np.full(len(grid), 0.1)])
    samples = points, np.tile([0, 0, 1.0], (len(points), 1))
    poses = np.array([np.eye(4), from_translation(np.array([0, 0, 0.012]))])
    on, off = agreement(frame, poses, samples, 0.003)
    assert on > 0.25
    assert off < 0.1
