"""Sums of a comparison, what is visible, and what is cropped."""

from dataclasses import replace

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from moving_scene import camera_poses
from watched_arm import MOTORS, model, path, watch

from autourdf_ros.data.background import Background
from autourdf_ros.geometry.rigid_motion import exp_se3, inverse, log_se3, transform
from autourdf_ros.monitoring.lengths import Lengths
from autourdf_ros.monitoring.observing.cropping import crop_points, neighbourhood
from autourdf_ros.monitoring.observing.depth_image import depth_image
from autourdf_ros.monitoring.observing.observation_comparison import (
    CroppedObservation,
    compare_displaced,
    compare_observation,
)
from autourdf_ros.monitoring.observing.posed_scene import PosedScene

MODEL = model()
FINE, COARSE = Lengths().fine, Lengths().coarse
HAND = MODEL.segment_body == 3
ON_HAND = HAND[MODEL.owner[MODEL.samples[1]]]
twists = st.tuples(*[st.floats(-0.02, 0.02)] * 3, *[st.floats(-0.004, 0.004)] * 3).map(np.array)
nothing = np.zeros(len(MODEL.segments))


def observations_of_hand(twist, values):
    """Yield observations from eight corners of points of the hand, which a twist displaces."""
    poses = MODEL.poses(values)
    own = MODEL.samples[0][ON_HAND]
    middle = own.mean(axis=0)
    about = np.eye(4)
    about[:3, 3] = middle
    moved = transform(about @ exp_se3(twist) @ inverse(about), own)
    points = transform(poses[-1], moved).astype(np.float32)
    ones = np.ones(len(points), np.float32)
    for corner in np.array(np.meshgrid([-1, 1], [-1, 1], [-1, 1])).reshape(3, -1).T:
        pose = np.eye(4)
        pose[:3, 3] = transform(poses[-1], middle + 3.0 * corner)
        yield CroppedObservation(
            0.0, "left", values, 0 * values, poses, pose, points, ones, points[:0], nothing, nothing
        )


def whole(observations, start):
    """Return the twist about the origin by the sums of the hand's segments, from a start."""
    moves = np.zeros((len(MODEL.segments), 6))
    moves[HAND] = start
    found = [compare_displaced(MODEL, observation, moves) for observation in observations]
    information = sum(one.information[HAND].sum(axis=0) for one in found)
    return np.linalg.solve(information, sum(one.gradient[HAND].sum(axis=0) for one in found))


@settings(max_examples=5)
@given(twists, st.tuples(*[st.floats(-1.0, 1.0)] * 3).map(np.array))
def test_normal_equations_determine_the_twist(twist, values):
    observations = list(observations_of_hand(twist, values))
    own = MODEL.samples[0][ON_HAND]
    middle = own.mean(axis=0)
    about = np.eye(4)
    about[:3, 3] = middle
    true = about @ exp_se3(twist) @ inverse(about)

    def off(found):
        return np.linalg.norm(transform(true, own) - transform(exp_se3(found), own), axis=1).max()

    # The truth is where they stay, and from nothing they lead there.
    assert off(whole(observations, log_se3(true))) < 2e-4
    found = np.zeros(6)
    for _ in range(4):
        found = whole(observations, found)
    assert off(found) < 0.3 * off(np.zeros(6)) + 2e-4


def test_healthy_model_has_no_twist_and_is_covered():
    for observation in watch(path(2)):
        found = compare_observation(MODEL, observation)
        assert found.observation.missing.sum() == 0
        assert found.observation.seen.sum() > 300
        assert len(found.unexplained) < 0.02 * len(found.observation.close)
        assert np.sqrt(found.squares.sum() / found.counts.sum()) < 0.0015


def test_distances_are_to_where_the_readings_have_the_model_wherever_points_are_matched():
    observation = compare_observation(MODEL, next(iter(watch(path(1))))).observation
    twist = np.array([0.01, -0.005, 0.008, 0.002, -0.001, 0.003])
    moves = np.where(HAND[:, None], twist, 0.0)
    found = compare_displaced(MODEL, observation, moves)
    # Of the whole quadratic the part that is left at the twist is that of the distances there.
    left = found.squares - ((2 * found.gradient - found.information @ twist) * twist).sum(axis=1)
    displaced = PosedScene(MODEL, observation.poses, moves)
    gaps = np.linalg.norm(
        observation.close - displaced.nearest(observation.close.astype(float))[0], axis=1
    )
    assert 0 < left[HAND].sum() < (observation.number * gaps**2).sum()


