"""A room of texture around robot and cameras."""

import numpy as np
import pytest

from autourdf_ros.errors import InputError
from autourdf_ros.simulation.images.image_recording import ImageOptions
from autourdf_ros.simulation.images.textured_room import TexturedRoom


def test_a_place_on_a_wall_has_one_colour_from_everywhere():
    room = TexturedRoom(np.array([1.0, 2.0, 3.0]), 2.0, 0)
    rng = np.random.default_rng(0)
    half = 2.2 * 2.0
    places = np.array([1.0, 2.0, 3.0]) + rng.uniform(-0.99 * half, 0.99 * half, (60, 3))
    sides = np.repeat([0, 1, 2], 20)
    places[np.arange(60), sides] = np.array([1.0, 2.0, 3.0])[sides] + half * np.tile([-1, 1], 30)
    first = room.colors(np.array([1.0, 2.0, 3.0]), places - [1.0, 2.0, 3.0])
    eye = np.array([2.0, 1.0, 3.5])
    assert np.allclose(first, room.colors(eye, 0.3 * (places - eye)))
    assert first.min() >= 0 and first.max() <= 255 and first.std() > 20
    assert not np.allclose(first, TexturedRoom(np.array([1.0, 2, 3]), 2.0, 1).colors(eye, places))


def test_a_ray_along_an_axis_meets_a_wall():
    room = TexturedRoom(np.zeros(3), 1.0, 0)
    found = room.colors(np.zeros(3), np.vstack([np.eye(3), -np.eye(3)]))
    assert np.isfinite(found).all()


def test_the_other_renderer_draws_no_room():
    with pytest.raises(InputError, match="a room is drawn by the renderer sun, not by pybullet"):
        ImageOptions(room=True, renderer="pybullet")
