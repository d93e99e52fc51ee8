import numpy as np
import trimesh

from autourdf_ros.shape.segmentation.htc import (
    HtcOptions,
    box_corners,
    htc_parts,
    touching_elements,
)
from autourdf_ros.shape.solid.coloured_surface import ColouredSurface
from autourdf_ros.shape.solid.mesh_solid import mesh_solid
from autourdf_ros.shape.solid.solid_options import SolidOptions


def hammer():
    """A head across the end of a handle, of 500 elements."""
    head = trimesh.creation.box((0.03, 0.1, 0.03)).apply_translation([0.1, 0, 0])
    handle = trimesh.creation.box((0.2, 0.02, 0.02))
    mesh = trimesh.boolean.union([head, handle], engine="manifold")
    points = trimesh.sample.sample_surface(mesh, 1000, seed=0)[0]
    return mesh_solid(mesh, options=SolidOptions(elements=500)), ColouredSurface(points)


def assert_head_and_handle(body, labels):
    head = body.centres[:, 0] > 0.09
    handle = body.centres[:, 0] < 0.07
    assert len(np.unique(labels[handle])) == 1
    assert (labels[head] != labels[handle][0]).mean() > 0.9


def test_head_and_handle_are_two_parts():
    body, surface = hammer()
    assert_head_and_handle(body, htc_parts(body, 2, surface))


def test_the_methods_own_number_of_parts_is_small():
    body, surface = hammer()
    labels = htc_parts(body, None, surface)
    assert 2 <= labels.max() + 1 <= 5


def test_without_initial_clustering_every_element_is_a_piece():
    body, _ = hammer()
    coarse = mesh_solid(trimesh.creation.box((0.1, 0.02, 0.02)), options=SolidOptions(elements=20))
    labels = htc_parts(coarse, len(coarse.centres), options=HtcOptions(initial=False))
    assert len(np.unique(labels)) == len(coarse.centres)
    assert len(np.unique(htc_parts(body, 4))) == 4


def test_elements_of_a_box_touch_along_the_lattice():
    body = mesh_solid(trimesh.creation.box((0.04, 0.03, 0.02)), options=SolidOptions(elements=200))
    pairs = touching_elements(body)
    steps = np.abs(body.centres[pairs[:, 0]] - body.centres[pairs[:, 1]]).max(1)
    assert steps.max() < 1.5 * body.volumes.max() ** (1 / 3)
    assert len(np.unique(pairs)) == len(body.centres)


def test_corners_of_whole_cubes_are_exact():
    body = mesh_solid(trimesh.creation.box((0.04, 0.04, 0.04)), options=SolidOptions(elements=100))
    whole = body.volumes > 0.999 * body.volumes.max()
    sides = np.ptp(box_corners(body)[whole], axis=1)
    assert np.allclose(sides, body.volumes.max() ** (1 / 3), rtol=0.1)
