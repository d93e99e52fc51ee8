"""Views for a model that sees images."""

import io

import numpy as np
from PIL import Image
from sample_assembly import DRAWER, cabinet, cabinet_joints

from autourdf_ros.estimation.parts.joint_types.joint_views import assembly_views, joint_views
from autourdf_ros.estimation.parts.joint_types.orthographic_view import (
    DIRECTIONS,
    OrthographicView,
    PartScene,
)
from autourdf_ros.estimation.parts.joint_types.type_options import TypeOptions

SMALL = TypeOptions(side=64)


def pixels(view):
    return np.array(Image.open(io.BytesIO(view.image.content)))


def test_every_direction_shows_the_whole_assembly_and_some_background():
    views = assembly_views(cabinet(), SMALL)
    assert [view.name for view in views] == list(DIRECTIONS)
    for view in views:
        image = pixels(view)
        white = (image == 255).all(axis=2)
        border = np.concatenate([white[0], white[-1], white[:, 0], white[:, -1]])
        assert image.shape == (64, 64, 3) and border.all() and 0.1 < (~white).mean() < 0.9


def test_a_view_has_x_and_z_where_its_direction_says():
    view = OrthographicView(np.array([-1.0, 0, 0]), np.zeros(3), 1.0, 4.0, 100)
    # Seen from the front, the robot's left (+y) is on the right, and z is up.
    np.testing.assert_allclose(view.pixels(np.array([[0, 0.5, 0.5]])), [[75, 25]])


def test_a_pixel_shows_the_part_that_its_place_projects_to():
    parts = cabinet().parts
    middle = parts[DRAWER].bounds.mean(axis=0)
    view = OrthographicView(np.array([-1.0, 0, 0]), middle, 0.5, 4.0, 65)
    colors = np.eye(4)[:, :3]
    image = np.array(PartScene(parts).image(view, colors))
    np.testing.assert_array_equal(image[32, 32], [0, 255, 0])


def test_a_joint_view_highlights_the_child_and_draws_the_axes():
    joint = cabinet_joints()[1]
    top = pixels(joint_views(cabinet(), joint, SMALL)[2]).astype(int)
    orange = (top[..., 0] > 240) & (top[..., 2] < 80)
    assert orange.mean() > 0.1
    without = pixels(joint_views(cabinet(), joint, TypeOptions(side=64, shown=0))[2]).astype(int)
    assert (np.abs(top - without).sum(axis=2) > 30).sum() > 40


def test_views_are_the_same_every_time():
    joint = cabinet_joints()[0]
    assert joint_views(cabinet(), joint, SMALL) == joint_views(cabinet(), joint, SMALL)
