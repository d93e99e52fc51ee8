"""Models of recordings that go on, by real reconstructions."""

import time
from pathlib import Path

import pytest
from synthetic_robot import moving_recording, write_recording

from autourdf_ros.data.frame import Recording, Sequence
from autourdf_ros.data.load import load_recording
from autourdf_ros.viewer.live.early_model import EarlyModel
from autourdf_ros.viewer.live.followed_folder import FollowedFolder
from autourdf_ros.viewer.live.live_page import LivePage
from autourdf_ros.viewer.local_server import served

pytestmark = pytest.mark.slow

PATIENCE = 120.0  # s


def under_way(folder, frames, more):
    """A recording with a whole sequence, and so many frames of the next."""
    whole = moving_recording(frames, 250, sway=0.1).sequences[0].frames
    parts = [Sequence(whole, "0000"), Sequence(whole[:more], "0001")]
    sequences = tuple(part for part in parts if part.frames)
    return write_recording(Recording(sequences), folder)


def awaited(early):
    deadline = time.monotonic() + PATIENCE
    while early._process is not None and early._process.poll() is None:
        assert time.monotonic() < deadline
        time.sleep(0.1)
    return early.news()


def test_the_page_shows_the_model_of_the_first_sequence_until_the_whole_one_is_there(tmp_path):
    folder = under_way(tmp_path / "recordings" / "arm_0001", 6, 1)
    with served("127.0.0.1", 0) as server, EarlyModel() as early:
        page = LivePage(server, FollowedFolder(tmp_path), early)
        assert early._process is not None
        shown = {name.split("/")[1] for name in server.scene._handle_from_node_name if name}
        assert "points" in shown and "robot" not in shown
        deadline = time.monotonic() + PATIENCE
        while not (line := page.update()):
            assert time.monotonic() < deadline
            time.sleep(0.1)
        assert line.startswith("arm_0001 (") and line.endswith("as its first sequences have it")
        robot = server.scene._handle_from_node_name.keys()
        assert any(name.startswith("/robot") for name in robot)

        (bag,) = folder.glob("*.mcap")
        bag.touch()  # a newer frame
        assert page.update() == "" and early._process is None
        assert any(name.startswith("/robot") for name in robot)


def test_it_begins_once_for_every_sequence_that_is_whole(tmp_path):
    one = load_recording(under_way(tmp_path / "one", 3, 0))
    two = load_recording(under_way(tmp_path / "two", 3, 1))
    with EarlyModel() as early:
        early.follow(one)
        assert early._process is None
        early.follow(two)
        process, folder = early._process, Path(early._folder.name)
        early.follow(two)
        assert early._process is process
        early.stop()
        assert process.returncode is not None
        early.follow(two)
        assert early._process is None
    assert not folder.exists()


def test_what_cannot_be_reconstructed_yet_shows_nothing(tmp_path):
    recording = load_recording(under_way(tmp_path / "short", 1, 1))
    with EarlyModel() as early:
        early.follow(recording)
        assert awaited(early) is None
