"""Colours baked into textures."""

import numpy as np
import trimesh

from autourdf_ros.shape.visual.texture import bake


def test_texture_shows_the_colours_of_the_points_at_their_places():
    mesh = trimesh.creation.icosphere(subdivisions=3, radius=0.1)
    points = trimesh.sample.sample_surface(mesh, 20000, seed=0)[0]
    colors = (255 * (points / 0.2 + 0.5)).astype(np.uint8)
    texture = bake(mesh, points, colors)

    weights = np.random.default_rng(1).dirichlet((1, 1, 1), 2000)
    faces = np.random.default_rng(2).integers(len(mesh.faces), size=2000)
    places = np.einsum("nk,nkd->nd", weights, mesh.triangles[faces])
    uv = np.einsum("nk,nkd->nd", weights, texture.uv[faces])
    height, width = texture.image.shape[:2]
    pixels = texture.image[((1 - uv[:, 1]) * height).astype(int), (uv[:, 0] * width).astype(int)]
    expected = 255 * (places / 0.2 + 0.5)
    assert np.abs(pixels - expected).max() < 12


def test_an_odd_number_of_triangles_and_a_single_point_will_do():
    mesh = trimesh.Trimesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]])
    texture = bake(mesh, np.zeros((1, 3)), np.array([[10, 20, 30]], np.uint8))
    assert (texture.image[:3, :3] == [10, 20, 30]).all()
    assert ((texture.uv >= 0) & (texture.uv <= 1)).all()
