"""Points that the frames contradict are no part of a link's surface."""

import numpy as np
import pytest

from autourdf_ros.estimation.motion.fitting.surface import LabelledSurface
from autourdf_ros.estimation.motion.result.confirmed_surfaces import confirmed_points
from autourdf_ros.geometry.point_cloud import prepare_measured_cloud

SPACING = 0.01
EYE = np.array([0.0, 0.0, 2.0])
FRAMES = 6
STEP = 0.1  # m that the second body moves from frame to frame


def square(centre):
    steps = np.arange(-0.1, 0.1, SPACING)
    one, two = (grid.ravel() for grid in np.meshgrid(steps, steps))
    return np.column_stack([one, two, np.zeros(len(one))]) + centre


STILL, MOVING = square([-0.3, 0, 0]), square([0.0, 0, 0.2])


def scene(eyes=True):
    """Two squares below a camera, the second of which moves; its first row is given to the first.

    Returns the surface, which points are given wrongly, the clouds and the poses.
    """
    wrong = MOVING[:, 0] < MOVING[:, 0].min() + SPACING / 2
    labels = np.concatenate([np.zeros(len(STILL), int), np.where(wrong, 0, 1)])
    points = np.concatenate([STILL, MOVING])
    normals = np.tile([0.0, 0, 1], (len(points), 1))
    ones = np.ones(len(points))
    surface = LabelledSurface(points, normals, ones, labels, ones)
    poses = np.tile(np.eye(4), (FRAMES, 2, 1, 1))
    poses[:, 1, 0, 3] = STEP * np.arange(FRAMES)
    clouds = []
    for pose in poses:
        measured = np.concatenate([STILL, MOVING + pose[1, :3, 3]])
        cameras = np.zeros(len(measured), np.uint8)
        chosen = np.arange(len(measured))
        seen_by = EYE[None] if eyes else None
        clouds.append(prepare_measured_cloud(measured, chosen, cameras, seen_by))
    return surface, np.concatenate([np.zeros(len(STILL), bool), wrong]), clouds, poses


def test_a_point_stays_that_most_frames_show_where_they_should():
    surface, wrong, clouds, poses = scene()
    kept = confirmed_points(surface, clouds, poses, SPACING)
    assert wrong.sum() > 10
    assert not kept[wrong].any()
    assert kept[~wrong].mean() > 0.99


def test_what_stands_in_front_contradicts_nothing():
    """The still square is hidden in most frames, and seen where it is not."""
    surface, _, clouds, poses = scene()
    roof = square([-0.3, 0, 1.0]) * (1.5, 1.5, 1.0) + (0.15, 0, 0)
    for number in range(1, FRAMES):
        measured = np.concatenate([MOVING + poses[number, 1, :3, 3], roof])
        clouds[number] = prepare_measured_cloud(
            measured, np.arange(len(measured)), np.zeros(len(measured), np.uint8), EYE[None]
        )
    kept = confirmed_points(surface, clouds, poses, SPACING)
    assert kept[: len(STILL)].mean() > 0.9


def test_without_the_places_of_the_cameras_all_points_stay():
    surface, _, clouds, poses = scene(eyes=False)
    assert confirmed_points(surface, clouds, poses, SPACING).all()


@pytest.mark.parametrize("lost", [0.0, 1.0])
def test_a_link_that_is_hardly_confirmed_keeps_all_its_points(lost):
    """Where a link as a whole is not where the model has it, its poses are in doubt."""
    surface, _, clouds, poses = scene()
    poses[1:, 1, 1, 3] += lost
    kept = confirmed_points(surface, clouds, poses, SPACING)
    assert kept[surface.labels == 1].all()
