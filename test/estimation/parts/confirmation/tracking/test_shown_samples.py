"""A frame shows the front of a wall, and not its back, however close both are."""

import numpy as np
import trimesh

from autourdf_ros.data.frame import Frame
from autourdf_ros.estimation.parts.confirmation.tracking.observed_frame import observe
from autourdf_ros.estimation.parts.confirmation.tracking.pose_refinement import shown
from autourdf_ros.estimation.parts.confirmation.tracking.surface_samples import PartSamples

THICK = 0.015  # m
REACH = 0.017, 0.003  # m: points lie farther apart than the wall is thick


def samples_of(mesh):
    points, faces = trimesh.sample.sample_surface(mesh, 3000, seed=2)
    normals, count = mesh.face_normals[faces], len(points)
    owners, size = np.zeros(count, np.int64), np.array([mesh.scale])
    return PartSamples(points, normals, owners, np.ones(count, bool), size, np.zeros((1, 3)))


def test_the_back_of_a_thin_wall_is_not_shown():
    wall = trimesh.creation.box((0.8, 0.6, THICK))
    points, faces = trimesh.sample.sample_surface(wall, 9000, seed=1)
    front = points[wall.face_normals[faces][:, 2] > 0.5]
    frame = observe(Frame(front.astype(np.float32)), np.eye(4), 9000, 110, 0)
    samples = samples_of(wall)
    seen = shown(samples, frame, np.eye(4)[None], REACH)
    side = samples.normals[:, 2]
    assert seen[side > 0.5].mean() > 0.95
    assert not seen[side < -0.5].any()
