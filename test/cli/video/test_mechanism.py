"""`autourdf mechanism`."""

import json
from pathlib import Path

import pytest

from autourdf_ros.cli.main import main
from autourdf_ros.model.document.self_model_reading import read_self_model
from autourdf_ros.model.result_files import POSTERIOR, REPORT, result_document
from autourdf_ros.simulation.mechanisms.mechanism_files import write_mechanism_video
from autourdf_ros.simulation.mechanisms.mechanism_library import mechanism_scene
from autourdf_ros.simulation.mechanisms.mechanism_recording import VideoOptions, record

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def video(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A short video of a driven cart-pole."""
    folder = tmp_path_factory.mktemp("video") / "cart"
    scene = mechanism_scene("driven_cart_pole").sample(0)
    seen, truth = record(scene, 0, VideoOptions(frames=100))
    write_mechanism_video(scene, seen, truth, folder)
    return folder


def test_a_video_becomes_a_mechanism_with_dynamics(video: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    assert main(["mechanism", str(video), "-o", str(out), "--name", "cart pole"]) == 0
    document = result_document(out)
    types = {joint["child"]: joint["type"] for joint in document["joints"]}
    assert types == {"cart": "prismatic", "pole": "revolute"}
    model = read_self_model(out)
    assert model.dynamics is not None and (out / POSTERIOR).is_file()
    page = (out / REPORT).read_text()
    assert "Tracks of the bodies" in page and "mass of cart" in page
    assert f"autourdf mechanism {video} -o OUT" in page
    assert main(["forecast", str(out), "--seconds", "0.2", "-o", str(tmp_path / "ahead")]) == 0
    assert main(["check", str(out)]) in (0, 1)


def test_the_published_method_of_joints_and_no_dynamics(video: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    options = ["--method", "ransac", "--no-dynamics"]
    assert main(["mechanism", str(video), "-o", str(out), *options]) in (0, 1)
    document = result_document(out)
    assert document["options"]["method"] == "ransac" and not (out / POSTERIOR).exists()


def test_unusable_input_ends_with_2_and_writes_nothing(video: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    assert main(["mechanism", str(tmp_path / "none"), "-o", str(out)]) == 2
    assert main(["mechanism", str(video), "-o", str(out), "--shapes", str(tmp_path)]) == 2
    forces = tmp_path / "forces.csv"
    forces.write_text("time,lid.fx,lid.fy,lid.fz\n0,1,0,0\n")
    assert main(["mechanism", str(video), "-o", str(out), "--forces", str(forces)]) == 2
    damaged = tmp_path / "damaged"
    damaged.mkdir()
    content = json.loads((video / "transforms.json").read_text())
    content["frames"] = content["frames"][:1] * 2
    (damaged / "transforms.json").write_text(json.dumps(content))
    arguments = ["mechanism", str(damaged), "-o", str(out), "--shapes", str(video / "shapes")]
    assert main(arguments) == 2
    assert not out.exists()


def test_another_folder_is_not_overwritten(video: Path, tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("mine")
    assert main(["mechanism", str(video), "-o", str(tmp_path)]) == 2
    assert (tmp_path / "mine.txt").read_text() == "mine"
