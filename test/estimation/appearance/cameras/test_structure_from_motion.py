"""What is given to COLMAP, and what is said where it is not installed."""

import sys

import numpy as np
import pytest

from autourdf_ros.data.images.transforms_file import TransformsFile
from autourdf_ros.data.images.unposed.unposed_images import UnposedImage, UnposedImages
from autourdf_ros.errors import InputError
from autourdf_ros.estimation.appearance.cameras import structure_from_motion
from autourdf_ros.estimation.appearance.cameras.structure_from_motion import (
    background,
    find_views,
)
from autourdf_ros.subprocesses import CheckError


def image(color, mask, name="a.png", camera=None):
    return UnposedImage(name, camera, None, color, {}, mask)


def images(tmp_path):
    color = np.full((8, 10, 3), 9, np.uint8)
    made = (image(color, None), image(color, None, "b.png", "left"), image(color, None, "c.png"))
    return UnposedImages(TransformsFile(tmp_path / "transforms.json", {}, [], ""), made)


def test_what_hides_the_scene_in_one_image_is_filled_from_another():
    scene = np.random.default_rng(0).integers(0, 256, (20, 30, 3), np.uint8)
    group = []
    for column in (3, 20):
        color, mask = scene.copy(), np.zeros((20, 30), np.uint8)
        mask[5:15, column : column + 6] = 255
        color[mask > 0] = 255
        group.append(image(color, mask))
    found, free = background(group, 2)
    assert free.all() and np.array_equal(found, scene)
    found, free = background(group[:1], 2)
    assert not free[5:15, 1:11].any() and not free[4, 3:9].any() and free[:, 12:].all()


def test_without_pycolmap_it_says_how_to_install_it_and_what_else_there_is(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pycolmap", None)
    with pytest.raises(InputError, match=r"pip install autourdf_ros\[cameras\].*--colmap"):
        find_views(images(tmp_path))


def test_what_fails_in_the_other_process_is_named(tmp_path, monkeypatch):
    def failing(arguments, patience):
        raise CheckError("no two images see enough")

    monkeypatch.setattr(structure_from_motion.importlib.util, "find_spec", lambda name: True)
    monkeypatch.setattr(structure_from_motion, "run_python", failing)
    with pytest.raises(InputError, match="no cameras were found by 3 views: no two images"):
        find_views(images(tmp_path))


def test_views_have_the_names_of_cameras_and_files(tmp_path, monkeypatch):
    def finding(arguments, patience):
        folder = tmp_path.__class__(arguments[-1])
        assert len([*(folder / "images").iterdir()]) == len([*(folder / "masks").iterdir()]) == 3
        text = folder / "text"
        text.mkdir()
        (text / "cameras.txt").write_text("1 PINHOLE 10 8 12 12 5 4\n")
        row = "1 1 0 0 0 0 0 {} 1 00000{}.png\n\n"
        (text / "images.txt").write_text("".join(row.format(n, n) for n in (0, 1)))
        (text / "points3D.txt").write_text("")

    monkeypatch.setattr(structure_from_motion.importlib.util, "find_spec", lambda name: True)
    monkeypatch.setattr(structure_from_motion, "run_python", finding)
    found = find_views(images(tmp_path))
    assert [*found.cameras] == ["a.png", "left"]
    assert np.allclose(found.cameras["left"].pose[:3, 3], [0, 0, -1])
