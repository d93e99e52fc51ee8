"""`autourdf assemble` with plug-ins behind a real HTTP service."""

import json

import numpy as np
import pytest
from PIL import Image
from stub_service import Reply, StubService, abstention, closed_url, part_answer, two_boxes
from stub_service import type_answer as typed

from autourdf_ros.cli.main import main

TOKEN = "t0ken-that-must-never-be-seen"


@pytest.fixture
def picture(tmp_path):
    path = tmp_path / "lamp.png"
    Image.fromarray(np.zeros((4, 4, 3), np.uint8)).save(path)
    return path


def serve(types):
    """A service of both kinds: the parts of a lamp, and what `types` says of a joint."""

    def reply(question, headers):
        if question["protocol"].endswith("part_model"):
            return Reply(part_answer(**two_boxes()))
        return types(question)

    return StubService(reply)


def contents(folder):
    return b"".join(path.read_bytes() for path in folder.rglob("*") if path.is_file())


@pytest.mark.slow
def test_a_picture_becomes_a_result_folder_and_no_output_holds_the_token(
    tmp_path, picture, monkeypatch, capfd
):
    monkeypatch.setenv("PARTS_TOKEN", TOKEN)
    monkeypatch.setenv("TYPES_TOKEN", TOKEN)
    out = tmp_path / "OUT"
    with serve(lambda question: Reply(typed("revolute", 0.9))) as stub:
        arguments = ["assemble", "-v", "--part-model", stub.url, "--image", str(picture)]
        arguments += ["--part-model-token-env", "PARTS_TOKEN", "-o", str(out)]
        arguments += ["--type-model", stub.url, "--type-model-token-env", "TYPES_TOKEN"]
        code = main(arguments)
    assert code == 0
    assert [headers["Authorization"] for _, headers, _ in stub.asked] == [f"Bearer {TOKEN}"] * 2
    document = json.loads((out / "reconstruction.json").read_text())
    assert {part["name"] for part in document["assembly"]["parts"]} == {"base", "arm"}
    assert any("type model says revolute" in note for note in document["notes"])
    features = document["assembly"]["joints"][0]["alternatives"][0]["features"]
    assert features["type model"] in (0.0, 1.0)
    printed = "".join(capfd.readouterr())
    assert TOKEN not in printed and TOKEN.encode() not in contents(out)
    assert "key=1" not in printed and b"key=1" not in contents(out)


@pytest.mark.slow
def test_a_type_model_that_fails_or_abstains_ends_no_assembly(tmp_path, picture):
    folder = tmp_path / "lamp"
    folder.mkdir()
    for name, mesh in two_boxes().items():
        mesh.export(folder / f"{name}.ply")
    kinds = {}
    for name, reply in {
        "fails": Reply(status=500, document={}),
        "abstains": Reply(abstention()),
    }.items():
        with serve(lambda question, reply=reply: reply) as stub:
            out = tmp_path / name
            assert main(["assemble", str(folder), "-o", str(out), "--type-model", stub.url]) == 0
        document = json.loads((out / "reconstruction.json").read_text())
        notes = " ".join(document["notes"])
        assert ("status 500" in notes) == (name == "fails")
        assert "answers for 0 of 1 joints" in notes
        kinds[name] = [joint["type"] for joint in document["assembly"]["joints"][0]["alternatives"]]
    assert kinds["fails"] == kinds["abstains"]


def test_a_part_model_that_fails_is_one_line_and_nothing_is_written(tmp_path, picture, capsys):
    out = tmp_path / "OUT"
    arguments = ["assemble", "--text", "a lamp", "--part-model", closed_url(), "-o", str(out)]
    assert main(arguments) == 2
    error = capsys.readouterr().err
    assert error.count("\n") == 1 and "cannot be reached" in error and not out.exists()


def test_the_trace_of_an_error_does_not_hold_the_token(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("PARTS_TOKEN", TOKEN)
    echo = b"HTTP/1.1 " + TOKEN.encode() + b"\r\n\r\n"
    with StubService(lambda question, headers: Reply(raw=echo)) as stub:
        arguments = ["assemble", "-v", "--text", "a lamp", "--part-model", stub.url]
        arguments += ["--part-model-token-env", "PARTS_TOKEN", "-o", str(tmp_path / "OUT")]
        assert main(arguments) == 2
    printed = "".join(capsys.readouterr())
    assert "Traceback" in printed and TOKEN not in printed


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["PARTS", "--part-model", "x", "--text", "a lamp"],
        ["PARTS", "--text", "a lamp"],
        ["PARTS", "--image", "a.png"],
        ["PARTS", "--type-model-token-env", "X"],
        ["--part-model", "http://127.0.0.1:1/"],
        ["--part-model", "no-such-plug-in", "--text", "a lamp"],
        ["--part-model", "file:///etc/passwd", "--text", "a lamp"],
    ],
)
def test_options_that_contradict_each_other_are_refused(tmp_path, arguments, capsys):
    assert main(["assemble", *arguments, "-o", str(tmp_path / "OUT")]) == 2
    error = capsys.readouterr().err
    assert error.count("\n") == 1 and "accepted" in error


def test_without_an_option_no_connection_is_opened(tmp_path, monkeypatch):
    def forbidden(*args, **more):
        raise AssertionError("a connection is opened")

    monkeypatch.setattr("socket.socket.connect", forbidden)
    assert main(["assemble", str(tmp_path), "-o", str(tmp_path / "OUT")]) == 2
