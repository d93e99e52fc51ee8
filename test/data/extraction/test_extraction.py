"""Plain bags of a simulated cell become the recordings that the capture would have written."""

import shutil
from dataclasses import replace

import numpy as np
import pytest
from plain_bags import START, record_session
from rosbags.rosbag2 import StoragePlugin
from scipy.spatial import KDTree
from terminating import exit_code_when_terminated
from toy_robot import write_toy

from autourdf_ros.cli import main as cli
from autourdf_ros.data.cleaning import clean
from autourdf_ros.data.extraction.extraction import extract
from autourdf_ros.data.extraction.extraction_options import CLEANING, ExtractionOptions
from autourdf_ros.data.frame import Frame
from autourdf_ros.data.load import load_recording
from autourdf_ros.data.recording.writer import RecordingWriter
from autourdf_ros.errors import CancelledError, InputError
from autourdf_ros.model.urdf.simulated_robot import SimulatedRobot

TARGETS = np.array(
    [
        [0.0, 0.0, 0.0, 0.0, 0.0],
        [0.2, 0.1, 0.0, 0.0, 0.02],
        [0.3, 0.1, 0.2, 0.1, 0.02],
        [0.0, 0.0, 0.0, 0.0, 0.0],
        [-0.2, 0.1, 0.1, 0.0, 0.0],
        [-0.2, 0.3, 0.1, 0.2, 0.01],
    ]
)
CLEAN = replace(CLEANING, ground=None)
OPTIONS = ExtractionOptions(cleaning=CLEAN)


@pytest.fixture(scope="module")
def session(tmp_path_factory):
    robot = SimulatedRobot(write_toy(tmp_path_factory.mktemp("toy")))
    return record_session(robot, TARGETS)


@pytest.fixture(scope="module")
def bag(session, tmp_path_factory):
    return session.write(tmp_path_factory.mktemp("bags") / "bag")


@pytest.mark.parametrize("plugin", list(StoragePlugin))
def test_frames_are_those_of_a_native_recording(session, tmp_path, plugin):
    extraction = extract(session.write(tmp_path / "bag", plugin), tmp_path / "out", OPTIONS)
    assert (extraction.fixed_frame, extraction.frames) == ("base_link", (3, 3))
    assert extraction.clouds == ("/camera_0/points", "/camera_1/points")
    assert not extraction.left_out
    recording = load_recording(tmp_path / "out")
    assert recording.fixed_frame == "base_link"
    assert [sequence.name for sequence in recording.sequences] == ["0000", "0001"]
    for frame, (stamp, joints, images, poses) in zip(recording.frames, session.truth, strict=True):
        views = [
            (
                image.points.reshape(-1, 3) @ pose[:3, :3].T + pose[:3, 3],
                image.colors.reshape(-1, 3),
            )
            for image, pose in zip(images, poses, strict=True)
        ]
        points, colors, cameras = clean(views, CLEAN)
        np.testing.assert_allclose(frame.points, points, atol=1e-5)
        np.testing.assert_array_equal(frame.colors, colors)
        np.testing.assert_array_equal(frame.cameras, cameras)
        np.testing.assert_allclose(frame.camera_poses, poses, atol=1e-6)
        assert frame.joint_positions == pytest.approx(joints, abs=5e-4)
        assert stamp - 1.7 < frame.stamp <= stamp


def test_without_joint_states_the_clouds_show_stillness(session, tmp_path):
    bag = session.without("/joint_states").write(tmp_path / "bag")
    extraction = extract(bag, tmp_path / "out", OPTIONS)
    assert (extraction.frames, extraction.joint_states) == ((6,), ())
    recording = load_recording(tmp_path / "out")
    for frame, (stamp, _, images, poses) in zip(recording.frames, session.truth, strict=True):
        assert frame.joint_positions is None
        assert stamp - 1.7 < frame.stamp <= stamp + 0.1
        views = [
            (image.points.reshape(-1, 3) @ pose[:3, :3].T + pose[:3, 3], None)
            for image, pose in zip(images, poses, strict=True)
        ]
        # The clouds of a moment differ by how the robot came to rest, and by nothing else.
        np.testing.assert_allclose(frame.points, clean(views, CLEAN)[0], atol=1e-4)


