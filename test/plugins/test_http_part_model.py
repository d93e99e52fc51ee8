"""A part model behind HTTP: its answers, and hostile ones."""

import numpy as np
import pytest
from stub_service import Reply, StubService, encoded, part_answer, two_boxes

from autourdf_ros.data.encoded_image import EncodedImage
from autourdf_ros.data.parts.part_model import PartRequest
from autourdf_ros.data.parts.part_model_reading import parts_of_model
from autourdf_ros.errors import InputError
from autourdf_ros.plugins.http_part_model import PART_MODEL
from autourdf_ros.plugins.plugin_loading import load_plugin

PNG = EncodedImage("image/png", b"\x89PNG\r\n\x1a\n...")
REQUEST = PartRequest("a lamp", (PNG,))
GOOD = part_answer(**two_boxes())


def answered(document):
    with StubService(lambda question, headers: Reply(document)) as stub:
        assembly = parts_of_model(load_plugin(PART_MODEL, stub.url), REQUEST, "lamp")
    return assembly, stub


def refused(document):
    with pytest.raises(InputError) as error:
        answered(document)
    text = str(error.value)
    assert "\n" not in text and "/tmp" not in text
    return text


def changed(**fields):
    first, *rest = GOOD["parts"]
    return {**GOOD, "parts": [{**first, **fields}, *rest]}


def test_answered_meshes_become_named_parts():
    assembly, stub = answered(GOOD)
    assert [part.name for part in assembly.parts] == ["base", "arm"]
    np.testing.assert_allclose(assembly.parts[0].bounds, [[-0.2, -0.2, -0.05], [0.2, 0.2, 0.05]])
    assert (assembly.name, assembly.source) == ("lamp", None)
    assert any("part model" in note for note in assembly.notes)
    question = stub.asked[0][2]
    assert question["protocol"] == "autourdf_ros/part_model" and question["version"] == 1
    assert question["text"] == "a lamp"
    assert question["images"] == [{"media_type": "image/png", "data": encoded(PNG.content)}]


def test_a_glb_is_turned_from_y_up_to_z_up():
    meshes = two_boxes()
    for part, mesh in zip(GOOD["parts"], meshes.values(), strict=True):
        assert part["name"] in meshes
        mesh.apply_transform(np.array([[1, 0, 0, 0], [0, 0, 1, 0], [0, -1, 0, 0], [0, 0, 0, 1.0]]))
    parts = [
        {"name": name, "format": "glb", "data": encoded(mesh.export(file_type="glb"))}
        for name, mesh in meshes.items()
    ]
    assembly, _ = answered({**GOOD, "parts": parts})
    np.testing.assert_allclose(
        assembly.parts[1].bounds, [[-0.05, -0.05, 0.05], [0.05, 0.05, 0.35]], atol=1e-6
    )


@pytest.mark.parametrize(
    "document",
    [
        {},
        {**GOOD, "version": 2},
        {**GOOD, "protocol": "autourdf_ros/type_model"},
        {**GOOD, "parts": None},
        {**GOOD, "parts": []},
        {**GOOD, "parts": GOOD["parts"][:1]},
        {**GOOD, "parts": [1, 2]},
        {**GOOD, "parts": GOOD["parts"] * 200},
        changed(name=None),
        changed(format="obj"),
        changed(format="../x"),
        changed(data="no base64!"),
        changed(data=None),
        changed(data=""),
    ],
)
def test_a_malformed_answer_is_an_error_of_one_line(document):
    refused(document)


@pytest.mark.parametrize("name", ["../../etc/passwd", "/etc/passwd", "a\0b", "x" * 10_000, ""])
def test_an_answered_name_is_never_a_path(name):
    assembly, _ = answered(changed(name=name))
    assert assembly.parts[0].name.isidentifier() and len(assembly.parts[0].name) <= 110


@pytest.mark.parametrize(
    ("form", "content"),
    [
        ("ply", b"garbage"),
        ("ply", b"ply\nformat ascii 1.0\nelement vertex 1000000000000\nproperty float x\n"
         b"property float y\nproperty float z\nend_header\n"),
        ("glb", b"glTF\x02\x00\x00\x00\xff\xff\xff\x7f"),
        ("stl", b"\0" * 80 + b"\xff\xff\xff\x7f"),
    ],
)  # fmt: skip
def test_a_hostile_mesh_is_refused_by_the_readers_of_files(form, content):
    assert "part model: " in refused(changed(format=form, data=encoded(content)))


def test_a_mesh_of_nan_is_set_aside_and_two_parts_are_needed():
    mesh = two_boxes()["base"]
    mesh.vertices[:] = np.nan
    assert "part" in refused(changed(data=encoded(mesh.export(file_type="ply"))))


@pytest.mark.parametrize("answer", [None, 5, "parts", [1, 2], [{}, {}]])
def test_an_installed_model_may_return_anything(answer):
    class Model:
        def part_meshes(self, request, progress):
            return answer

    with pytest.raises(InputError, match="part model"):
        parts_of_model(Model(), REQUEST, "lamp")


def test_an_installed_model_that_fails_is_one_line():
    class Model:
        def part_meshes(self, request, progress):
            raise RuntimeError("private detail")

    with pytest.raises(InputError, match="RuntimeError") as error:
        parts_of_model(Model(), REQUEST, "lamp")
    assert "private" not in str(error.value)


def test_a_request_needs_an_image_or_a_text():
    for given in ({}, {"text": " "}, {"images": (PNG,) * 17}, {"text": "x" * 10_001}):
        with pytest.raises(InputError, match="accepted"):
            PartRequest(**given)
