"""Cameras that COLMAP found: what its text says is what is read; faults are named."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from autourdf_ros.data.images.unposed.colmap_model import read_colmap
from autourdf_ros.errors import InputError

TURN, MOVE = Rotation.from_euler("xyz", [0.3, -0.2, 0.5]), np.array([0.1, 0.2, 3.0])
CAMERAS = "# Camera list\n1 PINHOLE 40 30 50 51 20 15\n2 SIMPLE_RADIAL 40 30 60 20 15 0\n"
POINTS = "# 3D point list\n7 0.5 0.25 1 10 20 30 0.1 1 0 2 0\n8 0 0 2 0 0 0 0.3 1 1 2 1 2 3\n"


def images_text():
    x, y, z, w = TURN.as_quat()
    pose = " ".join(map(str, [w, x, y, z, *MOVE]))
    # The second image sees no point: its line is empty.
    return f"# Image list\n1 {pose} 1 color/a b.png\n20.1 14.2 7 3 4 -1\n2 {pose} 2 b.png\n\n"


@pytest.fixture
def folder(tmp_path):
    for name, text in (("cameras", CAMERAS), ("images", images_text()), ("points3D", POINTS)):
        (tmp_path / f"{name}.txt").write_text(text)
    return tmp_path


def test_cameras_points_and_error_are_read(folder):
    found = read_colmap(folder)
    assert set(found.cameras) == {"color/a b.png", "b.png"}
    camera = found.cameras["color/a b.png"]
    assert camera.focal == (50, 51) and camera.principal == (19.5, 14.5)
    assert found.cameras["b.png"].focal == (60, 60)
    point = np.array([0.5, 0.25, 1.0])
    local = TURN.apply(point) + MOVE
    pixels, depth = camera.project(point[None])
    assert np.allclose(pixels[0], local[:2] / local[2] * [50, 51] + [19.5, 14.5])
    assert np.allclose(depth, local[2])
    assert np.allclose(found.points, [[0.5, 0.25, 1], [0, 0, 2]])
    assert found.error == pytest.approx(np.sqrt((2 * 0.1**2 + 3 * 0.3**2) / 5))


@pytest.mark.parametrize(
    ("file", "old", "new", "words"),
    [
        ("cameras", "PINHOLE 40", "FISHEYE 40", "line 2: camera model FISHEYE; accepted are SIM"),
        ("cameras", "20 15 0\n", "20 15 0.1\n", r"line 3: the lens has a distortion of \[0.1\]"),
        ("cameras", "50 51 20 15", "50 51 20", "line 2 has '50 51 20'; accepted are 4 numbers"),
        ("cameras", "40 30 50", "x 30 50", "line 2 has 'x 30'; accepted are 2 numbers"),
        ("cameras", "50 51", "-50 51", "line 2: camera: focal lengths are"),
        ("images", " 2 b.png", " 3 b.png", "camera 3; accepted are those of cameras.txt: 1, 2"),
        ("images", "0.1 0.2 3.0 1", "0.1 nan 3.0 1", "accepted are 7 numbers there"),
        ("points3D", "0.1 1 0", "? 1 0", "line 2 has .*accepted are 7 numbers"),
    ],
)
def test_what_is_wrong_is_named(folder, file, old, new, words):
    path = folder / f"{file}.txt"
    assert old in path.read_text()
    path.write_text(path.read_text().replace(old, new, 1))
    with pytest.raises(InputError, match=words):
        read_colmap(folder)


def test_a_rotation_of_zero_and_an_empty_list_are_refused(folder):
    (folder / "images.txt").write_text("1 0 0 0 0 0 0 0 1 a.png\n\n")
    with pytest.raises(InputError, match="the quaternion is 0"):
        read_colmap(folder)
    (folder / "images.txt").write_text("# nothing\n")
    with pytest.raises(InputError, match=r"images.txt: has no image; accepted is a folder"):
        read_colmap(folder)


def test_a_folder_of_binary_files_is_refused_with_the_way_to_convert_them(tmp_path):
    (tmp_path / "cameras.bin").write_bytes(b"\x01")
    with pytest.raises(InputError, match=r"cameras.txt: is missing; .*model_converter"):
        read_colmap(tmp_path)
