"""One file with named parts: objects and groups, nodes with poses, prims; each with its unit."""

import sys
from importlib.util import find_spec

import numpy as np
import pytest
import trimesh
from trimesh.transformations import rotation_matrix

from autourdf_ros.data.parts.assembly_reading import read_assembly
from autourdf_ros.data.parts.parts_options import PartsOptions
from autourdf_ros.errors import InputError

CUBE = ["v %d %d %d" % corner for corner in np.ndindex(2, 2, 2)]  # noqa: UP031
FACES = ["f 1 2 4 3", "f 5 7 8 6", "f 1 5 6 2", "f 3 4 8 7", "f 1 3 7 5", "f 2 6 8 4"]
FAR = ["v %d %d %d 0.5 0.5 0.5" % (3 + x, y, z) for x, y, z in np.ndindex(2, 2, 2)]  # noqa: UP031
BELOW = ["f -8 -7 -5 -6", "f -4 -2 -1 -3", "f -8 -4 -3 -7", "f -6 -5 -1 -2", "f -8 -6 -2 -4"]
BELOW += ["f -7/1/1 -3//2 -1/3 -5"]

USDA = """#usda 1.0
( metersPerUnit = 0.01
  upAxis = "Y" )
def Xform "w" {
  def Xform "lid" (prepend apiSchemas = ["PhysicsRigidBodyAPI"]) {
    double3 xformOp:translate = (0, 10, 0)
    uniform token[] xformOpOrder = ["xformOp:translate"]
    def Mesh "m" { MESH }
    def Mesh "hidden" { token visibility = "invisible"
 MESH }
  }
  def Mesh "base" { MESH }
}
""".replace(
    "MESH",
    "int[] faceVertexCounts = [4,4,4,4,4,4]\n"
    "int[] faceVertexIndices = [0,1,3,2, 4,6,7,5, 0,4,5,1, 2,3,7,6, 0,2,6,4, 1,5,7,3]\n"
    "point3f[] points = [(0,0,0),(0,0,3),(0,2,0),(0,2,3),(1,0,0),(1,0,3),(1,2,0),(1,2,3)]\n",
)

needs_usd = pytest.mark.skipif(find_spec("pxr") is None, reason="needs the extra usd")


def written(path, lines):
    path.write_text("\n".join(lines))
    return path


def volume(part):
    return trimesh.Trimesh(part.vertices, part.triangles, process=False).volume


@pytest.mark.parametrize(
    ("first", "second", "names"),
    [
        (["o base"], ["o lid"], ["base", "lid"]),
        (["g base"], ["g the lid"], ["base", "the_lid"]),
        (["o all", "g base"], ["g lid"], ["base", "lid"]),
        (["o base", "g left"], ["o lid", "g right"], ["base", "lid"]),
        ([], ["o lid"], ["part", "lid"]),
    ],
)
def test_objects_or_else_groups_of_an_obj_are_parts(tmp_path, first, second, names):
    file = written(
        tmp_path / "part.obj",
        ["mtllib none.mtl", *CUBE, *first, *FACES, *second, *FAR, "usemtl x", *BELOW, "# end"],
    )
    found = read_assembly(file)
    assert [part.name for part in found.parts] == names
    assert [volume(part) for part in found.parts] == pytest.approx([1, 1])
    assert found.parts[1].bounds.tolist() == [[3, 0, 0], [4, 1, 1]]


def test_an_obj_may_go_back_to_an_object_and_continue_lines(tmp_path):
    halves = [*FACES[:3], "o b", *FAR, *BELOW, "o a", *FACES[3:]]
    file = written(tmp_path / "x.obj", [*CUBE, "o a", *halves])
    text = file.read_bytes().replace(b"f 5 7 8", b"f 5 \\\r\n 7 8").replace(b"\n", b"\r\n")
    file.write_bytes(text.replace(b"\r\r", b"\r"))
    found = read_assembly(file)
    assert [(part.name, volume(part)) for part in found.parts] == [
        ("a", pytest.approx(1)),
        ("b", pytest.approx(1)),
    ]


@pytest.mark.parametrize(
    "line", ["f 1 2", "f 1 2 9", "f 0 1 2", "f -9 1 2", "f a b c", "v 1 2", "v 1 2 x", "f 1 2 1e3"]
)
def test_a_wrong_line_of_an_obj_is_named(tmp_path, line):
    file = written(tmp_path / "x.obj", [*CUBE, *FACES[:2], "o b", line])
    with pytest.raises(InputError, match=r"x\.obj: not a readable OBJ file: lines from 1[12] on: "):
        read_assembly(file)


def test_nodes_of_a_glb_are_parts_at_their_poses_with_z_up(tmp_path):
    box, scene = trimesh.creation.box((1, 2, 3)), trimesh.Scene()
    poses = {
        "base": np.eye(4),
        "lid": rotation_matrix(0.4, (1, 2, 3), (0, 1, 0)) @ np.diag((2, 2, -2, 1.0)),
    }
    for name, pose in poses.items():
        scene.add_geometry(box, node_name=name, geom_name="box", transform=pose)
    scene.export(tmp_path / "a.glb")
    kept = read_assembly(tmp_path / "a.glb", PartsOptions(up="z"))
    turned = read_assembly(tmp_path / "a.glb")
    assert [part.name for part in kept.parts] == ["base", "lid"]
    assert [volume(part) for part in kept.parts] == pytest.approx([6, 48])
    corners = np.array([part.bounds for part in kept.parts])
    want = [box.copy().apply_transform(pose).bounds for pose in poses.values()]
    assert corners == pytest.approx(np.array(want), abs=1e-6)
    for one, other in zip(kept.parts, turned.parts, strict=True):
        assert other.vertices == pytest.approx(one.vertices[:, [0, 2, 1]] * (1, -1, 1))
    assert any("y axis is up" in note for note in turned.notes)


