"""Models of recordings that go on, by real reconstructions."""

import time
from dataclasses import replace
from pathlib import Path

import pytest
from synthetic_robot import moving_recording, write_recording

from autourdf_ros.data.frame import Recording, Sequence
from autourdf_ros.data.load import load_recording
from autourdf_ros.viewer.live import early_model
from autourdf_ros.viewer.live.early_model import EarlyModel
from autourdf_ros.viewer.live.followed_folder import FollowedFolder
from autourdf_ros.viewer.live.live_page import LivePage
from autourdf_ros.viewer.local_server import served

pytestmark = pytest.mark.slow

PATIENCE = 120.0  # s


def under_way(folder, frames):
    """A recording with so many frames of two sequences."""
    whole = moving_recording(8, 250, sway=0.1).sequences[0].frames
    parts = Sequence(whole[:frames], "0000"), Sequence(whole[: max(frames - 8, 0)], "0001")
    return write_recording(Recording(tuple(part for part in parts if part.frames)), folder)


def awaited(early):
    deadline = time.monotonic() + PATIENCE
    while early._process is not None and early._process.poll() is None:
        assert time.monotonic() < deadline
        time.sleep(0.1)
    return early.news()


def test_the_page_shows_the_model_of_the_first_frames_until_there_is_a_newer_one(tmp_path):
    folder = under_way(tmp_path / "recordings" / "arm_0001", 6)
    with served("127.0.0.1", 0) as server, EarlyModel() as early:
        page = LivePage(server, FollowedFolder(tmp_path), early)
        assert early._process is not None
        shown = {name.split("/")[1] for name in server.scene._handle_from_node_name if name}
        assert "points" in shown and "robot" not in shown
        deadline = time.monotonic() + PATIENCE
        while not (line := page.update()):
            assert time.monotonic() < deadline
            time.sleep(0.1)
        assert line.startswith("arm_0001 (") and line.endswith("as its first 6 frames have it")
        robot = server.scene._handle_from_node_name.keys()
        assert any(name.startswith("/robot") for name in robot)

        (bag,) = folder.glob("*.mcap")
        bag.touch()  # a newer frame
        assert page.update() == "" and early._process is None
        assert any(name.startswith("/robot") for name in robot)


def test_it_begins_where_there_are_half_as_many_frames_more(tmp_path):
    written = load_recording(under_way(tmp_path / "arm", 9))
    (frames, *_), begun = [part.frames for part in written.sequences], []
    with EarlyModel() as early:
        folder = Path(early._folder.name)
        for count in (5, 6, 6, 8, 9):
            part = Sequence((*frames, *frames)[:count], "0000")
            early.follow(replace(written, sequences=(part,)))
            begun.append(early._process is not None)
            early.stop()
    assert begun == [False, True, False, False, True]
    assert not folder.exists()


def test_what_cannot_be_reconstructed_yet_shows_nothing(tmp_path, monkeypatch):
    monkeypatch.setattr(early_model, "_FIRST", 1)
    recording = load_recording(under_way(tmp_path / "short", 1))
    with EarlyModel() as early:
        early.follow(recording)
        assert awaited(early) is None
