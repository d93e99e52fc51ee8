"""Shapes beside a video: primitives and meshes come back; faults are named."""

import numpy as np
import pytest
import trimesh
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from autourdf_ros.data.images.posed_camera import PinholeCamera
from autourdf_ros.data.video.camera_video import CameraVideo
from autourdf_ros.data.video.primitive_shapes import PrimitiveShape
from autourdf_ros.data.video.shape_folder import read_shapes, write_shapes
from autourdf_ros.data.video.video_checks import check_shapes
from autourdf_ros.data.video.video_shape import VideoShape
from autourdf_ros.errors import InputError

pytestmark = pytest.mark.fast
SIZES = {"box": (0.1, 0.2, 0.3), "sphere": (0.1,), "cylinder": (0.1, 0.3), "capsule": (0.1, 0.3)}
VOLUMES = {
    "box": 0.006,
    "sphere": 4 / 3 * np.pi * 1e-3,
    "cylinder": np.pi * 3e-3,
    "capsule": np.pi * 3e-3 + 4 / 3 * np.pi * 1e-3,
}


def written(folder, *entries):
    (folder / "shapes.yaml").write_text(yaml.safe_dump({"shapes": list(entries)}))
    return folder


@pytest.mark.parametrize("kind", SIZES)
def test_a_primitive_is_closed_centred_and_of_its_volume(kind):
    solid = PrimitiveShape(kind, SIZES[kind]).solid()
    assert solid.is_watertight
    assert solid.volume == pytest.approx(VOLUMES[kind], rel=0.01)
    assert np.allclose(solid.bounds.sum(axis=0), 0, atol=1e-9)
    length = {"cylinder": 0.3, "capsule": 0.5}.get(kind, 2 * SIZES[kind][0])
    assert np.ptp(solid.bounds, axis=0)[2 if kind != "box" else 0] == pytest.approx(
        length if kind != "box" else 0.1, abs=1e-3
    )


@pytest.mark.parametrize("kind", SIZES)
def test_primitives_come_back(kind, tmp_path):
    shape = PrimitiveShape(kind, SIZES[kind])
    pose = np.eye(4)
    pose[:3, 3] = 1, 2, 3
    one = VideoShape("a", shape.surface(np.array([9, 8, 7], np.uint8)), pose, (9, 8, 7))
    write_shapes([one], [shape], tmp_path)
    (back,) = read_shapes(tmp_path)
    assert np.allclose(back.mesh.vertices, one.mesh.vertices)
    assert np.allclose(back.first_pose, pose)
    assert back.color == (9, 8, 7) and (back.mesh.colors == [9, 8, 7]).all()


def test_meshes_come_back_and_have_a_scale(tmp_path):
    mesh = trimesh.creation.torus(0.2, 0.05)
    mesh.apply_scale(1000)
    mesh.export(tmp_path / "ring.stl")
    (ring,) = read_shapes(written(tmp_path, {"name": "r", "mesh": "ring.stl", "scale": 0.001}))
    assert np.ptp(ring.mesh.vertices, axis=0)[0] == pytest.approx(0.5, rel=0.01)
    assert ring.first_pose is None and ring.color is None
    write_shapes([ring], [None], tmp_path)
    (back,) = read_shapes(tmp_path)
    assert np.allclose(back.mesh.vertices, ring.mesh.vertices)


def test_a_mesh_that_is_inside_out_is_turned(tmp_path):
    mesh = trimesh.creation.box((0.1, 0.2, 0.3))
    mesh.invert()
    mesh.export(tmp_path / "a.ply")
    (box,) = read_shapes(written(tmp_path, {"name": "b", "mesh": "a.ply"}))
    assert trimesh.Trimesh(box.mesh.vertices, box.mesh.triangles).volume > 0


GOOD = {"name": "a", "box": [0.1, 0.1, 0.1]}