def test_single_files_and_folders_without_metadata_are_read(bag, tmp_path):
    (file,) = bag.glob("*.mcap")
    whole = extract(bag, tmp_path / "whole", OPTIONS)
    assert extract(file, tmp_path / "file", OPTIONS) == whole
    (tmp_path / "bare").mkdir()
    shutil.copy(file, tmp_path / "bare")
    assert extract(tmp_path / "bare", tmp_path / "out", OPTIONS) == whole


@pytest.fixture(scope="module")
def millimetres(session, tmp_path_factory):
    """The bag with one camera that gives millimetres."""
    changed = replace(session, messages=list(session.messages))
    for number, (topic, kind, received, message) in enumerate(session.messages):
        if topic == "/camera_1/points":
            floats = message.data.view("<f4").reshape(-1, 8).copy()
            floats[:, :3] *= 1000
            scaled = replace(message, data=floats.view(np.uint8).reshape(-1))
            changed.messages[number] = topic, kind, received, scaled
    return changed


@pytest.mark.parametrize("removed", [(), ("/joint_states",)])
def test_millimetres_are_named(millimetres, tmp_path, removed):
    bag = millimetres.without(*removed).write(tmp_path / "bag")
    with pytest.raises(InputError, match=r"/camera_1/points: the points are .* cloud_scale 0\.001"):
        extract(bag, tmp_path / "out", OPTIONS)


def test_millimetres_are_scaled(millimetres, bag, tmp_path, capsys):
    arguments = ["--keep-ground", "--cloud-scale", "1", "0.001"]
    path = millimetres.write(tmp_path / "bag")
    assert cli.main(["extract", str(path), "-o", str(tmp_path / "out"), *arguments]) == 0
    assert "points of /camera_1/points without depth were dropped" in capsys.readouterr().out
    extract(bag, tmp_path / "metres", OPTIONS)
    for one, other in zip(
        load_recording(tmp_path / "out").frames,
        load_recording(tmp_path / "metres").frames,
        strict=True,
    ):
        np.testing.assert_allclose(one.points, other.points, atol=1e-5)
    with pytest.raises(InputError, match="cloud_scale has 3 numbers; accepted is one, or one for"):
        extract(bag, tmp_path / "more", replace(OPTIONS, cloud_scale=(1.0, 1.0, 1.0)))


def test_a_background_is_taken_away(bag, tmp_path):
    extract(bag, tmp_path / "whole", OPTIONS)
    frames = load_recording(tmp_path / "whole").frames
    below = frames[0].points[frames[0].points[:, 2] < 0.1]
    with RecordingWriter(tmp_path / "scene") as writer:
        writer.write_frame(Frame(below))
    arguments = ["--keep-ground", "--background", str(tmp_path / "scene")]
    assert cli.main(["extract", str(bag), "-o", str(tmp_path / "out"), *arguments]) == 0
    for one, other in zip(load_recording(tmp_path / "out").frames, frames, strict=True):
        assert 100 < len(one.points) < len(other.points)
        assert KDTree(below).query(one.points)[0].min() >= 0.0199
    elsewhere = replace(OPTIONS, background=tmp_path / "scene", fixed_frame="camera_1_link")
    with pytest.raises(InputError, match="the background is in the frame base_link; accepted is"):
        extract(bag, tmp_path / "none", elsewhere)


def test_a_chosen_camera_and_frame(bag, tmp_path):
    chosen = replace(OPTIONS, clouds=("/camera_1/points",), fixed_frame="camera_1_link")
    extraction = extract(bag, tmp_path / "out", chosen)
    assert (extraction.fixed_frame, sum(extraction.frames)) == ("camera_1_link", 6)
    assert load_recording(tmp_path / "out").frames[0].cameras.max() == 0


