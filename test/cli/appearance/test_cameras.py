"""`autourdf cameras` as it is typed."""

import json

import numpy as np
import pytest
from PIL import Image

from autourdf_ros.cli.main import main
from autourdf_ros.data.images.image_folder import read_image_folder

LENS = {"fl_x": 20.0, "cx": 6.0, "cy": 4.0, "w": 12, "h": 8}


@pytest.fixture
def images(tmp_path):
    folder = tmp_path / "set"
    folder.mkdir()
    frames = []
    for number in range(3):
        Image.fromarray(np.zeros((8, 12, 3), np.uint8)).save(folder / f"{number}.png")
        frames.append({"file_path": f"{number}.png", "joint_positions": {"elbow": 0.1}})
    (folder / "transforms.json").write_text(json.dumps({**LENS, "frames": frames}))
    return folder


@pytest.fixture
def colmap(tmp_path):
    folder = tmp_path / "colmap"
    folder.mkdir()
    (folder / "cameras.txt").write_text("1 PINHOLE 12 8 20 20 6 4\n")
    rows = "".join(f"{n} 1 0 0 0 {n} 0 0 1 {n}.png\n\n" for n in range(3))
    (folder / "images.txt").write_text(rows)
    (folder / "points3D.txt").write_text("1 0 0 5 0 0 0 0.25 1 0 2 0\n")
    return folder


def cameras(*arguments):
    return main(["cameras", *map(str, arguments)])


def test_images_with_poses_are_written_and_said(images, colmap, tmp_path, capsys):
    out = tmp_path / "out"
    command = (images, "--length", "0.png", "2.png", 0.5, "--colmap", colmap, "-o", out)
    assert cameras(*command) == 0
    said = capsys.readouterr().out
    assert "3 of 3 views have a camera, 3 images" in said and "0.25 pixels" in said
    assert "1 unit of COLMAP is 0.25 m" in said and "not in the robot's base" in said
    assert f"next: autourdf splat {out} -o RESULT" in said
    found = read_image_folder(out)
    assert "up is what is up in the images" in found.notes[0]
    ends = (found.images[number].camera.pose[:3, 3] for number in (0, 2))
    assert np.linalg.norm(np.subtract(*ends)) == pytest.approx(0.5)
    assert cameras(*command) == 2
    assert "exists and is not an empty folder" in capsys.readouterr().err


@pytest.mark.parametrize("metres", ["0", "-1", "nan", "inf", "one"])
def test_a_length_that_is_none_is_named(images, colmap, tmp_path, capsys, metres):
    given = ("--length", "0.png", "1.png", metres)
    assert cameras(images, *given, "--colmap", colmap, "-o", tmp_path / "out") == 2
    assert f"--length: '{metres}' metres; accepted is a number above 0" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_a_model_that_is_no_result_is_named(images, colmap, tmp_path, capsys):
    command = (images, "--model", tmp_path / "none", "--colmap", colmap, "-o", tmp_path / "out")
    assert cameras(*command) == 2
    assert str(tmp_path / "none") in capsys.readouterr().err
    assert not (tmp_path / "out").exists()
