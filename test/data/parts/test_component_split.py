"""One mesh is split into connected components; small ones are joined or set aside by name."""

import numpy as np
import pytest
import trimesh
from hypothesis import given, settings
from hypothesis import strategies as st

from autourdf_ros.data.parts.assembly_reading import read_assembly
from autourdf_ros.data.parts.component_split import split_components
from autourdf_ros.data.parts.formats.raw_scene import RawPart
from autourdf_ros.data.parts.part_checks import merge_vertices
from autourdf_ros.data.parts.parts_options import PartsOptions


def box(size, *centre):
    return trimesh.creation.box(size).apply_translation(centre)


def raw(*meshes):
    whole = trimesh.util.concatenate(meshes)
    return merge_vertices(RawPart("m", np.asarray(whole.vertices), np.asarray(whole.faces)))


def volumes(split):
    return [trimesh.Trimesh(one.vertices, one.triangles).volume for one in split.parts]


def test_one_mesh_of_loose_triangles_is_split_with_the_largest_first(tmp_path):
    whole = trimesh.util.concatenate([box((1, 1, 1), 0, 0, 0), box((2, 2, 2), 4, 0, 0)])
    whole.export(tmp_path / "robot.stl")  # a soup: every triangle has its own corners
    found = read_assembly(tmp_path / "robot.stl")
    assert [part.name for part in found.parts] == ["robot_1", "robot_2"]
    assert found.parts[0].bounds.tolist() == [[3, -1, -1], [5, 1, 1]]
    assert found.notes == ("The mesh 'robot' has 2 connected components and was split into 2.",)


def test_a_screw_joins_the_nearest_part_and_a_far_one_is_set_aside():
    near, far = box((0.02,) * 3, 3.97, 0.3, 1.03), box((0.02,) * 3, 2, 0, 0)
    split = split_components(raw(box((1, 1, 1), 0, 0, 0), near, box((2, 2, 2), 4, 0, 0), far))
    assert volumes(split) == pytest.approx([8 + 8e-6, 1])
    assert [one.name for one in split.set_aside] == ["m_component_3"]
    assert "of its size from the nearest part" in split.set_aside[0].reason
    assert "split into 2; 1 inner surfaces or components below 2 % of its size were joined to " in (
        split.note
    )


def test_an_inner_surface_stays_with_what_is_around_it():
    cavity = box((0.6,) * 3, 0, 0, 0)
    cavity.invert()
    split = split_components(raw(box((1, 1, 1), 0, 0, 0), cavity, box((0.3,) * 3, 0, 0, 0)))
    assert volumes(split) == pytest.approx([1 - 0.216, 0.027])  # what is in the cavity is a part


def test_named_parts_are_split_on_request(tmp_path):
    trimesh.util.concatenate([box((1, 1, 1), 0, 0, 0), box((1, 1, 1), 4, 0, 0)]).export(
        tmp_path / "a.ply"
    )
    box((1, 1, 1), 0, 4, 0).export(tmp_path / "b.ply")
    assert [part.name for part in read_assembly(tmp_path).parts] == ["a", "b"]
    split = read_assembly(tmp_path, PartsOptions(split=True))
    assert [part.name for part in split.parts] == ["a_1", "a_2", "b"]


@given(st.lists(st.floats(0.5, 1.0), min_size=2, max_size=6), st.integers(0, 2**32 - 1))
@settings(deadline=None, max_examples=25)
def test_the_parts_hold_the_whole_mesh_whatever_the_order_of_its_triangles(sizes, seed):
    meshes = [box((size,) * 3, 2 * number, 0, 0) for number, size in enumerate(sizes)]
    whole = trimesh.util.concatenate(meshes)
    order = np.random.default_rng(seed).permutation(len(whole.faces))
    soup = whole.vertices[whole.faces[order]].reshape(-1, 3)
    corners = np.arange(len(soup)).reshape(-1, 3)
    split = split_components(merge_vertices(RawPart("m", soup, corners)))
    assert sorted(volumes(split)) == pytest.approx(sorted(size**3 for size in sizes))
    assert sum(len(part.triangles) for part in split.parts) == len(whole.faces)
