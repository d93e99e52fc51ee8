"""What is no part of the robot is found."""

import numpy as np
import pytest
from sampled_shapes import box, merged_cloud, random_pose

from autourdf_ros.estimation.motion.fitting.articulation import Articulation, body_poses
from autourdf_ros.estimation.motion.fitting.frame_fit import States
from autourdf_ros.estimation.motion.fitting.surface import surface_of
from autourdf_ros.estimation.motion.uncertainty.foreign_points import (
    foreign_points,
    places_that_move,
)
from autourdf_ros.geometry.point_cloud import prepare_cloud
from autourdf_ros.geometry.rigid_motion import revolute_twist, transform

# About as large as the engine makes every robot.
MESHES = [box((0.5, 0.2, 0.1)), box((0.5, 0.1, 0.1), (0.45, 0, 0.1))]
UP = np.array([[0.0, 0, 1]])
MODEL = Articulation(
    np.array([0]), revolute_twist(UP, np.array([[0.25, 0, 0]])), np.array([True]), np.zeros((1, 3))
)
STATES = States(np.array([[0.0], [0.4], [0.8]]), np.tile(np.eye(4), (3, 1, 1)))
REFERENCE, LABELS = merged_cloud(MESHES, np.tile(np.eye(4), (2, 1, 1)), 800, 0)
SURFACE = surface_of(REFERENCE, LABELS)


def frames(extra=None, count=0):
    """Clouds of the robot in its states; `count` points of a ball at `extra` (3,) in the last."""
    clouds = []
    for number, poses in enumerate(body_poses(MODEL, STATES.values, STATES.base)):
        points = transform(poses[LABELS], REFERENCE.points)
        if extra is not None and number == 2:
            ball = np.random.default_rng(1).normal(0, 0.03, (count, 3))
            points = np.concatenate([points, ball + extra])
        clouds.append(prepare_cloud(points))
    return clouds


def found(clouds, used=(True,) * 3):
    return foreign_points(clouds, np.array(used), SURFACE, MODEL, STATES)


def test_the_robot_itself_is_not_foreign():
    assert found(frames()) is None


def test_points_far_from_all_links_are_reported_with_their_frame():
    foreign = found(frames(np.array([0.2, 0.6, 0.3]), 200))
    assert foreign.frames == (2,)
    assert foreign.share == pytest.approx(200 / 1800, rel=0.1)


def test_few_points_and_frames_that_are_not_used_count_for_nothing():
    assert found(frames(np.array([0.2, 0.6, 0.3]), 10)) is None
    assert found(frames(np.array([0.2, 0.6, 0.3]), 200), (True, True, False)) is None


def test_links_that_touch_stand_in_one_place():
    assert places_that_move(SURFACE) == ((1,),)


@pytest.mark.parametrize("seed", [0, 1])
def test_two_robots_stand_in_two_places_whose_bases_are_one_still_body(seed):
    away = np.eye(4)
    away[1, 3] = 0.8
    both = [np.eye(4), np.eye(4), away, away]
    cloud, labels = merged_cloud(MESHES * 2, random_pose(seed) @ np.array(both), 600, seed)
    surface = surface_of(cloud, np.array([0, 1, 0, 2])[labels])
    assert sorted(places_that_move(surface)) == [(1,), (2,)]


def test_what_stands_still_elsewhere_is_no_place_that_moves():
    clutter = [*MESHES, box((0.2, 0.2, 0.2), (0, 0.9, 0))]
    cloud, labels = merged_cloud(clutter, np.tile(np.eye(4), (3, 1, 1)), 600, 2)
    assert places_that_move(surface_of(cloud, np.array([0, 1, 0])[labels])) == ((1,),)
