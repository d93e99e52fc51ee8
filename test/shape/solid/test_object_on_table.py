import numpy as np
import pytest
import trimesh

from autourdf_ros.errors import InputError
from autourdf_ros.shape.solid.coloured_surface import ColouredSurface
from autourdf_ros.shape.solid.object_on_table import connected_pieces, object_on_table
from autourdf_ros.shape.solid.table_completion import Table

TABLE = Table(np.array([0, 0, 1.0]), 0.0, 1e-4)


def box(places, lift=0.0):
    """Points of boxes on the table, and of the table itself."""
    rng = np.random.default_rng(0)
    points = [np.column_stack([rng.uniform(-0.3, 0.3, (9000, 2)), np.zeros(9000)])]
    for number, place in enumerate(places):
        mesh = trimesh.creation.box((0.06, 0.05, 0.04)).apply_translation([*place, 0.02 + lift])
        points.append(trimesh.sample.sample_surface(mesh, 900, seed=number)[0])
    return ColouredSurface(np.concatenate(points), source="scene")


def test_the_object_is_found_and_what_hangs_above_it_is_not():
    scene = box([(0.0, 0.0)])
    robot = np.random.default_rng(1).uniform([-0.05, -0.05, 0.2], [0.05, 0.05, 0.3], (3000, 3))
    both = ColouredSurface(np.concatenate([scene.points, robot]))
    found = object_on_table(both, TABLE)
    assert found.points[:, 2].max() < 0.05
    assert 700 < len(found.points) <= 900


def test_none_and_several_objects_are_named():
    with pytest.raises(InputError, match="2 objects stand on the table, at"):
        object_on_table(box([(0.0, 0.0), (0.2, 0.1)]), TABLE)
    with pytest.raises(InputError, match=r"points stand on the table|accepted are 20"):
        object_on_table(box([(0.0, 0.0)], lift=0.2), TABLE)


def test_points_within_reach_are_of_one_piece():
    points = np.array([[0, 0, 0], [0.9, 0, 0], [1.8, 0, 0], [4.0, 0, 0]], float)
    assert connected_pieces(points, 1.0).tolist() == [0, 0, 0, 1]
