import numpy as np
import pytest
import trimesh
from sampled_shapes import box

from autourdf_ros.estimation.motion.registration.camera_alignment import SHIFT, TURN, align_cameras
from autourdf_ros.geometry.point_cloud import prepare_cloud, prepare_seen_cloud
from autourdf_ros.geometry.rigid_motion import exp_se3, inverse, log_se3, transform

CAMERAS = 4
NOISE = 1e-3


def scene_parts():
    """An arm-like object of size about 1."""
    tilted = box((0.5, 0.12, 0.1), (0.15, 0, 0.25))
    tilted.apply_transform(trimesh.transformations.rotation_matrix(0.4, [0.2, 1, 0.4]))
    return trimesh.util.concatenate(
        [box((0.4, 0.4, 0.12), (0, 0, -0.4)), box((0.14, 0.18, 0.5), (0, 0, -0.1)), tilted]
    )


def seen(mesh, camera, seed):
    """Points (N, 3) of the faces that look to one of four cameras around, and above, the object."""
    azimuth = np.pi / 4 + camera * np.pi / 2
    view = np.array([np.cos(azimuth), np.sin(azimuth), 0.8])
    points, faces = trimesh.sample.sample_surface(mesh, 4000, seed=seed)
    points = np.asarray(points)[mesh.face_normals[faces] @ view > 0.3]
    return points + np.random.default_rng(seed).normal(0, NOISE, points.shape)


def views(errors, frames=4):
    """What cameras see whose clouds are moved by errors (C, 4, 4), in some poses of the object."""
    rng = np.random.default_rng(3)
    result = []
    for frame in range(frames):
        mesh = scene_parts()
        mesh.apply_transform(exp_se3(rng.normal(0, 0.15, 6)))
        result.append(
            [
                prepare_cloud(transform(errors[c], seen(mesh, c, 10 * frame + c)))
                for c in range(CAMERAS)
            ]
        )
    return result


def relative_shift(poses):
    """Root mean square distance between where two cameras see one point of the object."""
    corners = np.array(np.meshgrid(*[[-0.3, 0.3]] * 3)).reshape(3, -1).T
    placed = np.stack([transform(pose, corners) for pose in poses])
    return float(np.sqrt(((placed - placed.mean(axis=0)) ** 2).sum(axis=-1).mean()))


def extrinsic_errors(seed):
    rng = np.random.default_rng(seed)
    turns = rng.normal(0, np.radians(0.7), (CAMERAS, 3))
    return exp_se3(np.concatenate([turns, rng.normal(0, 0.007, (CAMERAS, 3))], axis=1))


@pytest.mark.slow
@pytest.mark.parametrize("seed", [0, 1])
def test_relative_errors_shrink_to_a_tenth(seed):
    errors = extrinsic_errors(seed)
    corrections = align_cameras(views(errors), NOISE).corrections
    assert relative_shift(errors) > 0.008
    assert relative_shift(corrections @ errors) < 0.1 * relative_shift(errors)


@pytest.mark.slow
def test_right_cameras_stay_and_the_mean_correction_is_none():
    corrections = align_cameras(views(np.tile(np.eye(4), (CAMERAS, 1, 1))), NOISE).corrections
    assert np.abs(corrections - np.eye(4)).max() < 5e-4
    corrections = align_cameras(views(extrinsic_errors(2)), NOISE).corrections
    assert np.abs(corrections[:, :3, 3].mean(axis=0)).max() < 1e-3
    np.testing.assert_allclose(
        corrections @ inverse(corrections), np.tile(np.eye(4), (4, 1, 1)), atol=1e-9
    )


def test_a_camera_that_saw_nothing_is_not_moved():
    errors = extrinsic_errors(0)
    blind = [[*frame[:3], None] for frame in views(errors)]
    corrections = align_cameras(blind, NOISE).corrections
    assert relative_shift((corrections @ errors)[:3]) < 0.15 * relative_shift(errors[:3])
    steps = np.abs(corrections[3] - np.eye(4)).max()
    assert steps < 0.02


@pytest.mark.slow
def test_the_frames_disagreement_says_how_well_the_corrections_are_known():
    errors = extrinsic_errors(0)
    every = views(errors, 24)
    one, other = (align_cameras(every[half::2], NOISE) for half in (0, 1))
    apart = log_se3(one.corrections @ inverse(other.corrections))
    spread = np.diagonal(one.covariances + other.covariances, axis1=1, axis2=2)
    assert 0.3 < np.sqrt(np.mean(apart**2 / spread)) < 2.5
    blind = align_cameras([[*frame[:3], None] for frame in every], NOISE)
    turns, shifts = np.sqrt(np.diagonal(blind.covariances[3])).reshape(2, 3)
    # Of independent values, one less their mean has (1 - 1 / C) of the variance.
    np.testing.assert_allclose(turns, np.sqrt(0.75) * TURN, rtol=0.05)
    np.testing.assert_allclose(shifts, np.sqrt(0.75) * SHIFT, rtol=0.05)


def plate_views(errors, frames=4):
    """What two cameras on either side see of a bent plate, 0.03 thick; clouds moved by errors."""
    rng = np.random.default_rng(5)
    sheet = [
        box((0.6, 0.03, 0.4), (0, 0, 0)),
        box((0.03, 0.3, 0.4), (0.3, 0.15, 0)),
        box((0.6, 0.3, 0.03), (0, 0.15, 0.2)),
    ]
    eyes = np.array([[0.3, 2.0, 1.0], [-0.3, -2.0, 1.0]])
    result = []
    for _ in range(frames):
        mesh = trimesh.util.concatenate(sheet)
        mesh.apply_transform(exp_se3(rng.normal(0, 0.1, 6)))
        views = []
        for eye, error in zip(eyes, errors, strict=True):
            points, faces = trimesh.sample.sample_surface(mesh, 6000, seed=rng)
            toward = eye - points
            facing = np.einsum("ni,ni->n", mesh.face_normals[faces], toward)
            points = np.asarray(points)[facing > 0.1 * np.linalg.norm(toward, axis=1)]
            points = transform(error, points + rng.normal(0, NOISE, points.shape))
            views.append(prepare_seen_cloud(points, np.arange(0, len(points), 2), eye))
        result.append(views)
    return result


def test_front_and_back_of_a_plate_stay_apart():
    """Two cameras on either side pulled its faces together by its thickness."""
    still = np.tile(np.eye(4), (2, 1, 1))
    views = plate_views(still)
    oriented = align_cameras(views, NOISE, oriented=True).corrections
    assert relative_shift(oriented) < 0.005
    assert relative_shift(align_cameras(views, NOISE).corrections) > 3 * relative_shift(oriented)
