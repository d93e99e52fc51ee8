"""`autourdf splat` and `autourdf render`."""

import shutil

import numpy as np
import pytest
from PIL import Image
from robot_images import robot_images
from sample_results import write_small_arm

from autourdf_ros.cli.main import main
from autourdf_ros.data.images.image_folder import write_image_folder

pytestmark = pytest.mark.slow  # a result folder is written by processes


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    folder = tmp_path_factory.mktemp("made")
    write_small_arm(folder / "arm")
    (folder / "images").mkdir()
    write_image_folder(robot_images(folder / "arm", 12, size=48), folder / "images")
    return folder


def run(*arguments):
    return main([str(argument) for argument in arguments])


def test_images_become_splats_and_splats_an_image(made, tmp_path, capfd):
    out = tmp_path / "arm"
    shutil.copytree(made / "arm", out)
    few = ["--splats", 500, "--steps", 30, 30, "--correct-axes"]
    code = run("splat", made / "images", "--model", out, *few)
    printed = capfd.readouterr().out
    assert code in (0, 1) and "masks overlap by" in printed and f"render {out}" in printed
    assert "axes are corrected by images" in printed or "axes are not corrected" in printed
    picture, depth, links = (tmp_path / f"{name}.png" for name in ("a", "depth", "links"))
    extra = ["--depth", depth, "--links", links, "--size", 80, 60]
    assert run("render", out, "-o", picture, *extra) == 0
    assert np.asarray(Image.open(picture)).shape == (60, 80, 3)
    assert np.asarray(Image.open(picture)).max() > 50
    seen = np.asarray(Image.open(links)) > 0
    files = tmp_path / "all.ply", tmp_path / "all.glb"
    assert [run("render", out, "--splats", file) for file in files] == [0, 0]
    assert all(file.stat().st_size > 10_000 for file in files)
    assert 0.01 < seen.mean() < 0.9 and (np.asarray(Image.open(depth))[seen] > 0).all()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["render", "{arm}", "-o", "{tmp}/a.png"], "has no splats"),
        (["render", "{arm}"], "neither --out nor --splats is given"),
        (["render", "{arm}", "--splats", "{tmp}/a.ply"], "has no splats"),
        (["render", "{arm}", "--splats", "{tmp}/a.obj"], "ends in .ply or .glb"),
        (["render", "{arm}", "--splats", "{tmp}/a.ply", "--depth", "{tmp}/a.png"], "with --out"),
        (["render", "{arm}", "-o", "{tmp}/no/a.png"], "no is no folder; accepted is a file"),
        (["render", "{arm}", "-o", "{tmp}/a.png", "--joints", "a"], "'a'; accepted is NAME=VALUE"),
        (["splat", "{tmp}", "--model", "{arm}"], "transforms.json: is missing"),
        (["splat", "{images}", "--model", "{tmp}"], "reconstruction.json"),
        (["splat", "{images}", "--model", "{arm}", "--topics", "/a"], "are of bags"),
        (["splat", "{tmp}/no.mcap", "--model", "{arm}"], "no.mcap: does not exist"),
    ],
)
def test_bad_arguments_are_named(made, tmp_path, capfd, arguments, words):
    places = {"arm": made / "arm", "images": made / "images", "tmp": tmp_path}
    assert run(*(text.format(**places) for text in arguments)) == 2
    assert words in capfd.readouterr().err
