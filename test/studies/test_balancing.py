"""Tools on a small disc: how they are set, and that a wrong centre of mass lets them fall."""

import sys
from dataclasses import replace
from pathlib import Path

import mujoco
import numpy as np
import pytest
import trimesh

sys.path.insert(0, str(Path(__file__).parents[2] / "studies"))

from balancing.cell_records import STUDY_CELL, cell_recording
from balancing.disc_scene import RADIUS, BalancedTool, disc_scene, stays
from balancing.resting_place import planned_place, resting_place

from autourdf_ros.estimation.inertia.payload.regressor import recording_regressor
from autourdf_ros.model.inertial.inertial_parameters import parameters_from

TURN = trimesh.transformations.euler_matrix(0.4, -0.7, 1.1)
BAR = np.array([0.3, 0.02, 0.01])
HEAVY_END = np.array([0.1, 0.0, 0.0])
"""Centre of mass of the bar, along it from its middle."""


def surface(*parts):
    mesh = trimesh.util.concatenate(parts)
    points = trimesh.sample.sample_surface(mesh, 20000, seed=0)[0]
    return trimesh.transform_points(np.concatenate([mesh.vertices, points]), TURN)


def in_tool(point):
    return trimesh.transform_points([point], TURN)[0]


def set_on_disc(points, true, assumed):
    """Whether a tool stays that is set with an assumed centre of mass."""
    tool = BalancedTool(points, parameters_from(0.5, in_tool(true), 1e-3 * np.eye(3)))
    place = planned_place(points, in_tool(assumed), RADIUS)
    model = disc_scene(tool, in_tool(assumed), place)
    return stays(model, mujoco.MjData(model))


def test_a_bar_lies_flat_with_its_centre_of_mass_above_the_disc():
    place = planned_place(surface(trimesh.creation.box(BAR)), in_tool(HEAVY_END), RADIUS)
    assert place.lies
    assert place.height == pytest.approx(0.005, abs=1e-5)
    assert place.margin == pytest.approx(0.01, abs=1e-4)  # half of the bar's width
    assert abs(place.turn[2] @ TURN[:3, 2]) == pytest.approx(1.0, abs=1e-6)


def test_a_tilted_bar_is_turned_until_it_is_level():
    points = surface(trimesh.creation.box(BAR))
    down = TURN[:3, :3] @ [0.1, 0.2, -1.0]
    place = resting_place(points, in_tool(HEAVY_END), down / np.linalg.norm(down), RADIUS)
    np.testing.assert_allclose(place.turn[2], TURN[:3, 2], atol=1e-6)


def test_a_frame_stands_where_no_material_is_below_its_centre():
    bars = [
        trimesh.creation.box((size, 0.02, 0.02) if along else (0.02, size, 0.02))
        for along, size in ((True, 0.2), (True, 0.2), (False, 0.12), (False, 0.12))
    ]
    for bar, place in zip(bars, ((0, 0.07), (0, -0.07), (0.09, 0), (-0.09, 0)), strict=True):
        bar.apply_translation((*place, 0))
    place = planned_place(surface(*bars), in_tool([0, 0, 0]), RADIUS)
    assert not place.lies
    assert abs(place.height) > 0.05  # it stands on a bar, or hangs on it
    assert place.margin == pytest.approx(0.01, abs=1e-4)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("error", "kept"),
    [
        ([0.0, 0.0, 0.0], True),
        ([0.0, 0.008, 0.0], True),  # across the bar, half its width is the limit
        ([0.0, 0.012, 0.0], False),
        ([0.015, 0.0, 0.0], True),  # along the bar, the disc's radius
        ([0.02, 0.0, 0.0], False),
    ],
)
def test_a_bar_falls_where_the_error_is_larger_than_what_supports_it(error, kept):
    points = surface(trimesh.creation.box(BAR))
    assert set_on_disc(points, HEAVY_END + error, HEAVY_END) == kept


@pytest.mark.slow
def test_the_simulated_cell_weighs_what_its_robot_holds():
    """Least squares find the load and the bias in the records."""
    load = parameters_from(0.8, np.array([0.02, -0.03, 0.1]), 1e-3 * np.diag([2.0, 2.0, 1.0]))
    few = replace(STUDY_CELL, stops=4, rate=50.0)
    read = cell_recording(BalancedTool(np.zeros((0, 3)), load), np.eye(4), (0.05, 0.0025), 3, few)
    rows = recording_regressor(read)
    bias = np.tile(np.eye(6), (len(rows), 1, 1))
    matrix = np.concatenate([rows, bias], axis=2).reshape(-1, 16)
    found = np.linalg.lstsq(matrix, read.wrenches.ravel(), rcond=None)[0]
    assert found[0] == pytest.approx(0.8, abs=0.005)
    np.testing.assert_allclose(found[1:4] / found[0], load[1:4] / 0.8, atol=2e-3)
    np.testing.assert_allclose(found[10:], few.bias, atol=0.02)
