"""Parts are read from files of any accepted layout, in metres, and what is unusable is named."""

import numpy as np
import pytest
import trimesh

from autourdf_ros.data.parts.assembly_reading import read_assembly
from autourdf_ros.data.parts.parts_options import PartsOptions
from autourdf_ros.errors import InputError


def box(x=0.0, scale=1.0):
    mesh = trimesh.creation.box((0.1, 0.2, 0.3))
    return mesh.apply_translation((x, 0, 0)).apply_scale(scale)


def folder_of(folder, **meshes):
    folder.mkdir(exist_ok=True)
    for name, mesh in meshes.items():
        stem, _, suffix = name.rpartition("_")
        buffers = {"embed_buffers": True} if suffix == "gltf" else {}
        mesh.export(folder / f"{stem}.{suffix}", **buffers)
    return folder


@pytest.mark.parametrize("suffix", ["ply", "stl", "obj", "glb", "gltf", "dae", "off"])
def test_every_format_gives_the_parts_in_metres(tmp_path, suffix):
    meshes = {f"part_1_{suffix}": box(), f"part_10_{suffix}": box(1), f"part_2_{suffix}": box(0.5)}
    found = read_assembly(folder_of(tmp_path / "lamp", **meshes), PartsOptions(up="z"))
    assert found.name == "lamp"
    assert [part.name for part in found.parts] == ["part_1", "part_2", "part_10"]
    for part, x in zip(found.parts, (0, 0.5, 1.0), strict=True):
        assert part.bounds == pytest.approx(box(x).bounds, abs=1e-6)
        assert part.vertices.shape == (8, 3) and part.triangles.shape == (12, 3)
        mesh = trimesh.Trimesh(part.vertices, part.triangles, process=False)
        assert mesh.volume == pytest.approx(0.006, rel=1e-5)


def test_unusable_parts_are_set_aside_by_name(tmp_path):
    ring = box(2)
    ring.vertices[3] = np.nan
    plane = trimesh.Trimesh([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]], [[0, 1, 2], [0, 2, 3]])
    line = trimesh.Trimesh(
        [[0, 0, 0], [1, 1, 1], [2, 2, 2], [3, 3, 3]], [[0, 1, 2], [1, 2, 3]], process=False
    )
    few = trimesh.Trimesh([[0, 0, 0], [1, 0, 0], [1, 1, 0]], [[0, 1, 2]])
    folder = folder_of(
        tmp_path, a_ply=box(), b_ply=box(1), c_ply=ring, d_ply=plane, e_ply=line, f_ply=few
    )
    trimesh.PointCloud(np.eye(3)).export(folder / "g.ply")
    found = read_assembly(folder)
    assert [part.name for part in found.parts] == ["a", "b"]
    assert {one.name: one.reason for one in found.set_aside} == {
        "c": "has 1 vertices that are not finite, or beyond 1e+09",
        "d": "is degenerate: its vertices lie in a plane",
        "e": "is degenerate: its vertices lie on a line",
        "f": "has 3 vertices; accepted are 4 or more",
        "g": "has no triangles",
    }


def test_a_duplicate_in_place_stays_beside_other_parts(tmp_path):
    found = read_assembly(folder_of(tmp_path, a_ply=box(), b_ply=box(), c_ply=box(0.3)))
    assert [part.name for part in found.parts] == ["a", "b", "c"]
    assert not found.set_aside


def test_a_duplicate_of_the_only_part_is_set_aside_by_name(tmp_path):
    same = box()
    same = trimesh.Trimesh(same.vertices[::-1], 7 - same.faces, process=False)
    with pytest.raises(InputError, match=r"b \(is a duplicate of a at the same place\)"):
        read_assembly(folder_of(tmp_path, a_ply=box(), b_ply=same))


def test_one_usable_part_is_refused_with_what_was_set_aside(tmp_path):
    with pytest.raises(InputError, match=r"1 usable part.*set aside: b \(is a duplicate of a"):
        read_assembly(folder_of(tmp_path, a_ply=box(), b_ply=box()))


def test_a_size_that_metres_do_not_explain_names_the_unit(tmp_path):
    folder = folder_of(tmp_path, a_stl=box(0, 1000), b_stl=box(0.3, 1000))
    with pytest.raises(
        InputError, match=r"are 538\.5 m.*accepted is 0\.005 to 30 m: .*add --unit mm"
    ):
        read_assembly(folder)
    found = read_assembly(folder, PartsOptions(unit="mm"))
    assert found.size == pytest.approx(np.linalg.norm((0.4, 0.2, 0.3)))


@pytest.mark.parametrize(
    ("unit", "metres"), [("mm", 0.001), ("cm", 0.01), ("m", 1), ("in", 0.0254)]
)
def test_the_unit_of_the_user_holds(tmp_path, unit, metres):
    folder = folder_of(tmp_path, a_stl=box(0, 1 / metres), b_stl=box(0.3, 1 / metres))
    found = read_assembly(folder, PartsOptions(unit=unit))
    assert found.size == pytest.approx(np.linalg.norm((0.4, 0.2, 0.3)), rel=1e-6)
