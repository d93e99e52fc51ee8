"""Given meshes are shown as they are; their solids are closed."""

import numpy as np
import pytest
import trimesh
from hypothesis import example, given
from hypothesis import strategies as st

from autourdf_ros.shape.visual.given_solids import given_solids, is_solid, triangle_shares


def open_box():
    box = trimesh.creation.box((0.2, 0.1, 0.1)).subdivide()
    return trimesh.Trimesh(box.vertices, box.faces[box.face_normals[:, 2] < 0.5], process=False)


def test_a_closed_mesh_stands_for_itself():
    box = trimesh.creation.box((0.2, 0.1, 0.1))
    (solid,) = given_solids([box])
    assert solid.given is box and solid.mesh.volume == pytest.approx(0.002)
    assert solid.unseen_area_share == 0.0


def test_an_open_mesh_is_shown_as_it_is_and_weighed_closed():
    shell = open_box()
    (solid,) = given_solids([shell])
    assert not is_solid(shell) and solid.given is shell
    assert solid.mesh.is_volume
    assert 0.5 * 0.002 < solid.mesh.volume < 1.3 * 0.002


def test_a_mesh_inside_out_has_a_positive_volume():
    box = trimesh.creation.box((0.2, 0.1, 0.1))
    box.invert()
    (solid,) = given_solids([box])
    assert solid.mesh.volume == pytest.approx(0.002)


def test_corners_that_are_not_shared_do_not_open_a_mesh():
    box = trimesh.creation.box((0.2, 0.1, 0.1))
    torn = trimesh.Trimesh(
        box.vertices[box.faces].reshape(-1, 3), np.arange(36).reshape(-1, 3), process=False
    )
    assert not torn.is_watertight and is_solid(torn)
    assert given_solids([torn])[0].given is torn


@pytest.mark.slow
def test_only_the_large_are_decimated():
    small, large = trimesh.creation.box(), trimesh.creation.icosphere(subdivisions=5)
    solids = given_solids([small, large], most=2000)
    assert solids[0].given is small
    assert len(solids[1].given.faces) <= 2000 and solids[1].given.extents == pytest.approx(
        large.extents, rel=0.02
    )


@given(st.lists(st.integers(1, 10**6), min_size=1, max_size=12), st.integers(1, 10**6))
@example([1, 1], 1)
def test_shares_keep_the_bound_and_spare_the_small(counts, most):
    shares = triangle_shares(counts, most)
    assert sum(shares) <= most
    assert all(share <= count for share, count in zip(shares, counts, strict=True))
    if sum(counts) <= most:
        assert shares == counts
    cut = [share for share, count in zip(shares, counts, strict=True) if share < count]
    kept = [share for share, count in zip(shares, counts, strict=True) if share == count]
    # What is left does not divide evenly: shares of equal meshes differ by one triangle.
    assert not cut or not kept or max(kept) <= max(cut) + 1


@pytest.mark.slow
def test_a_dense_plane_is_decimated_evenly():
    box = trimesh.creation.box((0.4, 0.06, 0.06))
    for _ in range(6):
        box = box.subdivide()
    (solid,) = given_solids([box], len(box.faces) // 4)
    assert len(solid.given.faces) <= len(box.faces) // 4
    assert np.bincount(solid.given.faces.ravel()).max() < 30  # triangles at one corner
    assert solid.mesh.is_volume and solid.mesh.volume == pytest.approx(box.volume, rel=1e-4)
    assert np.abs(solid.given.bounds - box.bounds).max() < 1e-4 * box.scale