@pytest.mark.parametrize(
    ("entry", "named"),
    [
        (GOOD | {"box": [0.1, 0.1]}, "three edges"),
        (GOOD | {"box": [0.1, 0.1, -1]}, "three edges above 0"),
        (GOOD | {"box": "x"}, "box is"),
        (GOOD | {"sphere": 0.1}, "box, sphere"),
        ({"name": "a"}, "no shape"),
        ({"box": [1, 1, 1]}, "name of shape 0 is None"),
        (GOOD | {"name": 3}, "name of shape 0 is 3"),
        (GOOD | {"colour": [1, 2, 3]}, "the key 'colour'"),
        (GOOD | {"color": [1, 2, 300]}, "0 to 255"),
        (GOOD | {"color": [1, 2]}, "color is"),
        (GOOD | {"pose": {"position": [0, 0, 0]}}, "pose is"),
        (GOOD | {"pose": {"position": [0, 0, 0], "quaternion": [0, 0, 0, 2]}}, "norm 1"),
        (GOOD | {"pose": {"position": [0, 0], "quaternion": [0, 0, 0, 1]}}, "position is"),
        ({"name": "a", "mesh": "no.stl"}, r"no\.stl: is missing; accepted are .* meshes$"),
        ({"name": "a", "mesh": "../a.stl"}, "accepted are files in"),
        ({"name": "a", "mesh": "open.stl"}, r"open\.stl: its surface is open"),
        ({"name": "a", "mesh": "bad.stl"}, r"bad\.stl"),
        ({"name": "a", "mesh": "a.xyz"}, r"a\.xyz"),
        ({"name": "a", "mesh": 3}, "mesh is 3"),
        ({"name": "a", "mesh": "open.stl", "scale": 0}, "scale is 0"),
        (3, "shape 0 is 3"),
    ],
)
def test_a_wrong_shape_is_named(tmp_path, entry, named):
    mesh = trimesh.creation.icosphere()
    trimesh.Trimesh(mesh.vertices, mesh.faces[:40]).export(tmp_path / "open.stl")
    (tmp_path / "bad.stl").write_bytes(b"solid x")
    (tmp_path / "a.xyz").write_bytes(b"0 0 0")
    with pytest.raises(InputError, match=named) as caught:
        read_shapes(written(tmp_path, entry))
    assert str(tmp_path) in str(caught.value)


def test_equal_names_and_empty_lists_are_refused(tmp_path):
    with pytest.raises(InputError, match="'a' occurs twice"):
        read_shapes(written(tmp_path, GOOD, GOOD | {"box": [1, 1, 1]}))
    with pytest.raises(InputError, match="no list"):
        read_shapes(written(tmp_path))
    (tmp_path / "shapes.yaml").unlink()
    with pytest.raises(
        InputError, match=r"shapes\.yaml: is missing; accepted is a folder with shapes\.yaml$"
    ):
        read_shapes(tmp_path)


YAML = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text("ab./", max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text("ab", max_size=3), inner),
    max_leaves=6,
)


@settings(deadline=None, max_examples=150)
@given(st.sampled_from(["name", "box", "mesh", "scale", "pose", "color", "sphere"]), YAML)
def test_any_entry_is_read_or_refused_by_name(tmp_path_factory, key, value):
    folder = tmp_path_factory.getbasetemp()
    try:
        read_shapes(written(folder, GOOD | {key: value}))
    except InputError as error:
        assert str(folder) in str(error)


def seen_video():
    camera = PinholeCamera(40, 30, (50.0, 50.0), (19.5, 14.5), np.eye(4))
    return CameraVideo(camera, np.zeros(1), np.ones((1, 30, 40), np.float32))


def at(x, y, z, size=0.1):
    pose = np.eye(4)
    pose[:3, 3] = x, y, z
    return VideoShape("a", PrimitiveShape("box", (size,) * 3).surface(), pose)


@pytest.mark.parametrize(
    ("shape", "named"),
    [
        (at(0, 0, -1), "behind the camera"),
        (at(2, 0, 1), r"at pixel \[120.0, 14.0\], out of sight"),
        (at(0, 0, 1, 100), "173.*'scale' in shapes.yaml"),
        (at(0, 0, 1, 1e-4), "'scale' in shapes.yaml"),
    ],
)
def test_shapes_out_of_sight_or_of_another_unit_are_named(shape, named):
    check_shapes(seen_video(), [at(0, 0, 1)])
    with pytest.raises(InputError, match=named) as caught:
        check_shapes(seen_video(), [at(0, 0, 1), shape])
    assert "shape 'a'" in str(caught.value)


def test_without_a_first_pose_the_depths_show_the_unit():
    shape = at(0, 0, 1, 100)
    with pytest.raises(InputError, match="at the distance of 1 m"):
        check_shapes(seen_video(), [VideoShape("a", shape.mesh)])
