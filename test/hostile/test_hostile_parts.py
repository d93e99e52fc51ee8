"""Untrusted part files: they reach nothing outside, promise nothing, and crash nothing."""

import json
import os
import struct
import tracemalloc
from importlib.util import find_spec

import numpy as np
import pytest
import trimesh

from autourdf_ros.data.parts.assembly_reading import read_assembly
from autourdf_ros.data.parts.formats import isolated_reading, mesh_bounds
from autourdf_ros.errors import InputError
from autourdf_ros.subprocesses import CheckError

MANY = 10**12
LITTLE = 2**24  # bytes: more than any of these files should take
MESH = {"primitives": [{"attributes": {"POSITION": 0}}]}


@pytest.fixture
def little_memory():
    tracemalloc.start()
    yield
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < LITTLE


def gltf(file, **changes):
    """A glTF file of two triangles' corners, with other entries in place of its own."""
    content = {
        "asset": {"version": "2.0"},
        "nodes": [{"mesh": 0}, {"mesh": 0, "translation": [3, 0, 0]}],
        "meshes": [MESH],
        "accessors": [{"bufferView": 0, "componentType": 5126, "type": "VEC3", "count": 6}],
        "bufferViews": [{"buffer": 0, "byteLength": 72}],
        "buffers": [{"uri": "a.bin", "byteLength": 72}],
    }
    file.write_text(json.dumps(content | changes))
    points = np.random.default_rng(0).normal(size=(6, 3)).astype("<f4")
    (file.parent / "a.bin").write_bytes(points.tobytes())
    return file


def accessor(**changes):
    whole = {"bufferView": 0, "componentType": 5126, "type": "VEC3", "count": 6}
    return {"accessors": [whole | changes]}


def test_the_sample_is_read(tmp_path):
    assert len(read_assembly(gltf(tmp_path / "a.gltf")).parts) == 2


@pytest.mark.parametrize(
    "changes",
    [
        accessor(count=MANY),
        accessor(count=7),
        accessor(count=-1),
        accessor(byteOffset=1),
        accessor(byteOffset=-12),
        accessor(bufferView=None),
        accessor(componentType=5130),
        {"bufferViews": [{"buffer": 0, "byteLength": MANY}]},
        {"bufferViews": [{"buffer": 0, "byteLength": 72, "byteStride": MANY}]},
        {"accessors": [{"componentType": 5126, "type": "VEC3", "count": MANY}]},
        {"nodes": [{"mesh": 10**9}]},
        {"scenes": [{"nodes": [5]}]},
        {"nodes": [{"mesh": 0, "rotation": [0, 0, 0, 0]}]},
        {"nodes": [{"mesh": 0, "matrix": [1, 2, 3]}]},
        {"nodes": 3},
    ],
)
def test_a_gltf_that_contradicts_itself_is_refused_unread(tmp_path, little_memory, changes):
    with pytest.raises(InputError, match=r"a\.gltf: not a readable glTF file"):
        read_assembly(gltf(tmp_path / "a.gltf", **changes))


@pytest.mark.slow
def test_nodes_in_a_circle_or_instantiated_too_often_are_refused(tmp_path, little_memory):
    circle = [{"mesh": 0, "children": [1]}, {"children": [0]}]
    doubling = [{"children": [number + 1, number + 1]} for number in range(60)] + [{"mesh": 0}]
    for nodes in (circle, doubling):
        file = gltf(tmp_path / "a.gltf", nodes=nodes, scenes=[{"nodes": [0]}])
        with pytest.raises(InputError, match=r"a\.gltf: instantiates \d+ nodes; accepted are up"):
            read_assembly(file)


def test_json_without_an_end_to_its_depth_is_refused(tmp_path):
    (tmp_path / "a.gltf").write_text("[" * 100_000)
    with pytest.raises(InputError, match=r"a\.gltf: not a readable glTF file: .*nested"):
        read_assembly(tmp_path / "a.gltf")
    (tmp_path / "a.glb").write_bytes(b"glTF" + struct.pack("<IIII", 2, 20, 2**31, 0x4E4F534A))
    with pytest.raises(InputError, match=r"a\.glb: not a readable glTF file .*cut off"):
        read_assembly(tmp_path / "a.glb")


