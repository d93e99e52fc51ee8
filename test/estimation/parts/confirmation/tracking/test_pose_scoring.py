"""A plate slides within its plane, which only its edges show, as far as the anchor lets it."""

import numpy as np
import trimesh

from autourdf_ros.data.frame import Frame
from autourdf_ros.estimation.parts.confirmation.tracking.base_registration import (
    ANCHOR as FREE,
)
from autourdf_ros.estimation.parts.confirmation.tracking.observed_frame import observe
from autourdf_ros.estimation.parts.confirmation.tracking.pose_scoring import ANCHOR, refined
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
