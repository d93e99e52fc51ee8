"""From COLMAP's cameras to images with poses in metres: by a length, and by the robot."""

import json
from dataclasses import replace

import numpy as np
import pytest
from robot_images import robot_images
from sample_results import write_small_arm
from scipy.spatial.transform import Rotation

from autourdf_ros.cli.main import main
from autourdf_ros.data.images.image_folder import read_image_folder, write_image_folder
from autourdf_ros.data.images.posed_camera import PinholeCamera, look_at
from autourdf_ros.data.images.transforms_file import TransformsFile
from autourdf_ros.data.images.unposed.colmap_model import ColmapModel
from autourdf_ros.data.images.unposed.unposed_images import UnposedImage, UnposedImages
from autourdf_ros.errors import InputError
from autourdf_ros.estimation.appearance.cameras.similarity import Similarity
from autourdf_ros.workflows.appearance.finding.find_cameras import (
    StatedLength,
    named_views,
    scaled_cameras,
)

SCENE = Similarity(1 / 0.37, Rotation.random(random_state=3).as_matrix(), np.array([1.0, -2, 3]))
"""From metres to a unit and frame of COLMAP's own."""


def around(count):
    return [
        PinholeCamera(8, 6, (9.0, 9.0), (3.5, 2.5), look_at(np.array([x, y, 1.0]), np.zeros(3)))
        for x, y in zip(
            np.cos(np.linspace(0, 4, count)), np.sin(np.linspace(0, 4, count)), strict=True
        )
    ]


def unposed(tmp_path, names, still=()):
    color = np.zeros((6, 8, 3), np.uint8)
    images = tuple(
        UnposedImage(name, "left" if name in still else None, None, color, {}, None)
        for name in names
    )
    return UnposedImages(TransformsFile(tmp_path / "transforms.json", {}, [], ""), images)


def model(names, error=0.3):
    cameras = zip(names, around(len(names)), strict=True)
    return ColmapModel({name: SCENE.camera(one) for name, one in cameras}, np.empty((0, 3)), error)


NAMES = [f"color/{number}.png" for number in range(8)]


def test_a_stated_length_gives_metres(tmp_path):
    true = around(8)
    length = float(np.linalg.norm(true[0].pose[:3, 3] - true[6].pose[:3, 3]))
    stated = StatedLength(NAMES[0], NAMES[6], length)
    found = scaled_cameras(unposed(tmp_path, NAMES), model(NAMES), stated)
    assert found.verdict.trust == "trusted" and found.scale == pytest.approx(0.37)
    places = np.array([found.cameras[number].pose[:3, 3] for number in range(8)])
    wanted = np.array([one.pose[:3, 3] for one in true])
    assert np.allclose(
        np.linalg.norm(places[:, None] - places, axis=-1),
        np.linalg.norm(wanted[:, None] - wanted, axis=-1),
    )
    assert "up is what is up in the images" in found.notes[0]


def test_images_of_one_still_camera_share_its_pose(tmp_path):
    images = unposed(tmp_path, NAMES, still=NAMES[2:5])
    found = scaled_cameras(images, model([*NAMES[:2], "left"]), StatedLength(NAMES[0], "left", 1))
    assert found.views == 6 and len(found.cameras) == 5
    assert found.cameras[2] is not None
    assert np.array_equal(found.cameras[2].pose, found.cameras[4].pose)


def test_views_that_were_not_found_are_left_out_and_named(tmp_path):
    stated = StatedLength(NAMES[0], NAMES[4], 1.0)
    images = unposed(tmp_path, NAMES)
    found = scaled_cameras(images, model(NAMES[:6]), stated)
    assert found.left_out == ("color/6.png", "color/7.png") and sorted(found.cameras) == [*range(6)]
    assert "cameras of 2 of 8 views were not found" in found.verdict.reasons
    with pytest.raises(InputError, match=r"3 of 8 views were found; .* missing: color/3.png"):
        scaled_cameras(images, model(NAMES[:3]), stated)


def test_a_large_reprojection_error_is_doubted(tmp_path):
    stated = StatedLength(NAMES[0], NAMES[6], 1.0)
    found = scaled_cameras(unposed(tmp_path, NAMES), model(NAMES, 2.5), stated)
    assert found.verdict.reasons == ("points of the scene are off by 2.50 pixels in the images",)


