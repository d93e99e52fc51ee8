"""Rendered depth against closed formulas."""

import numpy as np
import pytest
import trimesh

from autourdf_ros.data.images.posed_camera import look_at
from autourdf_ros.geometry.triangle_mesh import from_trimesh
from autourdf_ros.simulation.cameras.pinhole_camera import Camera, Intrinsics
from autourdf_ros.simulation.cameras.renderer import BACKGROUND, NOTHING, Renderer

INTRINSICS = Intrinsics.from_field_of_view(64, 48, 60.0)
CAMERA = Camera(INTRINSICS, np.eye(4))
RED, BLUE = np.array([255, 0, 0], dtype=np.uint8), np.array([0, 0, 255], dtype=np.uint8)
SPHERE = from_trimesh(trimesh.creation.icosphere(subdivisions=5, radius=0.3), RED)
WALL = from_trimesh(trimesh.creation.box((10, 10, 0.02)), BLUE)


def at(x=0.0, y=0.0, z=0.0):
    pose = np.eye(4)
    pose[:3, 3] = x, y, z
    return pose


def render(surfaces, poses, background=None, camera=CAMERA):
    return Renderer(surfaces, [camera], background).render(np.array(poses), 0)


def sphere_depth(center, radius):
    """Depth of a sphere seen from the origin along z, NaN beside it."""
    rays = INTRINSICS.directions.astype(float)
    a, b = (rays**2).sum(axis=-1), rays @ center
    root = b**2 - a * (center @ center - radius**2)
    with np.errstate(invalid="ignore"):
        return (b - np.sqrt(root)) / a


def test_sphere():
    center = np.array([0.1, -0.05, 1.5])
    view = render([SPHERE], [at(*center)])
    expected = sphere_depth(center, 0.3)
    both = np.isfinite(expected) & np.isfinite(view.depth)
    assert (np.isfinite(expected) ^ np.isfinite(view.depth)).sum() <= 6
    np.testing.assert_allclose(view.depth[both], expected[both], atol=2e-3)
    normals = (INTRINSICS.directions * view.depth[..., None] - center) / 0.3
    rays = INTRINSICS.directions / np.linalg.norm(INTRINSICS.directions, axis=-1)[..., None]
    cosine = -np.einsum("hwi,hwi->hw", normals, rays)
    np.testing.assert_allclose(view.incidence[both], cosine[both], atol=0.06)
    assert (view.color[both] == RED).all()


def test_tilted_plane_through_a_moved_camera():
    camera = Camera(INTRINSICS, look_at(np.array([2.0, 1.0, 1.5]), np.zeros(3)))
    view = render([WALL], [at(z=-0.01)], camera=camera)
    rays = INTRINSICS.directions @ camera.pose[:3, :3].T
    expected = -camera.pose[2, 3] / rays[..., 2]
    hit = camera.pose[:3, 3] + rays * expected[..., None]
    on_wall = (np.abs(hit[..., :2]) < 4.9).all(axis=-1) & (expected > 0)
    assert on_wall.mean() > 0.5
    np.testing.assert_allclose(view.depth[on_wall], expected[on_wall], rtol=1e-4)


def test_the_nearest_surface_is_seen():
    poses = [at(z=1.5), at(x=0.2, z=2.0)]
    view = render([SPHERE, SPHERE], poses)
    nearest = np.fmin(sphere_depth(poses[0][:3, 3], 0.3), sphere_depth(poses[1][:3, 3], 0.3))
    both = np.isfinite(nearest) & np.isfinite(view.depth)
    np.testing.assert_allclose(view.depth[both], nearest[both], atol=0.02)
    assert set(np.unique(view.body)) == {NOTHING, 0, 1}
    swapped = render([SPHERE, SPHERE], poses[::-1])
    np.testing.assert_array_equal(view.depth, swapped.depth)


def test_bodies_hide_the_background_and_are_hidden_by_it():
    wall = WALL.transformed(at(z=2.0))
    view = render([SPHERE, SPHERE], [at(x=-0.4, z=1.5), at(x=0.4, z=2.5)], wall)
    assert set(np.unique(view.body)) == {BACKGROUND, 0}
    assert np.isfinite(view.depth).all()
    np.testing.assert_allclose(view.depth[view.body == BACKGROUND], 1.99, rtol=1e-4)


def test_rendering_leaves_the_background_as_it_was():
    renderer = Renderer([SPHERE], [CAMERA], WALL.transformed(at(z=2.0)))
    renderer.render(np.array([at(z=1.5)]), 0)
    away = renderer.render(np.array([at(z=-5.0)]), 0)
    assert (away.body == BACKGROUND).all()


@pytest.mark.parametrize("pose", [at(z=-1.0), at(x=9.0, z=1.0), at(y=-9.0, z=1.0)])
def test_nothing_is_seen_beside_and_behind_the_camera(pose):
    view = render([SPHERE, None], [pose, at()])
    assert (view.body == NOTHING).all()
    assert np.isnan(view.depth).all() and np.isnan(view.incidence).all()


def test_a_body_around_the_camera_is_seen_from_inside():
    view = render([SPHERE], [at()])
    distance = view.depth * np.linalg.norm(INTRINSICS.directions, axis=-1)
    np.testing.assert_allclose(distance, 0.3, rtol=5e-3)