@pytest.mark.parametrize("uri", ["../secret.bin", "%2e%2e/secret.bin", "/etc/hostname", "link.bin"])
def test_a_buffer_outside_of_the_folder_is_not_opened(tmp_path, uri):
    (tmp_path / "secret.bin").write_bytes(bytes(72))
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "link.bin").symlink_to(tmp_path / "secret.bin")
    file = gltf(tmp_path / "in" / "a.gltf", buffers=[{"uri": uri, "byteLength": 72}])
    with pytest.raises(InputError, match=r"leads out of .*in; accepted are files within it"):
        read_assembly(file)


def test_a_buffer_of_the_network_is_not_fetched(tmp_path):
    buffers = [{"uri": "http://localhost/a.bin", "byteLength": 72}]
    with pytest.raises(InputError, match=r"a\.gltf: names the buffer .*which is not fetched"):
        read_assembly(gltf(tmp_path / "a.gltf", buffers=buffers))


def test_compressed_meshes_are_refused_by_name(tmp_path):
    file = gltf(tmp_path / "a.gltf", extensionsRequired=["KHR_draco_mesh_compression"])
    with pytest.raises(InputError, match=r"requires KHR_draco_mesh_compression; accepted is plain"):
        read_assembly(file)


PLY = (
    "ply\nformat {} 1.0\nelement vertex {}\nproperty float x\nproperty float y\nproperty float z\n"
    "element face {}\nproperty list uchar int vertex_indices\nend_header\n"
)


@pytest.mark.parametrize("form", ["ascii", "binary_little_endian"])
@pytest.mark.parametrize("counts", [(MANY, 1), (3, MANY), (-1, 1), ("x", 1)])
def test_a_ply_of_more_than_its_length_is_refused_unread(tmp_path, little_memory, form, counts):
    (tmp_path / "a.ply").write_bytes(PLY.format(form, *counts).encode() + bytes(60))
    with pytest.raises(InputError, match=r"a\.ply: (declares|not a readable PLY file)"):
        read_assembly(tmp_path)


def test_a_collada_file_that_multiplies_its_nodes_is_refused(tmp_path):
    text = trimesh.creation.box().export(file_type="dae").decode()
    nodes = "".join(
        f'<node id="n{number}"><instance_node url="#n{number - 1}"/>'
        f'<instance_node url="#n{number - 1}"/></node>'
        for number in range(1, 40)
    )
    library = f'<library_nodes><node id="n0"/>{nodes}</library_nodes><library_visual_scenes>'
    text = text.replace("<library_visual_scenes>", library)
    text = text.replace(
        "</visual_scene>", '<node><instance_node url="#n39"/></node></visual_scene>'
    )
    (tmp_path / "a.dae").write_text(text)
    with pytest.raises(InputError, match=r"a\.dae: instantiates \d+ nodes"):
        read_assembly(tmp_path / "a.dae")


@pytest.mark.slow
@pytest.mark.parametrize("name", ["a.dae", "a.urdf", "a.xml"])
def test_a_document_type_is_refused(tmp_path, name):
    (tmp_path / name).write_text('<!DOCTYPE r [<!ENTITY x SYSTEM "/etc/hostname">]><r>&x;</r>')
    with pytest.raises(InputError, match=r"a\.\w+: declares a document type"):
        read_assembly(tmp_path / name)


def test_only_regular_files_of_the_folder_are_parts(tmp_path):
    folder = tmp_path / "in"
    folder.mkdir()
    trimesh.creation.box().export(tmp_path / "secret.ply")
    (folder / "a.ply").symlink_to(tmp_path / "secret.ply")
    with pytest.raises(InputError, match=r"a\.ply: leads out of .*in; accepted are files within"):
        read_assembly(folder)
    (folder / "a.ply").unlink()
    os.mkfifo(folder / "a.ply")  # a reader would wait for ever
    with pytest.raises(InputError, match=r"a\.ply: is no regular file"):
        read_assembly(folder)
    (folder / "a.ply").unlink()
    (folder / "a.ply").symlink_to("a.ply")
    with pytest.raises(InputError, match=r"a\.ply: (is no regular file|cannot be read)"):
        read_assembly(folder)