def test_moments_without_a_transform_are_left_out_and_reported(session, tmp_path):
    late = replace(session)
    late.messages = [item for item in session.messages if item[0] != "/tf" or item[2] > START + 2.5]
    extraction = extract(late.write(tmp_path / "bag"), tmp_path / "out", OPTIONS)
    assert sum(extraction.frames) == 5
    ((reason, times),) = extraction.left_out.items()
    assert times == 1 and "'camera_0_link' to 'base_link' is known from 17000000" in reason


@pytest.mark.slow
@pytest.mark.parametrize(
    ("removed", "message"),
    [
        (
            ["/camera_0/points", "/camera_1/points"],
            r"has no sensor_msgs/msg/PointCloud2; it has /j",
        ),
        (["/tf"], "camera_0_optical, camera_1_optical, which no transform connects"),
        (["/tf_static"], "camera_0_optical, camera_1_optical, which no transform"),
    ],
)
def test_what_is_missing_is_named(session, tmp_path, removed, message):
    bag = session.without(*removed).write(tmp_path / "bag")
    with pytest.raises(InputError, match=message):
        extract(bag, tmp_path / "out", OPTIONS)
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"clouds": ("/camera_9/points",)}, r"/camera_9/points is not in it.*: /camera_0/points"),
        ({"joint_states": ("/tf",)}, r"/tf is tf2_msgs/msg/TFMessage; accepted is sensor_msgs"),
        ({"fixed_frame": "map"}, r"'camera_0_optical' to 'map': they are in separate trees"),
        ({"still_velocity": 1e-9}, r"never stood still.*pan, lift, .* never did"),
        ({"still_time": 60.0}, r"never stood still"),
    ],
)
def test_options_that_do_not_fit_the_bag(bag, tmp_path, options, message):
    with pytest.raises(InputError, match=message):
        extract(bag, tmp_path / "out", replace(OPTIONS, **options))


def test_cancelling_leaves_nothing(bag, tmp_path):
    def cancel(stage, fraction):
        if fraction > 0.7:
            raise CancelledError("cancelled")

    with pytest.raises(CancelledError):
        extract(bag, tmp_path / "out", OPTIONS, cancel)
    assert not list(tmp_path.iterdir())


def test_a_termination_leaves_nothing(bag, tmp_path, monkeypatch):
    code = exit_code_when_terminated(monkeypatch, 0.7, "extract", bag, "-o", tmp_path / "out")
    assert code == 130 and not list(tmp_path.iterdir())


def test_the_command(bag, tmp_path, capsys):
    arguments = ["extract", str(bag), "-o", str(tmp_path / "out")]
    box = ["--crop", *map(str, (-1, -1, -0.5, 1, 1, 1))]
    assert cli.main([*arguments, "--keep-ground", "--points", "800", *box]) == 0
    shown = capsys.readouterr().out
    assert "3 + 3 frames of /camera_0/points, /camera_1/points in base_link; joint read" in shown
    assert all(len(frame.points) <= 800 for frame in load_recording(tmp_path / "out").frames)
    assert cli.main(arguments) == 2
    assert "is not an empty folder" in capsys.readouterr().err
    assert cli.main(["extract", str(tmp_path / "out"), "-o", str(tmp_path / "again")]) == 2
    assert "is a recording already" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--crop", *"111000"], "--crop: box from"),
        (["--points", "3"], "--points: is 3; accepted is 500 or more"),
        (["--gap", "-1"], "--gap: is -1.0"),
        (["--ground", "nan"], "--ground: is nan"),
    ],
)
def test_unusable_arguments(bag, tmp_path, capsys, arguments, message):
    assert cli.main(["extract", str(bag), "-o", str(tmp_path / "out"), *arguments]) == 2
    assert message in capsys.readouterr().err


@pytest.mark.parametrize("kept", [0.0, 0.3, 0.9])
def test_a_cut_bag_is_refused_with_the_way_out(bag, tmp_path, kept):
    (file,) = bag.glob("*.mcap")
    data = file.read_bytes()
    cut = tmp_path / "cut.mcap"
    cut.write_bytes(data[: int(kept * len(data))])
    with pytest.raises(InputError, match=r"cut\.mcap.*autourdf repair"):
        extract(cut, tmp_path / "out", OPTIONS)
