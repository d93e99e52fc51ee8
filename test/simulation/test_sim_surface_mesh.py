"""Meshes with colours."""

import numpy as np
import pytest
import trimesh

from autourdf_ros.errors import InputError
from autourdf_ros.geometry.triangle_mesh import from_trimesh, merged, read_mesh
from autourdf_ros.model.urdf.robot_library import library_robots
from autourdf_ros.model.urdf.simulated_robot import SimulatedRobot

RED = np.array([255, 0, 0], dtype=np.uint8)


@pytest.mark.parametrize("suffix", ["stl", "obj", "dae"])
def test_reads_the_formats_of_urdfs(tmp_path, suffix):
    box = trimesh.creation.box((1, 2, 3))
    box.export(tmp_path / f"box.{suffix}")
    surface = read_mesh(tmp_path / f"box.{suffix}")
    np.testing.assert_allclose(np.ptp(surface.vertices, axis=0), (1, 2, 3))
    assert len(surface.triangles) == len(surface.colors) == 12


def test_reads_a_collada_file_whose_list_of_vertices_is_longer_than_parsers_take(tmp_path):
    trimesh.creation.box((1, 2, 3)).export(tmp_path / "box.dae")
    text = (tmp_path / "box.dae").read_text()
    start = text.index(">", text.index("<float_array")) + 1
    (tmp_path / "box.dae").write_text(text[:start] + " " * 10_100_000 + text[start:])
    surface = read_mesh(tmp_path / "box.dae")
    np.testing.assert_allclose(np.ptp(surface.vertices, axis=0), (1, 2, 3))


def test_colours_of_the_file_go_before_the_given_one(tmp_path):
    box = trimesh.creation.box((1, 1, 1))
    box.export(tmp_path / "plain.stl")
    box.export(tmp_path / "green.obj")
    text = (tmp_path / "green.obj").read_text()
    (tmp_path / "green.obj").write_text(f"mtllib green.mtl\nusemtl green\n{text}")
    (tmp_path / "green.mtl").write_text("newmtl green\nKd 0.04 0.8 0.1\n")
    assert (read_mesh(tmp_path / "plain.stl", RED).colors == RED).all()
    assert np.abs(read_mesh(tmp_path / "green.obj", RED).colors - [10, 204, 25.0]).max() <= 1


def test_colours_of_a_collada_file():
    link = next(library_robots()["panda"].parents[1].glob("meshes/visual/link0.dae"))
    colors = np.unique(read_mesh(link).colors, axis=0).tolist()
    assert [255, 255, 255] in colors and len(colors) > 1


def test_scale_colour_and_place_of_a_urdf(tmp_path):
    trimesh.creation.box((100, 200, 300)).export(tmp_path / "box.stl")
    (tmp_path / "robot.urdf").write_text(
        """<robot name="r"><link name="a"/><link name="b"><visual><origin xyz="1 0 0"/>
        <geometry><mesh filename="box.stl" scale="0.001 0.001 -0.002"/></geometry>
        <material name="m"><color rgba="1 0 0 1"/></material></visual></link>
        <joint name="j" type="continuous"><parent link="a"/><child link="b"/></joint></robot>"""
    )
    surface = SimulatedRobot(tmp_path / "robot.urdf").surfaces[1]
    np.testing.assert_allclose(surface.vertices.min(axis=0), (0.95, -0.1, -0.3), atol=1e-6)
    np.testing.assert_allclose(surface.vertices.max(axis=0), (1.05, 0.1, 0.3), atol=1e-6)
    assert (surface.colors == RED).all()


def test_merging_keeps_every_triangle():
    parts = [
        from_trimesh(trimesh.creation.box((1, 1, 1)), RED),
        from_trimesh(trimesh.creation.icosphere(subdivisions=1, radius=3)),
    ]
    both = merged(parts)
    corners = both.vertices[both.triangles]
    expected = np.concatenate([part.vertices[part.triangles] for part in parts])
    np.testing.assert_array_equal(corners, expected)
    assert merged([]) is None


def test_hull_encloses_the_vertices():
    surface = from_trimesh(trimesh.creation.icosphere(subdivisions=2))
    assert len(surface.hull) == len(surface.vertices)
    flat = from_trimesh(trimesh.Trimesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]]))
    assert len(flat.hull) == 3


def test_unreadable_file_is_named(tmp_path):
    (tmp_path / "broken.dae").write_text("nonsense")
    with pytest.raises(InputError, match=r"broken\.dae: cannot be read"):
        read_mesh(tmp_path / "broken.dae")