@pytest.mark.parametrize(("mode", "order"), [(5, [0, 1, 2, 3, 0, 1]), (6, [0, 1, 3, 2, 1])])
def test_strips_and_fans_of_a_gltf_are_closed_surfaces(mode, order):
    from autourdf_ros.data.parts.formats.gltf_reading import _corners

    corners = _corners(np.array(order), mode)
    edges = corners[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2)
    assert len(corners) == 4 if mode == 5 else len(corners) == 3
    assert len({tuple(edge) for edge in edges}) == len(edges)  # neighbours turn the same way


def test_nodes_of_a_collada_file_are_parts_in_its_unit(tmp_path):
    base = trimesh.creation.box((10, 20, 30))
    text = trimesh.Scene([base]).dump()[0].export(file_type="dae").decode()
    again = text[text.index("<node") : text.index("</visual_scene>")]
    moved = again.replace("node0", "lid").replace(
        "<instance_geometry", "<matrix>1 0 0 50 0 1 0 0 0 0 1 0 0 0 0 1</matrix><instance_geometry"
    )
    text = text.replace("</visual_scene>", moved + "</visual_scene>")
    text = text.replace("<up_axis>Y_UP", '<unit name="cm" meter="0.01"/><up_axis>Z_UP')
    (tmp_path / "a.dae").write_text(text)
    found = read_assembly(tmp_path / "a.dae")
    assert found.parts[1].name == "lid"
    assert found.parts[0].bounds == pytest.approx(base.bounds / 100)
    assert found.parts[1].bounds == pytest.approx(base.bounds / 100 + np.array([0.5, 0, 0]))
    assert "Lengths are in units of 0.01 m, as the files say." in found.notes
    doubled = read_assembly(tmp_path / "a.dae", PartsOptions(unit="in"))
    assert doubled.size == pytest.approx(2.54 * found.size)


@needs_usd
@pytest.mark.slow
def test_rigid_bodies_or_else_meshes_of_a_usd_file_are_parts(tmp_path):
    file = written(tmp_path / "box.usda", [USDA])
    found = read_assembly(file)
    assert [part.name for part in found.parts] == ["lid", "base"]
    assert found.parts[1].bounds == pytest.approx(np.array([[0, -0.03, 0], [0.01, 0, 0.02]]))
    assert found.parts[0].bounds == pytest.approx(found.parts[1].bounds + np.array([0, 0, 0.1]))
    assert [volume(part) for part in found.parts] == pytest.approx([6e-6, 6e-6])


def test_without_its_library_a_usd_file_names_the_extra(tmp_path, monkeypatch):
    file = written(tmp_path / "box.usda", [USDA])
    monkeypatch.setitem(sys.modules, "pxr", None)
    monkeypatch.setattr("autourdf_ros.data.parts.formats.usd_reading.find_spec", lambda name: None)
    with pytest.raises(InputError, match=r"box\.usda: USD needs the extra 'usd'; install it"):
        read_assembly(file)


URDF = """<robot name="r">
  <link name="base"><visual><geometry><box size="1 1 1"/></geometry></visual></link>
  <link name="arm"><visual><geometry><box size="0.1 0.1 1"/></geometry></visual></link>
  <link name="flange"><visual><geometry><sphere radius="0.1"/></geometry></visual></link>
  <joint name="a" type="revolute"><parent link="base"/><child link="arm"/>
    <origin xyz="0 0 1"/><axis xyz="0 0 1"/><limit lower="-1" upper="1" effort="1" velocity="1"/>
  </joint>
  <joint name="b" type="fixed"><parent link="arm"/><child link="flange"/>
    <origin xyz="0 0 0.5"/></joint>
</robot>"""
MJCF = """<mujoco><worldbody><body name="base"><geom type="box" size="0.5 0.5 0.5"/>
  <body name="arm" pos="0 0 1"><joint name="a"/><geom type="box" size="0.05 0.05 0.5"/></body>
</body></worldbody></mujoco>"""


@pytest.mark.slow
@pytest.mark.parametrize(("name", "text"), [("r.urdf", URDF), ("r.xml", MJCF)])
def test_a_robot_description_gives_its_links_without_joints(tmp_path, name, text):
    found = read_assembly(written(tmp_path / name, [text]))
    parts = {part.name: part for part in found.parts}
    assert len(parts) == 2 and "arm" in parts
    assert parts["arm"].bounds[0] == pytest.approx([-0.05, -0.05, 0.5], abs=0.051)
    assert parts["arm"].bounds[1, 2] == pytest.approx(1.6 if name == "r.urdf" else 1.5)
    assert any("1 joints of" in note for note in found.notes)


@pytest.mark.slow
def test_a_description_of_another_kind_is_refused(tmp_path):
    with pytest.raises(InputError, match=r"a\.xml: has the root element 'sdf'; accepted are"):
        read_assembly(written(tmp_path / "a.xml", ["<sdf/>"]))
