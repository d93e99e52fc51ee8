"""Images without poses: what is read and refused, and what is written when cameras are known."""

import json

import numpy as np
import pytest
from PIL import Image

from autourdf_ros.data.images.image_folder import read_image_folder
from autourdf_ros.data.images.posed_camera import PinholeCamera, look_at
from autourdf_ros.data.images.unposed.posed_folder import write_posed_folder
from autourdf_ros.data.images.unposed.unposed_images import read_unposed_images
from autourdf_ros.errors import InputError

LENS = {"fl_x": 20.0, "cx": 6.0, "cy": 4.0, "w": 12, "h": 8}


def write(folder, frames, **top):
    (folder / "transforms.json").write_text(json.dumps({**top, "frames": frames}))


@pytest.fixture
def frames(tmp_path):
    rng = np.random.default_rng(0)
    (tmp_path / "color").mkdir()
    made = []
    for number in range(3):
        name = f"color/{number}.png"
        Image.fromarray(rng.integers(0, 256, (8, 12, 3), np.uint8)).save(tmp_path / name)
        made.append({"file_path": name, "joint_positions": {"elbow": number / 10}})
    return made


def test_lenses_may_be_known_or_all_unknown(tmp_path, frames):
    write(tmp_path, frames)
    assert [image.lens for image in read_unposed_images(tmp_path).images] == [None] * 3
    write(tmp_path, frames, **LENS)
    images = read_unposed_images(tmp_path).images
    assert images[1].lens.focal == (20, 20) and images[1].lens.principal == (5.5, 3.5)
    assert images[2].joint_positions == {"elbow": 0.2} and images[2].mask is None
    write(tmp_path, [frames[0] | LENS, frames[1]])
    with pytest.raises(InputError, match="fl_x of frame 1 is missing; accepted are lenses of all"):
        read_unposed_images(tmp_path)


def test_images_of_one_camera_are_one_view(tmp_path, frames):
    frames[0]["camera"] = frames[2]["camera"] = "left"
    write(tmp_path, frames)
    assert read_unposed_images(tmp_path).views == {"left": [0, 2], "color/1.png": [1]}


@pytest.mark.parametrize(
    ("number", "entries", "words"),
    [
        (1, {"camera": 3}, "camera of frame 1 is 3; accepted is the name of a camera"),
        (1, {"file_path": "color/0.png"}, "two frames have the file 'color/0.png'"),
        (2, {"file_path": "../x.png"}, "accepted are files in"),
        (2, {"joint_positions": {"wrist": 0}}, "differ in"),
    ],
)
def test_what_is_wrong_is_named(tmp_path, frames, number, entries, words):
    frames[number] |= entries
    write(tmp_path, frames)
    with pytest.raises(InputError, match=words):
        read_unposed_images(tmp_path)


def test_one_image_has_no_camera_to_be_found(tmp_path, frames):
    write(tmp_path, frames[:1])
    with pytest.raises(InputError, match="has 1 frames; accepted are 2 or more"):
        read_unposed_images(tmp_path)


def test_a_command_that_needs_poses_names_the_one_that_finds_them(tmp_path, frames):
    write(tmp_path, frames, **LENS)
    with pytest.raises(InputError, match=r"frame 0 is missing; .*`autourdf cameras` finds"):
        read_image_folder(tmp_path)


def test_what_is_written_is_read_as_images_with_poses(tmp_path, frames):
    frames[1]["remark"] = "kept"
    write(tmp_path, frames)
    pose = look_at(np.array([1.0, 2.0, 3.0]), np.zeros(3))
    camera = PinholeCamera(12, 8, (21.0, 22.0), (5.0, 3.0), pose)
    out = tmp_path / "out"
    source = read_unposed_images(tmp_path).file
    write_posed_folder(source, {1: camera, 2: camera}, {"by": "hand"}, ("up is a guess",), out)
    back = read_image_folder(out)
    assert back.notes == ("up is a guess",) and len(back.images) == 2
    assert back.images[0].joint_positions == {"elbow": 0.1}
    assert back.images[1].camera.focal == (21, 22)
    assert np.allclose(back.images[1].camera.pose, pose)
    assert json.loads((out / "transforms.json").read_text())["frames"][0]["remark"] == "kept"
