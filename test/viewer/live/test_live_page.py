"""The page that follows a folder, by the server's side of it."""

import shutil

import pytest

from autourdf_ros.viewer.live.followed_folder import FollowedFolder
from autourdf_ros.viewer.live.live_page import LivePage
from autourdf_ros.viewer.local_server import served

pytestmark = pytest.mark.slow


@pytest.fixture
def server():
    with served("127.0.0.1", 0) as started:
        yield started


def shown(server):
    return {name.split("/")[1] for name in server.scene._handle_from_node_name if name}


def texts(server):
    handles = server.gui._gui_input_handle_from_uuid.values()
    return " ".join(str(getattr(handle, "label", "")) for handle in handles)


def test_points_come_first_then_the_model_then_the_next_recording(server, sample, tmp_path):
    page = LivePage(server, FollowedFolder(tmp_path))
    assert "points" not in shown(server)
    recording = shutil.copytree(sample.recording, tmp_path / "recordings" / "arm_0001")
    assert page.update() == ""
    assert "points" in shown(server) and "robot" not in shown(server)
    assert page.update() == ""

    out = shutil.copytree(sample.folder, tmp_path / "results" / "arm_0001")
    (out / "reconstruction.json").touch()
    assert page.update() == "arm (trusted) is shown"
    assert "robot" in shown(server) and "arm_lift" in texts(server)

    (bag,) = recording.glob("*.mcap")
    bag.touch()
    assert page.update() == ""
    assert "points" in shown(server) and "robot" not in shown(server)
    assert "arm_lift" not in texts(server)


def test_a_damaged_result_is_said_and_the_page_stays(server, sample, tmp_path):
    shutil.copytree(sample.recording, tmp_path / "arm_0001")
    page = LivePage(server, FollowedFolder(tmp_path))
    out = shutil.copytree(sample.folder, tmp_path / "out")
    (out / "reconstruction.json").write_text("{")
    assert page.update().startswith(f"! {out}")
    assert "points" in shown(server)
