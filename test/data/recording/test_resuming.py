"""An interrupted recording goes on."""

import numpy as np
import pytest
from rosbags.highlevel import AnyReader
from rosbags.rosbag2 import Reader
from test_frame_recorder import OPTIONS, SETUP, view

from autourdf_ros.data.load import load_recording
from autourdf_ros.data.recording.frame_recorder import FrameRecorder
from autourdf_ros.data.recording.resuming import Setup
from autourdf_ros.errors import InputError


def record(folder, first, frames, resume=False):
    """One sequence; its frames are stamped one after the other. Returns the recorder."""
    recorder = FrameRecorder(folder, SETUP, OPTIONS, resume)
    recorder.start_sequence(f"{first:04d}")
    for number in range(frames):
        assert (
            recorder.record_view(view(100.0 * first + number), {"pan": 0.1 * number}).rejection
            is None
        )
    return recorder


def assert_is_one_bag(folder, messages):
    """Also for `ros2 bag`, which reads the metadata."""
    with Reader(folder) as reader:
        assert reader.message_count == sum(1 for _ in reader.messages()) == messages
    with AnyReader([folder]) as reader:
        assert {connection.topic for connection in reader.connections} >= {"/autourdf/cloud"}


def test_sequences_are_added_to_what_is_there(tmp_path):
    folder = tmp_path / "rec"
    record(folder, 0, 2).close()
    kept = (folder / "recording_0.mcap").read_bytes()
    for first in (1, 2):
        recorder = record(folder, first, 2, resume=True)
        assert recorder.sequences == first
        recorder.close()
    assert (folder / "recording_0.mcap").read_bytes() == kept
    recording = load_recording(folder)
    assert [sequence.name for sequence in recording.sequences] == ["0000", "0001", "0002"]
    assert [frame.stamp for frame in recording.frames] == [0, 1, 100, 101, 200, 201]
    assert_is_one_bag(folder, 3 * (2 + 2 * 3))


@pytest.mark.parametrize("share", [0.35, 0.6, 0.95])
def test_a_cut_recording_is_mended_first(tmp_path, share):
    folder = tmp_path / "rec"
    record(folder, 0, 4).close()
    file = folder / "recording_0.mcap"
    cut = file.read_bytes()[: int(share * file.stat().st_size)]
    file.write_bytes(cut)
    before = load_recording(folder)
    record(folder, 1, 1, resume=True).close()
    assert (folder / "recording_0.mcap.cut").read_bytes() == cut
    recording = load_recording(folder)
    assert [sequence.name for sequence in recording.sequences] == ["0000", "0001"]
    assert len(before.frames) <= len(recording.sequences[0].frames) <= 4
    for one, other in zip(before.frames, recording.frames, strict=False):
        np.testing.assert_array_equal(one.points, other.points)
    with Reader(folder) as reader:
        assert reader.message_count == sum(1 for _ in reader.messages())


def test_a_recording_whose_writer_was_killed_goes_on(tmp_path):
    folder = tmp_path / "rec"
    killed = record(folder, 0, 2)  # is never closed
    record(folder, 1, 1, resume=True).close()
    assert [len(sequence.frames) for sequence in load_recording(folder).sequences] == [2, 1]
    killed.close()


@pytest.mark.parametrize("size", [0, 3, 8, 1000])
def test_one_killed_before_its_first_frame_costs_no_frame_before(tmp_path, caplog, size):
    folder = tmp_path / "rec"
    record(folder, 0, 2).close()
    (folder / "recording_1.mcap").write_bytes((folder / "recording_0.mcap").read_bytes()[:size])
    assert [frame.stamp for frame in load_recording(folder).frames] == [0, 1]
    assert "recording_1.mcap: is cut off before its first frame" in caplog.text
    record(folder, 1, 1, resume=True).close()
    assert [frame.stamp for frame in load_recording(folder).frames] == [0, 1, 100]


@pytest.mark.parametrize(
    ("setup", "message"),
    [
        (Setup("map", SETUP.cameras, SETUP.joints), "has the frame world; accepted .* now, map"),
        (
            Setup("world", ("/right", "/left"), SETUP.joints),
            "has cameras /left, /right; accepted is the same as now, /right, /left",
        ),
        (
            Setup("world", SETUP.cameras, ("tilt", "pan")),
            "has joints pan; accepted is the same as now, pan, tilt",
        ),
    ],
)
def test_a_recording_of_something_else_is_refused(tmp_path, setup, message):
    record(tmp_path / "rec", 0, 2).close()
    before = {file.name: file.read_bytes() for file in (tmp_path / "rec").iterdir()}
    with pytest.raises(InputError, match=f"cannot be resumed: it {message}"):
        FrameRecorder(tmp_path / "rec", setup, OPTIONS, resume=True)
    assert {file.name: file.read_bytes() for file in (tmp_path / "rec").iterdir()} == before


def test_a_folder_without_a_recording_is_not_resumed(tmp_path):
    for folder in (tmp_path, tmp_path / "none"):
        with pytest.raises(InputError, match="holds no recording that could be resumed"):
            FrameRecorder(folder, SETUP, OPTIONS, resume=True)
