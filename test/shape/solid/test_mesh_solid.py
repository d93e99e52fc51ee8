import numpy as np
import pytest
import trimesh
from scipy.spatial import cKDTree

from autourdf_ros.errors import InputError
from autourdf_ros.model.inertial.inertial_parameters import geodesic_distance, parameters_from
from autourdf_ros.shape.solid.coloured_surface import ColouredSurface
from autourdf_ros.shape.solid.mesh_solid import even_points, mesh_solid
from autourdf_ros.shape.solid.solid_options import SolidOptions

COARSE = SolidOptions(elements=1000)


def exact(mesh):
    return parameters_from(mesh.volume, mesh.center_mass, mesh.moment_inertia)


@pytest.mark.parametrize(
    "mesh",
    [
        trimesh.creation.icosphere(radius=0.05),
        trimesh.creation.box((0.2, 0.001, 0.02)),
        trimesh.creation.annulus(0.02, 0.03, 0.1),
    ],
)
def test_moments_are_those_of_the_mesh(mesh):
    mesh.apply_translation([0.1, -0.2, 0.05])
    body = mesh_solid(mesh, options=COARSE)
    assert body.volume == pytest.approx(mesh.volume, rel=0.01)
    assert geodesic_distance(exact(mesh), body.element_parameters().sum(0)) < 0.03


def test_overlapping_components_count_once():
    first = trimesh.creation.box((0.1, 0.1, 0.1))
    second = first.copy().apply_translation([0.05, 0, 0])
    body = mesh_solid(trimesh.util.concatenate([first, second]), options=COARSE)
    assert body.volume == pytest.approx(1.5e-3, rel=0.01)


def test_a_component_that_is_inside_out_counts_and_a_cavity_does_not():
    outer = trimesh.creation.icosphere(radius=0.05)
    cavity = trimesh.creation.icosphere(radius=0.03)
    cavity.invert()
    beside = trimesh.creation.box((0.04, 0.04, 0.04)).apply_translation([0.2, 0, 0])
    beside.invert()
    body = mesh_solid(trimesh.util.concatenate([outer, cavity, beside]), options=COARSE)
    expected = outer.volume + cavity.volume - beside.volume
    assert body.volume == pytest.approx(expected, rel=0.02)


@pytest.mark.slow
def test_an_open_mesh_is_closed():
    mesh = trimesh.creation.icosphere(subdivisions=4, radius=0.05)
    opened = trimesh.Trimesh(mesh.vertices, mesh.faces[mesh.triangles_center[:, 2] < 0.04])
    body = mesh_solid(opened, options=COARSE)
    assert body.volume == pytest.approx(mesh.volume, rel=0.1)


def test_a_flat_mesh_is_refused():
    flat = trimesh.Trimesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]])
    with pytest.raises(InputError, match="1 triangles"):
        mesh_solid(flat)


def test_elements_take_the_colour_of_the_nearest_surface():
    mesh = trimesh.creation.box((0.1, 0.02, 0.02))
    points = trimesh.sample.sample_surface(mesh, 500, seed=0)[0]
    colours = np.where(points[:, :1] > 0, [1.0, 0, 0], [0, 0, 1.0])
    body = mesh_solid(mesh, ColouredSurface(points, colours), COARSE)
    assert (body.colours[body.centres[:, 0] > 0.01] == [1, 0, 0]).all()
    assert (body.colours[body.centres[:, 0] < -0.01] == [0, 0, 1]).all()


def test_points_lie_evenly_where_vertices_do_not():
    """Parts that follow vertices cut a bar where its mesh is fine, not where its shape changes."""
    bar = trimesh.creation.box((0.2, 0.02, 0.02))
    at_one_end = np.flatnonzero(bar.triangles_center[:, 0] > 0.09)
    for _ in range(5):
        bar = bar.subdivide(at_one_end)
        at_one_end = np.flatnonzero(bar.triangles_center[:, 0] > 0.09)
    points = even_points(bar, 400)
    apart = cKDTree(points).query(points, k=2)[0][:, 1]
    assert apart.min() > 0.4 * np.sqrt(bar.area / 400)
    assert (bar.vertices[:, 0] > 0.05).mean() > 0.9
    assert np.mean(points[:, 0] > 0.05) == pytest.approx(0.25, abs=0.03)