def test_hidden_surface_is_no_evidence():
    scene = PosedScene(MODEL, MODEL.poses(np.zeros(3)))
    camera_position = np.array([2.0, 0.0, 0.25])
    visible = scene.visible(camera_position)
    owner = MODEL.triangle_body[MODEL.samples[1]]
    assert visible[owner == 0].any()
    toward = camera_position - scene.samples
    assert not visible[np.einsum("ni,ni->n", toward, scene.sample_normals) < 0].any()
    # The column stands in the arm's shadow, and the hand before the arm's end.
    inside = (owner == 1) & (scene.samples[:, 2] > 0.4)
    assert not visible[inside & (np.abs(scene.samples[:, 1]) < 0.045)].any()
    end = (owner == 2) & (scene.sample_normals[:, 0] > 0.9)
    between = (scene.samples[:, 1] > -0.02) & (scene.samples[:, 2] > 0.47)
    assert not visible[end & between & (scene.samples[:, 2] < 0.51)].any()


def test_missing_needs_something_seen_beyond():
    pose = np.eye(4)
    rows, columns = np.meshgrid(np.linspace(-0.4, 0.4, 200), np.linspace(-0.4, 0.0, 100))
    wall = np.stack([rows, columns, np.full_like(rows, 1.0)], axis=-1).reshape(-1, 3)
    image = depth_image(wall.astype(np.float32), pose)
    places = np.array(
        [
            [0.0, -0.2, 1.0],  # on the wall
            [0.0, -0.1, 0.5],  # before it, where the camera sees past
            [0.0, -0.2, 1.5],  # behind it
            [0.0, 0.2, 0.5],  # where nothing was measured
            [0.0, 0.0, -1.0],  # behind the camera
            [5.0, 0.0, 1.0],  # out of view
        ]
    )
    seen, missing = image.visibility(places, 0.03)
    assert seen.tolist() == [True, False, False, False, False, False]
    assert missing.tolist() == [False, True, False, False, False, False]


@settings(max_examples=5)
@given(st.integers(0, 2**32 - 1))
def test_cropped_points_are_means_of_measured_ones_near_the_robot(seed):
    rng = np.random.default_rng(seed)
    robot = rng.uniform(0, 0.3, (200, 3))
    points = rng.uniform(-0.5, 0.5, (1500, 3)) * rng.choice([0.1, 1, 3], (1500, 1))
    points[::7] = np.nan
    pose = camera_poses(1)[0]
    points = transform(inverse(pose), points).astype(np.float32)
    kept, number, close = crop_points(points, pose, neighbourhood(robot, Lengths()))
    measured = transform(pose, points[np.isfinite(points).all(1)].astype(float))
    gaps = np.linalg.norm(kept[:, None] - measured[None], axis=-1)
    assert (gaps.min(axis=1, initial=np.inf)[number == 1] < 1e-6).all()
    assert (number > 1).any()
    for reach, own in ((FINE, close), (COARSE, ~close)):
        assert ((gaps[own] < np.sqrt(3) * reach).sum(axis=1) >= number[own]).all()
    distances = np.linalg.norm(kept[:, None] - robot[None], axis=-1).min(axis=1)
    assert (distances[close] < 0.2).all()
    assert (distances < 0.7).all()
    near = np.linalg.norm(measured[:, None] - robot[None], axis=-1).min(axis=1) < 0.05
    if near.any():  # none is lost: it is in the mean of its voxel
        assert gaps[:, near].min(axis=0).max() <= np.sqrt(3) * FINE + 1e-6
    assert number[close].sum() >= near.sum()
    assert FINE < COARSE


def test_empty_cloud_and_background_that_is_everything():
    observation = next(iter(watch(path(1))))
    still = dict.fromkeys(MOTORS, 0.0)
    empty = replace(observation, points=np.zeros((0, 3), np.float32), readings=still)
    assert compare_observation(MODEL, empty).counts.sum() == 0
    points = observation.points[np.isfinite(observation.points).all(1)].astype(float)
    scene = Background(transform(observation.camera_pose, points).astype(np.float32))
    assert compare_observation(MODEL, observation, scene).counts.sum() == 0
