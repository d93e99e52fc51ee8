"""Videos in folders with transforms.json: what is written comes back; faults are named."""

import json
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image
from scipy.spatial.transform import Rotation

from autourdf_ros.data.images.posed_camera import PinholeCamera
from autourdf_ros.data.video.camera_video import CameraVideo
from autourdf_ros.data.video.video_checks import video_remarks
from autourdf_ros.data.video.video_folder import read_video_folder
from autourdf_ros.data.video.video_folder_writing import write_video_folder
from autourdf_ros.errors import InputError

pytestmark = pytest.mark.fast
SIZE = (20, 12)


def pose(seed=0):
    matrix = np.eye(4)
    matrix[:3, :3] = Rotation.random(random_state=seed).as_matrix()
    matrix[:3, 3] = 1, 2, 3
    return matrix


def video(frames=3):
    rng = np.random.default_rng(1)
    shape = (frames, SIZE[1], SIZE[0])
    depth = rng.uniform(0.5, 2, shape).astype(np.float32)
    depth[:, 0, 0] = np.nan
    return CameraVideo(
        PinholeCamera(*SIZE, (30.0, 31.0), (9.5, 5.5), pose()),
        np.arange(frames) / 30,
        depth,
        rng.integers(0, 256, (*shape, 3), np.uint8),
        rng.integers(0, 4, shape, np.uint8),
    )


@pytest.fixture
def folder(tmp_path):
    write_video_folder(video(), tmp_path)
    return tmp_path


def changed(folder, **entries):
    path = folder / "transforms.json"
    found = json.loads(path.read_text()) | entries
    path.write_text(json.dumps({k: v for k, v in found.items() if v is not None}))


def frame_changed(folder, number, **entries):
    path = folder / "transforms.json"
    found = json.loads(path.read_text())
    frame = found["frames"][number] | entries
    found["frames"][number] = {k: v for k, v in frame.items() if v is not None}
    path.write_text(json.dumps(found))


def test_what_is_written_comes_back(folder):
    back, sent = read_video_folder(folder), video()
    assert np.allclose(back.depth, sent.depth, atol=5.1e-5, equal_nan=True)
    assert np.array_equal(back.colors, sent.colors)
    assert np.array_equal(back.masks, sent.masks)
    assert np.array_equal(back.stamps, sent.stamps)
    assert np.allclose(back.camera.pose, sent.camera.pose)
    assert back.camera.focal == sent.camera.focal
    assert back.camera.principal == sent.camera.principal
    assert back.source == folder


def test_a_video_made_elsewhere_is_read(tmp_path):
    """Written from nerfstudio's page: a camera at the origin of OpenGL's axes, depths in mm."""
    (tmp_path / "d").mkdir()
    Image.fromarray(np.full((4, 6), 1500, np.uint16)).save(tmp_path / "d/0.png")
    entry = {"depth_file_path": "d/0.png", "transform_matrix": np.eye(4).tolist(), "time": 0}
    content = {"fl_x": 5, "cx": 3, "cy": 2, "w": 6, "h": 4, "frames": [entry]}
    (tmp_path / "transforms.json").write_text(json.dumps(content))
    found = read_video_folder(tmp_path)
    assert np.allclose(found.depth, 1.5)
    assert found.camera.principal == (2.5, 1.5)  # the middle of 6 x 4 pixels
    pixels, depths = found.camera.project(np.array([[0.0, 0.0, -2.0], [0.0, 1.0, -2.0]]))
    assert np.allclose(depths, 2)  # OpenGL's cameras face -z
    assert np.allclose(pixels, [[2.5, 1.5], [2.5, -1.0]])  # and have y up


@pytest.mark.parametrize("suffix", [".npy", ".npz"])
def test_depths_may_be_arrays_in_metres(folder, suffix):
    depth = np.full((12, 20), 1.25)
    file = folder / f"depth/x{suffix}"
    np.save(file, depth) if suffix == ".npy" else np.savez(file, depth=depth)
    frame_changed(folder, 1, depth_file_path=f"depth/x{suffix}")
    assert np.array_equal(read_video_folder(folder).depth[1], depth)


def test_frames_per_second_stand_for_times(folder):
    for number in range(3):
        frame_changed(folder, number, time=None)
    changed(folder, fps=10)
    assert np.allclose(read_video_folder(folder).stamps, [0, 0.1, 0.2])


@pytest.mark.parametrize(
    ("entries", "named"),
    [
        ({"w": 21}, r"000000\.png: has 20 x 12 pixels; accepted is 21 x 12"),
        ({"w": 10**9, "h": 10**9}, "would take more than 4 GiB"),
        ({"w": "20"}, "w is '20'; accepted is a number"),
        ({"h": -3}, "h is -3; accepted is a number above 0"),
        ({"fl_x": None}, "fl_x is missing"),
        ({"fl_x": True}, "fl_x is True"),
        ({"k1": 0.1}, r"k1 is 0.1; accepted is 0: rectified images"),
        ({"frames": 3}, "'frames' is 3"),
        ({"frames": []}, "0 frames"),
        ({"frames": [1]}, r"'frames' is \[1\]"),
        ({"depth_unit_scale_factor": 1.0}, "median depth is .* m; accepted are .* unit"),
        ({"depth_unit_scale_factor": 1e-9}, "median depth is .* m; accepted are .* unit"),
    ],
)
def test_a_wrong_entry_is_named(folder, entries, named):
    changed(folder, **entries)
    with pytest.raises(InputError, match=named) as caught:
        read_video_folder(folder)
    assert str(folder) in str(caught.value)


