"""What was never seen is drawn tight, reported, and shown."""

import numpy as np
import pytest
import trimesh
from synthetic_robot import arm_model, box, sampled

from autourdf_ros.model.layers.shape import Surface
from autourdf_ros.model.self_model import Joint, Link, SelfModel
from autourdf_ros.shape.visual.closed_mesh import closed_mesh
from autourdf_ros.shape.visual.hole_filling import drawn_tight
from autourdf_ros.shape.visual.link_solids import link_solids, triangle_budgets
from autourdf_ros.shape.visual.mesh_files import write_visual
from autourdf_ros.shape.visual.texture import bake
from autourdf_ros.shape.visual.unseen_surface import dulled, sight_reach, unseen_shares

DENSE = trimesh.creation.icosphere(subdivisions=4, radius=0.1)


def only(surface, kept):
    colors = None if surface.colors is None else surface.colors[kept]
    return Surface(surface.points[kept], surface.normals[kept], colors)


def solid_of(surface):
    (solid,) = link_solids(SelfModel.of("r", (Link("a", surface),)), 2000)
    return solid


def test_a_filling_is_flat_across_a_flat_rim():
    rim = 0.03
    seen = DENSE.vertices[DENSE.vertices[:, 2] <= rim]
    filled = drawn_tight(DENSE, seen, 1e-6)
    assert filled.is_watertight
    inner = filled.vertices[DENSE.vertices[:, 2] > rim]
    assert inner[:, 2].min() > 0.02 and inner[:, 2].max() <= rim
    np.testing.assert_array_equal(filled.vertices[DENSE.vertices[:, 2] <= rim], seen)


def test_a_patch_that_would_turn_inside_out_stays():
    angle = trimesh.boolean.union([box((1, 1, 0.1), (0, 0, 0)), box((0.1, 1, 1), (-0.45, 0, 0.45))])
    angle = angle.subdivide_to_size(0.1)
    x, _, z = angle.vertices.T
    # With only the inner faces seen, the filled spans the open side.
    inner = (np.abs(z - 0.05) < 1e-9) & (x > -0.41) | (np.abs(x + 0.4) < 1e-9) & (z > 0.04)
    filled = drawn_tight(angle, angle.vertices[inner], 0.01)
    np.testing.assert_allclose(filled.vertices, angle.vertices)


def test_all_seen_changes_nothing():
    assert drawn_tight(DENSE, DENSE.vertices, 1e-3) is DENSE


def test_the_unseen_share_is_that_of_the_area():
    points = trimesh.sample.sample_surface(DENSE, 20000, seed=0)[0]
    points = points[points[:, 2] < 0.05]
    reach = 0.006
    shares = unseen_shares(DENSE, points, reach)
    share = np.average(shares, weights=DENSE.area_faces)
    assert share == pytest.approx(0.25 - reach / 0.2, abs=0.02)  # Archimedes: by the height
    assert set(shares[DENSE.triangles_center[:, 2] < 0.045]) == {0.0}


@pytest.mark.slow
def test_a_tube_with_open_ends_is_closed_flat_and_reported():
    tube = sampled(trimesh.creation.cylinder(0.05, 0.3), 6000, 0)
    open_ended = only(tube, np.abs(tube.points[:, 2]) < 0.148)
    solid = solid_of(open_ended)
    assert solid.mesh.is_watertight
    assert np.abs(solid.mesh.vertices[:, 2]).max() < 0.152
    assert solid.mesh.volume == pytest.approx(np.pi * 0.05**2 * 0.3, rel=0.05)
    # Both ends, less the rim that lies near points.
    assert 0.06 < solid.unseen_area_share < 2 * 0.05 / (2 * (0.3 + 0.05))
    assert solid_of(tube).unseen_area_share < 0.01


@pytest.mark.slow
def test_a_thin_rod_beside_a_block_is_kept_and_a_veil_is_not():
    block = sampled(box((0.1, 0.1, 0.1), (0, 0, 0)), 3000, 0)
    rod = sampled(box((0.01, 0.01, 0.15), (0.08, 0, 0)), 300, 1)
    veil = np.random.default_rng(0).uniform((-0.05, -0.15, -0.05), (0.05, -0.055, 0.05), (60, 3))
    mesh = closed_mesh(
        Surface(
            np.vstack([block.points, rod.points, veil]),
            np.vstack([block.normals, rod.normals, np.tile((0, -1.0, 0), (60, 1))]),
        )
    )
    assert mesh.is_watertight
    low, high = mesh.bounds
    assert high[0] > 0.08 and high[2] > 0.07
    assert low[1] > -0.06


@pytest.mark.parametrize("count", [1, 2, 3])
def test_a_few_points_get_a_ball_that_shows_that_nothing_was_seen(count):
    solid = solid_of(Surface(0.001 * np.eye(3)[:count] + 0.2, np.eye(3)[:count]))
    assert solid.mesh.is_watertight and solid.mesh.volume > 0
    assert solid.unseen_area_share == 1.0
    assert np.ptp(solid.mesh.vertices, axis=0).max() < 0.012


def test_what_was_not_seen_is_grey_in_the_texture():
    points = trimesh.sample.sample_surface(DENSE, 20000, seed=0)[0]
    points = points[points[:, 2] < 0]
    red = np.tile(np.array([250, 20, 20], np.uint8), (len(points), 1))
    texture = bake(DENSE, points, red, sight_reach(points))
    height, width = texture.image.shape[:2]
    middle = texture.uv.mean(1)
    pixels = texture.image[
        ((1 - middle[:, 1]) * height).astype(int), (middle[:, 0] * width).astype(int)
    ]
    up = DENSE.triangles_center[:, 2]
    assert (pixels[up < 0] == (250, 20, 20)).all()
    assert (pixels[up > 0.02] == dulled(np.array([250.0, 20, 20])).round()).all()


def test_what_was_not_seen_has_a_material_of_its_own_where_there_are_no_colours(tmp_path):
    color = np.array([0.9, 0.1, 0.1])
    dull = DENSE.triangles_center[:, 2] > 0.05
    path = write_visual(tmp_path, "link", DENSE, color, dull)
    scene = trimesh.load(path, force="scene")
    areas = sorted(part.area / DENSE.area for part in scene.geometry.values())
    assert areas == pytest.approx([0.25, 0.75], abs=0.02)
    material = path.with_suffix(".mtl").read_text()
    assert material.count("newmtl") == 2 and f"newmtl {path.stem}_unseen" in material
    assert write_visual(tmp_path, "link", DENSE, color, ~dull) != path
    all_seen = write_visual(tmp_path, "link", DENSE, color, np.zeros_like(dull))
    assert "unseen" not in all_seen.read_text()


def test_triangles_are_shared_out_by_what_was_seen():
    surface = arm_model(count=100).links[0].surface
    links = (Link("a", surface), Link("b", only(surface, slice(0, 50))))
    links += (Link("c", only(surface, slice(0, 0))),)
    welds = [
        Joint(f"to_{name}", "fixed", "a", name, np.eye(3)[2], np.zeros(3), 0, 0) for name in "bc"
    ]
    model = SelfModel.of("r", links, welds)
    a, b, c = triangle_budgets(model, 9900)
    assert c == 300 and a - 300 == 2 * (b - 300) and 9895 <= a + b + c <= 9900
    assert triangle_budgets(model, 150) == [50, 50, 50]
