import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from rosbags.highlevel import AnyReader

from autourdf_ros.data.bags.bag_repair import repair
from autourdf_ros.data.frame import Frame
from autourdf_ros.data.load import load_recording
from autourdf_ros.data.recording import writer as writer_module
from autourdf_ros.data.recording.resuming import Setup
from autourdf_ros.data.recording.writer import RecordingWriter
from autourdf_ros.errors import InputError
from autourdf_ros.geometry.rigid_motion import exp_se3

names = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=12)
coordinates = st.floats(-100, 100, width=32)


@st.composite
def frames(draw):
    size = draw(st.integers(1, 20))
    cameras = draw(st.none() | hnp.arrays(np.uint8, size))
    twists = draw(
        st.none() | hnp.arrays(float, (256, 6), elements=st.floats(-3, 3), fill=st.just(0.0))
    )
    return Frame(
        points=draw(hnp.arrays(np.float32, (size, 3), elements=coordinates)),
        colors=draw(st.none() | hnp.arrays(np.uint8, (size, 3))),
        stamp=draw(st.integers(0, 2**40)) / 1024,
        joint_positions=draw(
            st.none() | st.dictionaries(names, st.floats(-7, 7), min_size=1, max_size=4)
        ),
        cameras=cameras,
        camera_poses=None if twists is None else exp_se3(twists),
    )


def assert_same(first: Frame, second: Frame) -> None:
    np.testing.assert_array_equal(first.points, second.points)
    for one, other in ((first.colors, second.colors), (first.cameras, second.cameras)):
        assert (one is None) == (other is None)
        if one is not None:
            np.testing.assert_array_equal(one, other)
    assert (first.camera_poses is None) == (second.camera_poses is None)
    if first.camera_poses is not None:
        np.testing.assert_allclose(first.camera_poses, second.camera_poses, atol=1e-9)
    assert first.stamp == pytest.approx(second.stamp, abs=1e-6)
    assert first.joint_positions == second.joint_positions


def a_frame(value: float = 0.0, size: int = 50) -> Frame:
    points = np.full((size, 3), value, np.float32)
    return Frame(points, None, value, {"pan": value})


@pytest.mark.slow
@settings(max_examples=40, deadline=None)
@given(
    sequences=st.lists(st.tuples(names, st.lists(frames(), min_size=1, max_size=3)), min_size=1),
    fixed_frame=names,
)
def test_what_was_written_is_read(tmp_path_factory, sequences, fixed_frame):
    folder = tmp_path_factory.mktemp("recording")
    with RecordingWriter(folder, fixed_frame) as writer:
        for name, members in sequences:
            assert writer.start_sequence(name) == name
            for frame in members:
                writer.write_frame(frame)
    recording = load_recording(folder)
    assert recording.fixed_frame == fixed_frame
    assert [sequence.name for sequence in recording.sequences] == [name for name, _ in sequences]
    written = [frame for _, members in sequences for frame in members]
    for first, second in zip(written, recording.frames, strict=True):
        assert_same(first, second)


@pytest.mark.parametrize("named", [None, 5, "/front", {"a": 1}])
def test_names_of_cameras_that_are_no_list_are_none(tmp_path, named):
    with RecordingWriter(tmp_path / "bag") as writer:
        writer.event("recording_started", cameras=named)
        writer.start_sequence()
        writer.write_frame(a_frame(0.5))
    assert load_recording(tmp_path / "bag").cameras == ()


def test_rosbag2_reads_it_with_its_quality_of_service(tmp_path):
    colors = np.arange(150, dtype=np.uint8).reshape(50, 3)
    with RecordingWriter(tmp_path / "bag") as writer:
        writer.start_sequence()
        pose = np.eye(4)
        pose[:3, 3] = 1, 2, 3
        points = a_frame(0.5).points
        writer.write_frame(Frame(points, colors, 12.5, {"pan": 0.25}, camera_poses=pose[None]))
        writer.event("target_refused", joint="pan")
    with AnyReader([tmp_path / "bag"]) as reader:
        counts = {c.topic: c.msgcount for c in reader.connections}
        messages = {
            c.topic: reader.deserialize(data, c.msgtype) for c, _, data in reader.messages()
        }
        profiles = [c.ext.offered_qos_profiles[0] for c in reader.connections]
    assert counts == {
        "/autourdf/cloud": 1,
        "/autourdf/joint_states": 1,
        "/autourdf/cameras": 1,
        "/autourdf/events": 2,
    }
    assert messages["/autourdf/joint_states"].position.tolist() == [0.25]
    (camera,) = messages["/autourdf/cameras"].poses
    assert (camera.position.x, camera.position.z, camera.orientation.w) == (1, 3, 1)
    cloud = messages["/autourdf/cloud"]
    assert (cloud.width, cloud.point_step, cloud.header.frame_id) == (50, 16, "base_link")
    assert cloud.header.stamp.sec == 12
    assert "target_refused" in messages["/autourdf/events"].data
    assert {profile.reliability.name for profile in profiles} == {"RELIABLE"}


@pytest.mark.parametrize("kept", [0.05, 0.3, 0.6, 0.999])
def test_a_cut_file_gives_the_frames_before_the_cut(tmp_path, caplog, kept):
    rng = np.random.default_rng(0)
    with RecordingWriter(tmp_path / "bag") as writer:
        writer.start_sequence()
        for i in range(10):
            writer.write_frame(Frame(rng.normal(size=(1000, 3)).astype(np.float32), None, float(i)))
    file = tmp_path / "bag" / "recording_0.mcap"
    data = file.read_bytes()
    file.write_bytes(data[: int(kept * len(data))])
    if kept < 0.1:
        with pytest.raises(InputError, match=r"recording_0\.mcap.*bytes"):
            load_recording(tmp_path / "bag")
        return
    read = len(load_recording(tmp_path / "bag").frames)
    assert 10 * kept - 2 < read <= 10
    assert "cut off" in caplog.text