def test_materials_are_not_opened(tmp_path):
    os.mkfifo(tmp_path / "a.mtl")
    cube = ["v %d %d %d" % corner for corner in np.ndindex(2, 2, 2)]  # noqa: UP031
    lines = ["mtllib a.mtl", *cube, "o a", "f 1 2 3", "f 2 3 8", "o b", "f 5 6 7", "f 6 7 1"]
    (tmp_path / "a.obj").write_text("\n".join(lines))
    assert [part.name for part in read_assembly(tmp_path / "a.obj").parts] == ["a", "b"]


def test_a_file_above_the_bound_is_refused_unread(tmp_path, little_memory):
    for name, size in (("a.stl", mesh_bounds.BOUNDS.file_bytes + 1), ("b.stl", 0)):
        with (tmp_path / name).open("wb") as file:
            file.truncate(size)
    with pytest.raises(InputError, match=r"a\.stl: has 512 MiB; accepted are up to 512 MiB"):
        read_assembly(tmp_path / "a.stl")
    with pytest.raises(InputError, match=r"b\.stl: is empty"):
        read_assembly(tmp_path / "b.stl")


@pytest.mark.slow
def test_more_parts_or_triangles_than_the_bound_are_refused(tmp_path, monkeypatch):
    most = mesh_bounds.BOUNDS.parts
    (tmp_path / "in").mkdir()
    for number in range(most + 1):
        (tmp_path / "in" / f"{number}.stl").write_bytes(b"never opened")
    with pytest.raises(InputError, match=rf"in: has {most + 1} meshes; accepted are up to {most}"):
        read_assembly(tmp_path / "in")
    lines = ["v 0 0 0", "v 1 0 0", "v 0 1 0"]
    lines += [line for number in range(most + 1) for line in (f"g {number}", "f 1 2 3")]
    (tmp_path / "a.obj").write_text("\n".join(lines))
    with pytest.raises(InputError, match=rf"a\.obj: has more than {most} objects or groups"):
        read_assembly(tmp_path / "a.obj")
    corners = " ".join(["1 2 3"] * (mesh_bounds.BOUNDS.triangles // 100))
    (tmp_path / "b.obj").write_text("\n".join([*lines[:3], *[f"f {corners}"] * 34]))
    with pytest.raises(InputError, match=r"b\.obj: has \d+ triangles; accepted are up to 5000000"):
        read_assembly(tmp_path / "b.obj")


@pytest.mark.skipif(find_spec("pxr") is None, reason="needs the extra usd")
@pytest.mark.slow
def test_a_usd_layer_outside_of_the_folder_is_refused(tmp_path):
    cube = '#usda 1.0\ndef Mesh "m" {}\n'
    (tmp_path / "secret.usda").write_text(cube)
    (tmp_path / "in").mkdir()
    file = tmp_path / "in" / "a.usda"
    file.write_text('#usda 1.0\ndef "x" (references = @../secret.usda@</m>) {}\n')
    with pytest.raises(InputError, match=r"a\.usda: names the layer .*secret\.usda; accepted are"):
        read_assembly(file)
    file.write_text("#usda 1.0\n(")
    with pytest.raises(InputError, match=r"a\.usda: not a readable USD file"):
        read_assembly(file)


def test_a_library_that_crashes_on_a_file_is_one_error(tmp_path, monkeypatch):
    def crash(*_):
        raise CheckError("crashed (SIGSEGV)")

    monkeypatch.setattr(isolated_reading, "run_python", crash)
    (tmp_path / "a.urdf").write_text("<robot/>")
    with pytest.raises(InputError, match=r"a\.urdf: cannot be read: crashed \(SIGSEGV\)"):
        read_assembly(tmp_path / "a.urdf")
