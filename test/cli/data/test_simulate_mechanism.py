"""`autourdf simulate --mechanism` as it is typed."""

import numpy as np
import pytest

from autourdf_ros.cli import main as cli
from autourdf_ros.data.video.force_table import read_forces
from autourdf_ros.data.video.shape_folder import read_shapes
from autourdf_ros.data.video.video_checks import check_shapes
from autourdf_ros.data.video.video_folder import read_video_folder
from autourdf_ros.simulation.mechanisms.mechanism_library import SCENES
from autourdf_ros.simulation.mechanisms.mechanism_truth import read_mechanism_truth


def simulate(*arguments):
    return cli.main(["simulate", *map(str, arguments)])


@pytest.mark.parametrize("name", SCENES)
def test_writes_a_video_that_is_read_back_with_its_truth(name, tmp_path, capsys):
    out = tmp_path / "video"
    assert simulate("--mechanism", name, "-o", out, "--frames", 4, "--seed", 3, "--colors") == 0
    assert capsys.readouterr().out.strip() == str(out)
    video, shapes = read_video_folder(out), read_shapes(out / "shapes")
    truth = read_mechanism_truth(out / "truth.json")
    check_shapes(video, shapes)
    assert video.depth.shape == (4, 240, 320) and video.colors.shape == (4, 240, 320, 3)
    assert np.allclose(video.stamps, truth.stamps)
    assert [shape.name for shape in shapes] == [b for b in truth.bodies if b not in truth.drivers]
    assert (out / "forces.csv").exists() == (truth.forces is not None)
    if truth.contacts:
        table = read_forces(out / "forces.csv")
        assert all(np.allclose(table.forces[n], c[:, 1]) for n, c in truth.contacts.items())
    for number, shape in enumerate(shapes):
        error = np.linalg.inv(truth.poses[number, 0]) @ shape.first_pose
        assert np.linalg.norm(error[:3, 3]) == pytest.approx(0.03, rel=1e-6)
        angle = np.arccos((np.trace(error[:3, :3]) - 1) / 2)
        assert np.degrees(angle) == pytest.approx(10, rel=1e-6)


@pytest.mark.fast
@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (["--mechanism", "cartpole"], "cart_pole, driven_cart_pole"),
        (["--mechanism", "door", "--points", 3], "--points"),
        (["panda", "--mechanism", "door"], "ROBOT"),
        (["--mechanism", "door", "--noise", "paper"], "--noise is paper"),
        (["--mechanism", "door", "--frames", 0], "0 frames"),
        (["--mechanism", "door", "--seed", -1], "--seed is -1"),
        ([], "--mechanism NAME"),
    ],
)
def test_wrong_arguments_are_named(arguments, named, tmp_path, capsys):
    assert simulate(*arguments, "-o", tmp_path / "video") == 2
    assert named in capsys.readouterr().err


def test_a_folder_that_is_not_empty_is_kept(tmp_path, capsys):
    (tmp_path / "mine.txt").write_text("x")
    assert simulate("--mechanism", "door", "-o", tmp_path, "--frames", 1) == 2
    assert "not an empty folder" in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]