def test_every_frame_is_on_disk_at_once(tmp_path):
    writer = RecordingWriter(tmp_path / "bag")
    writer.start_sequence()
    for count in range(1, 4):
        writer.write_frame(a_frame(float(count)))
        copy = shutil.copytree(tmp_path / "bag", tmp_path / f"copy{count}")
        assert len(load_recording(copy).frames) == count
        metadata = yaml.safe_load((copy / "metadata.yaml").read_text())
        topics = metadata["rosbag2_bagfile_information"]["topics_with_message_count"]
        assert topics[0]["message_count"] == count
    writer.close()
    writer.close()


def test_a_recording_is_never_overwritten(tmp_path):
    (tmp_path / "precious").write_text("data")
    with pytest.raises(InputError, match="not empty"):
        RecordingWriter(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["precious"]


@pytest.mark.parametrize(
    "frame",
    [
        Frame(np.zeros((4, 2), np.float32)),
        Frame(np.zeros((4, 3), np.float32), np.zeros((3, 3), np.uint8)),
        Frame(np.zeros((4, 3), np.float32), np.zeros((4, 3), np.float64)),  # type: ignore
        Frame(np.zeros((4, 3), np.float32), cameras=np.zeros(3, np.uint8)),
    ],
)
def test_wrong_shapes_are_refused(tmp_path: Path, frame: Frame):
    with RecordingWriter(tmp_path / "bag") as writer, pytest.raises(InputError, match="accepted"):
        writer.write_frame(frame)


@pytest.mark.parametrize("shape", [(1, 3, 3), (1, 4, 4), (4, 4)])
def test_poses_of_other_cameras_than_saw_the_points_are_refused(tmp_path, shape):
    frame = Frame(
        np.zeros((2, 3), np.float32),
        cameras=np.array([0, 1], np.uint8),
        camera_poses=np.zeros(shape),
    )
    with (
        RecordingWriter(tmp_path / "bag") as writer,
        pytest.raises(InputError, match=r"camera_poses of shape .* at least 2"),
    ):
        writer.write_frame(frame)


FULL = """
import resource, sys
import numpy as np
from autourdf_ros.errors import RecordingError
from autourdf_ros.data.frame import Frame
from autourdf_ros.data.recording.writer import RecordingWriter

limit = int(sys.argv[2])
resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
rng = np.random.default_rng(0)
try:
    with RecordingWriter(sys.argv[1]) as writer:
        writer.start_sequence()
        for number in range(10):
            points = rng.normal(size=(500, 3)).astype(np.float32)
            writer.write_frame(Frame(points, None, float(number), {"pan": 0.1}))
            print(number, flush=True)
except RecordingError as error:
    print(error)
"""


@pytest.mark.slow
@pytest.mark.parametrize("limit", [5500, 12000, 30000, 58000])
def test_a_full_disk_keeps_every_frame_before_and_no_half_one(tmp_path, limit):
    folder = tmp_path / "recording"
    ended = subprocess.run(
        [sys.executable, "-c", FULL, str(folder), str(limit)],
        capture_output=True,
        text=True,
        check=True,
    )
    *written, message = ended.stdout.splitlines()
    (file,) = folder.glob("*.mcap") if written else [folder / "recording_0.mcap"]
    assert message.startswith(f"{file}: cannot be written: File too large; ")
    if not written:
        assert not file.exists()
        return
    assert [frame.stamp for frame in load_recording(folder).frames] == [float(n) for n in written]
    setup = Setup("base_link", (), ("pan",))
    with RecordingWriter(folder, "base_link", setup) as writer:
        writer.write_frame(a_frame(20.0))
    assert len(load_recording(folder).frames) == len(written) + 1


def test_a_recording_of_another_version_is_refused_by_name(tmp_path, monkeypatch):
    monkeypatch.setattr(writer_module, "RECORDING_VERSION", 2)
    with RecordingWriter(tmp_path / "bag") as writer:
        writer.write_frame(a_frame(1.0))
    for path in (tmp_path / "bag", tmp_path / "bag" / "recording_0.mcap"):
        with pytest.raises(InputError, match=r"_0\.mcap: is a .* version 2; accepted is 1"):
            load_recording(path)


def test_a_recording_from_before_there_were_versions_is_read(tmp_path, monkeypatch):
    monkeypatch.setattr(writer_module.Writer, "add_metadata", lambda *_: None)
    with RecordingWriter(tmp_path / "bag") as writer:
        writer.write_frame(a_frame(1.0))
    assert b"autourdf_ros/recording" not in (tmp_path / "bag" / "recording_0.mcap").read_bytes()
    assert [frame.stamp for frame in load_recording(tmp_path / "bag").frames] == [1.0]


def test_the_version_outlives_a_repair(tmp_path):
    with RecordingWriter(tmp_path / "bag") as writer:
        writer.write_frame(a_frame(1.0))
    repair(tmp_path / "bag", tmp_path / "mended")
    assert b"autourdf_ros/recording" in (tmp_path / "mended" / "recording_0.mcap").read_bytes()
