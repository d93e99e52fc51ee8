"""The shape around an axis holds the axes that its covariance allows, and no others."""

import numpy as np
import pytest
import trimesh
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from autourdf_ros.viewer.axis_shapes import axis_envelope

pytestmark = pytest.mark.slow


def basis(seed):
    """An axis (3,) and two directions across it (2, 3)."""
    frame = Rotation.random(random_state=seed).as_matrix()
    return frame[0], frame[1:]


def rings(axis, across, covariance, reach=0.2):
    """Vertices (R, S, 3) ring by ring."""
    return axis_envelope(axis, across, covariance, reach)[0].reshape(13, -1, 3)


@given(st.integers(0, 10_000), st.floats(1e-5, 1e-3), st.floats(1e-5, 1e-3))
def test_two_sigma_of_turn_and_shift(seed, turn, shift):
    axis, across = basis(seed)
    found = rings(axis, across, np.diag([turn**2, turn**2, shift**2, shift**2]))
    along = found @ axis
    radii = np.linalg.norm(found - along[..., None] * axis, axis=-1)
    places = 0.2 * np.linspace(-1, 1, 13)
    assert np.allclose(along, places[:, None], atol=1e-12)
    expected = 2 * np.sqrt(shift**2 + (turn * places) ** 2)
    assert np.allclose(radii, expected[:, None], rtol=1e-9)


@given(st.integers(0, 10_000))
def test_axes_moved_as_the_estimate_may_be_off_keep_within(seed):
    """Moved exactly, by rotation vectors and shifts two sigma off in a correlated direction."""
    random = np.random.default_rng(seed)
    axis, across = basis(seed)
    root = random.normal(0, [[1e-4]] * 2 + [[2e-5]] * 2, (4, 4))
    found = rings(axis, across, root @ root.T)
    direction = random.normal(size=4)
    change = 2 * root @ (direction / np.linalg.norm(direction))
    moved = Rotation.from_rotvec(change[:2] @ across).apply(axis)
    for ring in found:
        place = float(ring.mean(0) @ axis)
        point = change[2:] @ across + place * moved / (moved @ axis)
        normals = across[:1] + np.tan(np.linspace(0, 1.5, 20))[:, None] * across[1:]
        # The farthest of an ellipse in any direction is beyond any point of it; rings are polygons.
        reached = np.abs(normals @ (ring - place * axis).T).max(1)
        assert (np.abs(normals @ (point - place * axis)) <= 1.02 * reached + 1e-9).all()


def test_it_is_a_surface_that_faces_outward_or_inward_everywhere():
    axis, across = basis(1)
    vertices, faces = axis_envelope(axis, across, np.diag([1e-4, 1e-4, 1e-6, 1e-6]), 0.2)
    mesh = trimesh.Trimesh(vertices, faces, process=False)
    assert mesh.is_winding_consistent
    assert len(faces) == 2 * 12 * 24


@pytest.mark.parametrize("unknown", [np.nan, (np.pi / 2) ** 2])
def test_what_is_not_known_stays_near(unknown):
    """NaN: a prismatic joint's line is nowhere. A quarter turn: nothing determines it."""
    axis, across = basis(2)
    found = rings(axis, across, np.diag([1e-4, 1e-4, unknown, unknown]))
    assert np.isfinite(found).all()
    assert np.linalg.norm(found, axis=-1).max() <= 0.2 * np.sqrt(2) + 1e-9
