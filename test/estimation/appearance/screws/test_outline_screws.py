"""The search for the screw of one joint."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from autourdf_ros.data.images.posed_camera import PinholeCamera, look_at
from autourdf_ros.estimation.appearance.kinematics.moved_parts import MovedOptions, moved_points
from autourdf_ros.estimation.appearance.screws.outline_screws import (
    ScrewSearchOptions,
    search_screw,
)
from autourdf_ros.estimation.appearance.screws.screw import PRISMATIC, REVOLUTE, even_screws
from autourdf_ros.estimation.appearance.silhouettes.silhouettes import Silhouettes
from autourdf_ros.geometry.lines import axis_angle, perpendicular_distance

AXIS = np.array([0.6, 0.0, 0.8])
POINT = np.array([0.1, 0.0, 0.1])
SIZE = 64
FAST = replace(ScrewSearchOptions(), turned=150, places=40, shifted=150, covering=300, starts=16)


def brick(lengths):
    """Points that fill a brick which stands on POINT."""
    grids = [np.linspace(0, length, 7) for length in lengths]
    return np.stack(np.meshgrid(*grids), axis=-1).reshape(-1, 3) + POINT


def mask_of(camera, points):
    """Pixels near points."""
    pixels, _ = camera.project(points)
    rows, columns = np.mgrid[:SIZE, :SIZE]
    apart = np.hypot(columns - pixels[:, 0, None, None], rows - pixels[:, 1, None, None])
    return (apart.min(axis=0) < 1.8).astype(np.float32)


def seen(kind, count=10):
    """What a joint that holds a brick moves in images from all around."""
    rng, points = np.random.default_rng(1), brick((0.3, 0.1, 0.05))
    values = rng.uniform(-1.5, 1.5, count) * (1.0 if kind == REVOLUTE else 0.15)
    views, masks = [], []
    for value in values:
        way = rng.normal(size=3)
        eye = 1.6 * way / np.linalg.norm(way)
        lens = (SIZE, SIZE, (70.0, 70.0), (SIZE / 2 - 0.5, SIZE / 2 - 0.5))
        views.append(PinholeCamera(*lens, look_at(eye, np.zeros(3))))
        if kind == REVOLUTE:
            turn = Rotation.from_rotvec(value * AXIS).as_matrix()
            moved = (points - POINT) @ turn.T + POINT
        else:
            moved = points + value * AXIS
        masks.append(mask_of(views[-1], moved))
    tiled = np.tile(points, (count, 1, 1))
    nothing = np.full((count, 1, 3), 50.0)
    return moved_points(Silhouettes.of(views, masks), values, tiled, tiled, nothing, MovedOptions())


@pytest.mark.parametrize("kind", [REVOLUTE, PRISMATIC])
def test_a_screw_is_found_with_its_sign_and_type(kind):
    found = search_screw(seen(kind), brick((0.3, 0.1, 0.05)), FAST)

    assert found.screws.kinds[0] == kind
    axis = found.screws.axes[0]
    assert axis @ AXIS > 0
    assert axis_angle(axis, AXIS) < 4
    if kind == REVOLUTE:
        assert perpendicular_distance(POINT, found.screws.points[0], axis) < 0.02
    assert (np.diff(found.costs) >= 0).all()


def test_the_true_screw_costs_nothing_and_its_reverse_does():
    moved = seen(REVOLUTE)
    pair = even_screws(2, POINT[None], 0)
    pair = replace(pair, axes=np.array([AXIS, -AXIS]))

    true, reverse = moved.costs(pair, 10.0)

    assert true < 0.1
    assert reverse > 2


def test_needed_pixels_refuse_a_screw_that_hides_what_moves():
    moved = seen(PRISMATIC)
    still = replace(even_screws(0, POINT[None], 2), axes=np.array([AXIS, [0.0, 0.0, 0.0]]))

    with_pixels = moved.costs(still, 10.0)
    without = moved.costs(still, 10.0, covering=False)

    assert with_pixels[0] < 0.3
    assert with_pixels[1] - without[1] > 1


def test_the_cost_of_all_points_is_the_mean_of_those_of_each():
    moved = seen(REVOLUTE)
    screws = replace(even_screws(2, POINT[None], 0), axes=np.array([-AXIS, AXIS]))

    each = moved.costs_of_points(screws, 10.0)

    assert each.max() > 1 > each.min()
    assert each.mean() == pytest.approx(moved.costs(screws, 10.0, covering=False)[0])
    few = moved.thinned(np.array([5])).costs(screws, 10.0, covering=False)[0]
    assert each[5] == pytest.approx(few)
