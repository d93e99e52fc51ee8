"""Rigid parts are found in clouds of one camera, however they move."""

import numpy as np
import pytest
import trimesh
from scipy.spatial import cKDTree
from scipy.spatial.transform import Rotation

from autourdf_ros.errors import ReconstructionError
from autourdf_ros.estimation.motion.parts.rigid_parts import rigid_parts
from autourdf_ros.estimation.motion.parts.rigid_parts_options import PartsOptions
from autourdf_ros.estimation.motion.seen_clouds import SeenClouds

pytestmark = pytest.mark.slow
EYE = np.array([0.3, -1.2, 0.8])
OPTIONS = PartsOptions(points=1500, frames=6)


def _cloud(boxes, poses, rng):
    """Points with 0.3 mm of noise on the faces of boxes that the camera faces."""
    found = []
    for mesh, pose in zip(boxes, poses, strict=True):
        moved = mesh.copy().apply_transform(pose)
        points, faces = trimesh.sample.sample_surface(moved, 4000, seed=int(rng.integers(1000)))
        facing = np.einsum("ni,ni->n", EYE - points, moved.face_normals[faces]) > 0
        found.append(points[facing])
    points = np.concatenate(found)
    return points + 3e-4 * rng.normal(size=points.shape)


def _poses(frames):
    """A box that slides and turns as it likes, and one that turns on it."""
    result = []
    for t in np.linspace(0, 1, frames):
        first, second = np.eye(4), np.eye(4)
        first[:3, :3] = Rotation.from_euler("z", 0.3 * t).as_matrix()
        first[:2, 3] = 0.05 * t, -0.03 * t
        second[:3, :3] = Rotation.from_euler("z", 0.7 * t).as_matrix()
        second[:3, 3] = first[:3, :3] @ [0.1, 0, 0.04] + first[:3, 3]
        result.append([first, second])
    return np.array(result)


@pytest.fixture(scope="module")
def seen():
    rng = np.random.default_rng(0)
    far = trimesh.creation.box((0.2, 0.06, 0.04)).apply_translation((0.08, 0, 0))
    boxes = [trimesh.creation.box((0.25, 0.1, 0.04)), far]
    clouds = [_cloud(boxes, poses, rng) for poses in _poses(8)]
    # A speck that stands still is what the engine takes for the base, and no part.
    speck = 0.006 * rng.uniform(-1, 1, (60, 3)) * [1, 1, 0.05] + [0, -0.1, 0.02]
    clouds = [np.vstack([cloud, speck + 1e-4 * rng.normal(size=speck.shape)]) for cloud in clouds]
    return SeenClouds(clouds, clouds, 3, EYE)


def test_two_bodies_are_two_parts_that_move_as_they_did(seen):
    found = rigid_parts(seen, OPTIONS)
    assert len(found.surfaces) == 2
    truth = _poses(8)
    wanted = truth @ np.linalg.inv(truth[3])
    for part, surface in enumerate(found.surfaces):
        used = np.isfinite(found.poses[:, part, 0, 0])
        assert used.sum() >= 5
        errors = []
        for body in range(2):
            apart = found.poses[used, part] - wanted[used, body]
            moved = apart[:, :3, :3] @ surface.points.mean(axis=0) + apart[:, :3, 3]
            errors.append(np.linalg.norm(moved, axis=1).max())
        assert min(errors) < 0.006  # the points are about 5 mm apart
        towards = np.einsum("ni,ni->n", EYE - surface.points, surface.normals)
        assert (towards > 0).mean() > 0.95
    shown = np.vstack([one.points for one in found.shown])
    assert len(found.shown) == 2
    assert len(shown) > 0.9 * len(seen.points[3])  # none is thinned away
    assert np.median(cKDTree(seen.points[3]).query(shown)[0]) < 0.001


def test_one_frame_shows_no_parts(seen):
    nothing = np.zeros((0, 3))
    clouds = [seen.points[3] if k == 3 else nothing for k in range(8)]
    with pytest.raises(ReconstructionError, match="fewer than two frames"):
        rigid_parts(SeenClouds(clouds, clouds, 3, EYE), OPTIONS)
