import numpy as np
import pytest
import trimesh
from scipy.spatial.transform import Rotation

from autourdf_ros.errors import InputError
from autourdf_ros.model.inertial.inertial_parameters import geodesic_distance, parameters_from
from autourdf_ros.shape.solid.cloud_solid import cloud_solid
from autourdf_ros.shape.solid.coloured_surface import ColouredSurface
from autourdf_ros.shape.solid.solid_options import SolidOptions

COARSE = SolidOptions(elements=1000)


def exact(mesh, volume):
    inertia = mesh.moment_inertia * volume / mesh.volume
    return parameters_from(volume, mesh.center_mass, inertia)


def sampled(mesh, count):
    return trimesh.sample.sample_surface(mesh, count, seed=0)[0]


@pytest.mark.parametrize(
    ("mesh", "volume_error", "distance"),
    [
        (trimesh.creation.icosphere(subdivisions=4, radius=0.05), 0.05, 0.05),
        (trimesh.creation.box((0.1, 0.02, 0.05)), 0.06, 0.08),
        (trimesh.creation.torus(0.05, 0.015), 0.05, 0.1),
        (trimesh.creation.box((0.2, 0.001, 0.02)), 0.15, 0.3),
    ],
)
@pytest.mark.slow
def test_volume_and_moments_are_those_of_the_body(mesh, volume_error, distance):
    mesh = mesh.apply_translation([0.3, -0.1, 0.2])
    body = cloud_solid(ColouredSurface(sampled(mesh, 800)), COARSE)
    assert body.volume == pytest.approx(mesh.volume, rel=volume_error)
    found = body.element_parameters().sum(0)
    assert geodesic_distance(exact(mesh, body.volume), found) < distance


def test_the_same_points_give_the_same_body():
    surface = ColouredSurface(sampled(trimesh.creation.icosphere(radius=0.05), 200))
    first, second = (cloud_solid(surface, COARSE) for _ in range(2))
    assert np.array_equal(first.centres, second.centres)
    assert np.array_equal(first.volumes, second.volumes)


def test_a_denser_cloud_states_a_surer_shape():
    mesh = trimesh.creation.icosphere(subdivisions=4, radius=0.05)
    sparse, dense = (cloud_solid(ColouredSurface(sampled(mesh, n)), COARSE) for n in (150, 600))
    assert dense.shape_std == pytest.approx(sparse.shape_std / 2, rel=0.2)


def test_points_on_a_line_are_refused():
    with pytest.raises(InputError, match="on one line"):
        cloud_solid(ColouredSurface(np.outer(np.arange(30.0), [1.0, 2.0, 3.0])))


def test_points_in_a_plane_are_refused_with_their_file():
    turn = Rotation.from_euler("xyz", [0.4, 0.7, 0.1]).as_matrix()
    for frame in (np.eye(3), turn):
        flat = np.random.default_rng(0).uniform(0, 0.1, (60, 3)) * [1, 1, 0] @ frame
        with pytest.raises(InputError, match=r"tray\.ply: .* in one plane"):
            cloud_solid(ColouredSurface(flat, source="tray.ply"))


def test_too_few_points_are_refused():
    with pytest.raises(InputError, match=r"cup\.ply: 5 points"):
        ColouredSurface(np.zeros((5, 3)), source="cup.ply")


def test_colours_of_another_length_are_refused():
    with pytest.raises(InputError, match="colours of shape"):
        ColouredSurface(np.zeros((30, 3)), np.zeros((29, 3)))
