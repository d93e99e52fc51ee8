"""Splats as binary glTF: read back by hand as the extension has it, and by trimesh as points."""

import json
import struct

import numpy as np
import pytest
import trimesh
from scipy.spatial.transform import Rotation

from autourdf_ros.export.formats.splat_gltf import C0, GltfLink, GltfSplats, write_splat_gltf

COUNT = 7


def splats(seed):
    rng = np.random.default_rng(seed)
    return GltfSplats(
        rng.normal(size=(COUNT, 3)),
        rng.normal(size=(COUNT, 4)),
        rng.uniform(0.001, 0.01, (COUNT, 3)),
        rng.uniform(0.1, 0.9, COUNT),
        rng.uniform(-0.1, 1.1, (COUNT, 3)),
    )


def pose(vector, place):
    found = np.eye(4)
    found[:3, :3] = Rotation.from_rotvec(vector).as_matrix()
    found[:3, 3] = place
    return found


LINKS = [
    GltfLink("base", None, pose([0, 0, 0.3], [0.1, 0, 0]), splats(0)),
    GltfLink("bare", "base", pose([0.5, 0, 0], [0, 0.2, 0.3]), None),
    GltfLink("tool", "bare", pose([0, 0.7, 0.1], [0.4, 0, 0]), splats(1)),
]


@pytest.fixture
def file(tmp_path):
    write_splat_gltf("arm", LINKS, tmp_path / "arm.glb")
    return tmp_path / "arm.glb"


def read(file):
    """The JSON chunk, and what returns the array of an accessor."""
    data = file.read_bytes()
    magic, version, total = struct.unpack_from("<III", data)
    assert (magic, version, total) == (0x46546C67, 2, len(data))
    length, kind = struct.unpack_from("<II", data, 12)
    assert kind == 0x4E4F534A and length % 4 == 0
    content = json.loads(data[20 : 20 + length])
    size, kind = struct.unpack_from("<II", data, 20 + length)
    binary = data[28 + length :]
    assert kind == 0x004E4942 and size == len(binary) == content["buffers"][0]["byteLength"]

    def array(number):
        accessor = content["accessors"][number]
        view = content["bufferViews"][accessor["bufferView"]]
        assert accessor["componentType"] == 5126 and view["byteOffset"] % 4 == 0
        width = {"SCALAR": 1, "VEC3": 3, "VEC4": 4}[accessor["type"]]
        values = np.frombuffer(binary, "<f4", accessor["count"] * width, view["byteOffset"])
        assert values.nbytes == view["byteLength"]
        return values.reshape(-1, width)

    return content, array


def test_every_attribute_is_as_the_extension_has_it(file):
    content, array = read(file)
    assert content["extensionsUsed"] == ["KHR_gaussian_splatting"]
    for mesh, link in zip(content["meshes"], (LINKS[0], LINKS[2]), strict=True):
        (primitive,), own = mesh["primitives"], link.splats
        assert mesh["name"] == link.name and primitive["mode"] == 0
        settings = primitive["extensions"]["KHR_gaussian_splatting"]
        assert settings == {"kernel": "ellipse", "colorSpace": "srgb_rec709_display"}
        found = {name: array(number) for name, number in primitive["attributes"].items()}
        assert found.pop("POSITION") == pytest.approx(own.means, abs=1e-6)
        bounds = content["accessors"][primitive["attributes"]["POSITION"]]
        assert bounds["min"] == pytest.approx(own.means.min(0), abs=1e-6)
        assert bounds["max"] == pytest.approx(own.means.max(0), abs=1e-6)
        shown = found.pop("COLOR_0")
        assert shown[:, 3] == pytest.approx(own.opacities, abs=1e-6)
        assert shown.min() >= 0 and shown.max() <= 1
        found = {name.removeprefix("KHR_gaussian_splatting:"): one for name, one in found.items()}
        turns = Rotation.from_quat(found["ROTATION"])
        assert np.linalg.norm(found["ROTATION"], axis=1) == pytest.approx(np.ones(COUNT), abs=1e-6)
        expected = Rotation.from_quat(own.quaternions, scalar_first=True)
        assert (turns * expected.inv()).magnitude() == pytest.approx(np.zeros(COUNT), abs=1e-5)
        assert found["SCALE"] == pytest.approx(own.scales, abs=1e-6)
        assert found["OPACITY"][:, 0] == pytest.approx(own.opacities, abs=1e-6)
        color = 0.5 + C0 * found["SH_DEGREE_0_COEF_0"]
        assert color == pytest.approx(own.colors, abs=1e-6)
        assert len(found) == 4


def test_the_fallback_colour_is_linear(tmp_path):
    grey = GltfSplats(*(np.ones((1, size)) for size in (3, 4, 3)), np.ones(1), np.full((1, 3), 0.5))
    write_splat_gltf("a", [GltfLink("a", None, np.eye(4), grey)], tmp_path / "a.glb")
    content, array = read(tmp_path / "a.glb")
    shown = array(content["meshes"][0]["primitives"][0]["attributes"]["COLOR_0"])
    assert shown[0, :3] == pytest.approx(np.full(3, 0.2140), abs=1e-4)  # of sRGB 0.5


def test_links_are_nodes_that_hang_on_each_other_with_y_up(file):
    scene = trimesh.load(file)
    upright = np.array([[1, 0, 0, 0], [0, 0, 1, 0], [0, -1, 0, 0], [0, 0, 0, 1]])
    base = upright @ LINKS[0].pose
    tool = base @ LINKS[1].pose @ LINKS[2].pose
    for name, expected in (("base", base), ("tool", tool)):
        found, geometry = scene.graph.get(name)
        assert found == pytest.approx(expected, abs=1e-6)
        own = LINKS[0 if name == "base" else 2].splats
        assert scene.geometry[geometry].vertices == pytest.approx(own.means, abs=1e-6)
    parents = scene.graph.transforms.parents
    assert (parents["tool"], parents["bare"], parents["base"]) == ("bare", "base", "arm")
