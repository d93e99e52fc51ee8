"""Mass properties: those of known solids, and consistent for any."""

import numpy as np
import pytest
import trimesh
from hypothesis import given
from hypothesis import strategies as st

from autourdf_ros.shape.mass_properties import consistent, density_of, mass_properties


def test_a_brick_has_the_inertia_of_the_books():
    brick = trimesh.creation.box((0.1, 0.2, 0.3))
    brick.apply_translation((1, 2, 3))
    found = mass_properties(brick, 500)
    assert found.mass == pytest.approx(3.0)
    np.testing.assert_allclose(found.centre, (1, 2, 3))
    sides = np.array([0.1, 0.2, 0.3]) ** 2
    np.testing.assert_allclose(found.inertia, np.diag(3 / 12 * (sides.sum() - sides)), atol=1e-12)


@given(
    sizes=st.tuples(*[st.sampled_from([1e-5, 1e-3, 0.05, 1.0])] * 3),
    shift=st.sampled_from([0.0, 0.3, 5.0]),
    seed=st.integers(0, 1000),
)
def test_any_link_however_small_or_flat_is_consistent(sizes, shift, seed):
    random = np.random.default_rng(seed)
    turn = np.linalg.qr(random.normal(size=(3, 3)))[0]
    points = random.normal(size=(12, 3)) * sizes
    mesh = trimesh.convex.convex_hull(points)
    mesh.vertices = mesh.vertices @ turn.T + shift
    if mesh.volume <= 0:  # turned by a reflection
        mesh.invert()
    found = mass_properties(mesh)
    assert found.mass > 0
    # Nine digits, as they are written.
    written = np.vectorize(lambda value: float(f"{value:.9g}"))(found.inertia)
    moments = np.linalg.eigvalsh(written)
    assert moments[0] > 0
    assert moments[0] + moments[1] > moments[2]


def test_what_is_consistent_stays_as_it_is():
    inertia = np.diag([3.0, 4.0, 5.0])
    np.testing.assert_allclose(consistent(inertia), inertia)
    rod = consistent(np.diag([1.0, 1.0, 0.0]))
    assert np.linalg.eigvalsh(rod)[0] > 0
    np.testing.assert_allclose(rod, np.diag([1.0, 1.0, 0.0]), atol=1e-5)


def test_a_total_mass_is_shared_by_volume():
    meshes = [trimesh.creation.box((0.1, 0.1, 0.1)), trimesh.creation.box((0.1, 0.1, 0.3)), None]
    density = density_of(8.0, meshes)
    masses = [mass_properties(mesh, density).mass for mesh in meshes]
    assert sum(masses) == pytest.approx(8.0)
    assert masses[1] == pytest.approx(3 * masses[0])