MOVED = pose().copy()
MOVED[0, 3] += 0.05


@pytest.mark.parametrize(
    ("entries", "named"),
    [
        ({"time": 0.0}, r"time 1 is 0\.0 s after 0\.0 s; accepted are finite times"),
        ({"time": -1.0}, r"time 1 is -1\.0 s after"),
        ({"time": "x"}, "time is 'x'"),
        ({"time": None}, "time is missing"),
        ({"fl_x": 99.0}, "fl_x of frame 1 is 99.0, of frame 0 30.0; accepted is one camera"),
        ({"transform_matrix": None}, "transform_matrix of frame 1 is missing"),
        ({"transform_matrix": [[1, 2]]}, "transform_matrix of frame 1"),
        ({"transform_matrix": (2 * np.eye(4)).tolist()}, "is no rotation"),
        ({"transform_matrix": np.diag([1, 1, -1, 1]).tolist()}, "is no rotation"),
        ({"transform_matrix": np.eye(4).tolist()}, "the camera of frame 1 is .* stands still"),
        ({"depth_file_path": "depth/9.png"}, r"depth/9\.png: is missing"),
        ({"depth_file_path": None}, "depth_file_path of frame 1 is missing"),
        ({"depth_file_path": "../x.png"}, "accepted are files in"),
        ({"file_path": "/etc/passwd"}, "accepted are files in"),
        ({"file_path": 3}, "file_path of frame 1 is 3"),
        ({"file_path": "a\0b"}, "file_path of frame 1"),
        ({"depth_file_path": "color/000001.png"}, "accepted is one number a pixel"),
        ({"body_mask_path": "color/000001.png"}, "a mask of shape"),
        ({"file_path": "depth/000001.png"}, "accepted are 8 bits"),
    ],
)
def test_a_wrong_frame_is_named(folder, entries, named):
    frame_changed(folder, 1, **entries)
    with pytest.raises(InputError, match=named) as caught:
        read_video_folder(folder)
    assert str(folder) in str(caught.value)


def test_a_camera_that_was_bumped_is_named_and_a_tremble_is_not(folder):
    path = folder / "transforms.json"
    matrix = np.array(json.loads(path.read_text())["frames"][0]["transform_matrix"])
    matrix[0, 3] += 0.0005
    frame_changed(folder, 2, transform_matrix=matrix.tolist())
    read_video_folder(folder)
    matrix[0, 3] += 0.05
    frame_changed(folder, 2, transform_matrix=matrix.tolist())
    with pytest.raises(InputError, match=r"frame 2 is 0\.0505 m"):
        read_video_folder(folder)


@pytest.mark.parametrize("content", [b"", b"x", b"\x89PNG\r\n\x1a\n", b"GIF89a"])
@pytest.mark.parametrize("file", ["depth/000001.png", "color/000001.png", "transforms.json"])
def test_a_damaged_file_is_named(folder, file, content):
    (folder / file).write_bytes(content)
    with pytest.raises(InputError, match=file.rpartition("/")[2]):
        read_video_folder(folder)


def test_a_folder_without_images_of_any_kind_is_refused(folder):
    for number in range(3):
        frame_changed(folder, number, file_path=None, depth_file_path=None)
    with pytest.raises(InputError, match="neither depth nor colour"):
        read_video_folder(folder)


def test_depth_that_is_nowhere_is_refused(tmp_path):
    empty = replace(video(), depth=np.full((3, 12, 20), np.nan, np.float32))
    write_video_folder(empty, tmp_path)
    with pytest.raises(InputError, match="has no depth in any pixel"):
        read_video_folder(tmp_path)


def test_dropped_and_empty_frames_are_remarked():
    whole = video(30)
    assert video_remarks(whole) == ()
    kept = np.r_[0:10, 13:30]
    lacking = replace(
        whole, stamps=whole.stamps[kept], depth=whole.depth[kept].copy(), colors=None, masks=None
    )
    lacking.depth[4] = np.nan
    dropped, empty = video_remarks(lacking)
    assert "about 3 frames were dropped in 1 gaps, the first one after 0.300 s" in dropped
    assert "1 frames have no depth, the first one is 4" in empty


JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=6,
)
ENTRIES = ["w", "h", "fl_x", "fl_y", "cx", "cy", "k1", "depth_unit_scale_factor", "frames", "fps"]
FRAME = ["time", "transform_matrix", "depth_file_path", "file_path", "body_mask_path", "fl_x"]


@settings(deadline=None, max_examples=150)
@given(st.sampled_from(ENTRIES), st.sampled_from(FRAME), JSON, JSON, st.booleans())
def test_any_content_is_read_or_refused_by_name(tmp_path_factory, name, inner, one, two, both):
    folder = tmp_path_factory.getbasetemp() / "any"
    if not folder.exists():
        folder.mkdir()
        write_video_folder(video(2), folder)
        (folder / "good.json").write_text((folder / "transforms.json").read_text())
    content = json.loads((folder / "good.json").read_text())
    content["frames"][1][inner] = two
    if both:
        content[name] = one
    (folder / "transforms.json").write_text(json.dumps(content))
    try:
        read_video_folder(folder)
    except InputError as error:
        assert str(folder) in str(error)
