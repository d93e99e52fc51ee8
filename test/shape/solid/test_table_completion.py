import numpy as np
import pytest
import trimesh

from autourdf_ros.errors import InputError
from autourdf_ros.shape.solid.cloud_solid import cloud_solid
from autourdf_ros.shape.solid.coloured_surface import ColouredSurface
from autourdf_ros.shape.solid.solid_options import SolidOptions
from autourdf_ros.shape.solid.table_completion import (
    Table,
    above_table,
    completed_on_table,
    fit_table,
)

BOX = trimesh.creation.box((0.1, 0.06, 0.03)).apply_translation([0, 0, 0.515])
TILT = trimesh.transformations.rotation_matrix(0.4, [1, 2, 0])[:3, :3]


def seen_from_above():
    """The top of a box on a table at the height 0.5: nothing of its sides or its bottom."""
    points, faces = trimesh.sample.sample_surface(BOX, 1500, seed=0)
    return points[BOX.face_normals[faces][:, 2] > 0.9]


def scene():
    rng = np.random.default_rng(0)
    table = np.column_stack([rng.uniform(-0.3, 0.3, (4000, 2)), np.full(4000, 0.5)])
    table[:, 2] += 1e-4 * rng.standard_normal(4000)
    points = np.concatenate([table, seen_from_above()])
    return ColouredSurface(points @ TILT.T, np.tile([0.2, 0.4, 0.6], (len(points), 1)))


def test_the_table_is_found_and_points_up_to_the_object():
    table = fit_table(scene())
    assert np.allclose(table.normal, TILT @ [0, 0, 1], atol=1e-3)
    assert table.height == pytest.approx(0.5, abs=1e-3)


def test_the_object_is_what_stands_clear_of_the_table():
    found = above_table(scene(), fit_table(scene()))
    assert len(found.points) == len(seen_from_above())
    assert found.colours.shape == found.points.shape


@pytest.mark.slow
def test_a_box_seen_from_above_is_completed_to_the_table():
    object_ = above_table(scene(), fit_table(scene()))
    completed = completed_on_table(object_, Table(TILT @ [0, 0, 1], 0.5))
    body = cloud_solid(completed, SolidOptions(elements=2000))
    assert body.volume == pytest.approx(BOX.volume, rel=0.2)
    heights = body.centres @ TILT @ [0, 0, 1]
    assert heights.min() > 0.495
    assert body.seen[heights > 0.527].mean() > 0.9
    assert not body.seen[heights < 0.505].any()


def test_a_scene_without_a_plane_is_refused():
    points = trimesh.sample.sample_surface(trimesh.creation.icosphere(4), 2000, seed=0)[0]
    with pytest.raises(InputError, match="lie on one plane"):
        fit_table(ColouredSurface(points))


def test_observed_of_another_length_is_refused():
    with pytest.raises(InputError, match="observed of shape"):
        ColouredSurface(np.zeros((30, 3)), observed=np.ones(29, bool))