def test_a_length_that_gives_no_unit_is_refused_or_doubted(tmp_path):
    images, found = unposed(tmp_path, NAMES), model(NAMES)
    with pytest.raises(InputError, match="names 'left', which is none of its images"):
        scaled_cameras(images, found, StatedLength("left", NAMES[1], 1.0))
    with pytest.raises(InputError, match="stand in the same place"):
        scaled_cameras(images, found, StatedLength(NAMES[1], NAMES[1], 1.0))
    close = around(8)
    close[1] = replace(close[1], pose=close[0].pose + 0.02 * np.eye(4, k=3))
    near = {name: SCENE.camera(one) for name, one in zip(NAMES, close, strict=True)}
    scaled = scaled_cameras(images, replace(found, cameras=near), StatedLength(*NAMES[:2], 0.02))
    assert "the stated length is 1% of" in scaled.verdict.reasons[0]


def test_names_of_colmap_are_paths_or_their_last_parts(tmp_path):
    images = unposed(tmp_path, ["a/1.png", "b/1.png", "b/2.png"], still=["b/2.png"])
    found = named_views(images, model(["a/1.png", "2.png", "unknown.png"]), tmp_path)
    assert [*found.cameras] == ["a/1.png", "left"]
    with pytest.raises(InputError, match=r"'1.png' may be 'a/1.png' or 'b/1.png'"):
        named_views(images, model(["1.png"]), tmp_path)
    large = replace(model(["2.png"]).cameras["2.png"], width=9)
    with pytest.raises(InputError, match="has 9 x 6 pixels; accepted is 8 x 6"):
        named_views(images, ColmapModel({"2.png": large}, np.empty((0, 3)), 0.1), tmp_path)


@pytest.mark.slow  # a result folder is written by processes
def test_the_robot_gives_metres_and_its_base_frame(tmp_path, capsys):
    write_small_arm(tmp_path / "arm")
    images = robot_images(tmp_path / "arm", 14, size=96)
    (tmp_path / "set").mkdir()
    write_image_folder(images, tmp_path / "set")
    path = tmp_path / "set" / "transforms.json"
    content = json.loads(path.read_text())
    for frame in content["frames"]:
        del frame["transform_matrix"]
    path.write_text(json.dumps(content))
    write_colmap([SCENE.camera(one.camera) for one in images.images], tmp_path / "colmap")
    out = tmp_path / "out"
    command = ["cameras", tmp_path / "set", "--model", tmp_path / "arm", "-o", out]
    assert main([*map(str, [*command, "--colmap", tmp_path / "colmap"])]) == 0
    said = capsys.readouterr().out
    assert "14 of 14 views have a camera" in said
    assert "errors of its shape are errors of theirs" in said
    for found, true in zip(read_image_folder(out).images, images.images, strict=True):
        change = np.linalg.inv(true.camera.pose) @ found.camera.pose
        assert np.linalg.norm(Rotation.from_matrix(change[:3, :3]).as_rotvec()) < np.radians(1)
        assert np.linalg.norm(change[:3, 3]) < 0.01 * np.linalg.norm(true.camera.pose[:3, 3])
    about = json.loads((out / "transforms.json").read_text())["found_cameras"]
    assert about["mask_overlap"] > 0.95 and about["metres_of_a_unit"] == pytest.approx(
        0.37, rel=0.01
    )
    del content["frames"][3]["mask_path"]
    path.write_text(json.dumps(content))
    command[-1] = tmp_path / "other"
    assert main([*map(str, [*command, "--colmap", tmp_path / "colmap"])]) == 2
    assert "color/000003.png has no mask_path" in capsys.readouterr().err
    assert not command[-1].exists()


def write_colmap(cameras, folder):
    folder.mkdir()
    first = cameras[0]
    lens = [first.focal[0], first.focal[1], first.principal[0] + 0.5, first.principal[1] + 0.5]
    words = ["1", "PINHOLE", first.width, first.height, *lens]
    (folder / "cameras.txt").write_text(" ".join(map(str, words)) + "\n")
    rows = []
    for number, camera in enumerate(cameras):
        turn = Rotation.from_matrix(camera.pose[:3, :3].T)
        x, y, z, w = turn.as_quat()
        row = [number + 1, w, x, y, z, *-turn.apply(camera.pose[:3, 3]), 1, f"{number:06d}.png"]
        rows.append(" ".join(map(str, row)) + "\n\n")
    (folder / "images.txt").write_text("".join(rows))
    (folder / "points3D.txt").write_text("")
