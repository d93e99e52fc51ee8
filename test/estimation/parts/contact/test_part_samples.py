"""Samples lie on the surface, spread evenly, with normals that respect creases."""

import numpy as np
import pytest
import trimesh
from hypothesis import given, settings
from hypothesis import strategies as st
from part_shapes import box, part

from autourdf_ros.estimation.parts.contact.part_samples import PartSurface, sample_surface

CREASE = 35.0


def test_normals_of_a_box_are_along_its_axes():
    samples = sample_surface(PartSurface(part("box", box((1, 2, 3), (0, 0, 0))), CREASE), 200, 0)
    np.testing.assert_allclose(np.abs(samples.normals).max(axis=1), 1, atol=1e-9)
    assert samples.area * 200 == pytest.approx(22)


def test_normals_of_a_coarse_cylinder_are_radial_on_its_side():
    mesh = trimesh.creation.cylinder(radius=1, height=2, sections=16)
    samples = sample_surface(PartSurface(part("pin", mesh), CREASE), 300, 0)
    side = np.abs(samples.normals[:, 2]) < 0.5
    radial = samples.points[side, :2] / np.linalg.norm(samples.points[side, :2], axis=1)[:, None]
    cosines = np.abs((radial * samples.normals[side, :2]).sum(axis=1))
    assert cosines.min() > np.cos(np.radians(2))


@settings(max_examples=10, deadline=None)
@given(st.integers(0, 2**31))
def test_winding_does_not_change_a_normal_but_its_sign(seed):
    mesh = trimesh.creation.cylinder(radius=1, height=2, sections=16)
    whole = part("pin", mesh)
    flipped = np.random.default_rng(seed).random(len(whole.triangles)) < 0.5
    triangles = np.where(flipped[:, None], whole.triangles[:, ::-1], whole.triangles)
    turned = type(whole)("pin", whole.vertices, triangles)
    for surface, other in ((PartSurface(whole, CREASE), PartSurface(turned, CREASE)),):
        corners = np.full((len(triangles), 3), 1 / 3)
        ours = surface._normals.at(np.arange(len(triangles)), corners)
        theirs = other._normals.at(np.arange(len(triangles)), corners)
        np.testing.assert_allclose(np.abs((ours * theirs).sum(axis=1)), 1, atol=1e-9)


def test_triangles_without_area_get_no_samples():
    mesh = box((1, 1, 1), (0, 0, 0))
    whole = part("box", mesh)
    needle = np.array([[0, 0, 1]])
    degenerate = type(whole)("box", whole.vertices, np.vstack([whole.triangles, needle]))
    assert len(PartSurface(degenerate, CREASE).areas) == len(whole.triangles)
