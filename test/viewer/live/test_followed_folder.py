import shutil

import pytest

from autourdf_ros.data.frame import Recording
from autourdf_ros.errors import InputError
from autourdf_ros.viewer.live.followed_folder import FollowedFolder
from autourdf_ros.viewer.viewed_result import ViewedResult

pytestmark = pytest.mark.slow  # a process records what they follow


@pytest.fixture
def under_way(sample, tmp_path):
    """A folder with a recording of which a part is written, as a demo's; what completes it."""
    recording = shutil.copytree(sample.recording, tmp_path / "recordings" / "arm_0001")
    (bag,) = recording.glob("*.mcap")
    whole = bag.read_bytes()
    bag.write_bytes(whole[: len(whole) // 2])
    return tmp_path, lambda: bag.write_bytes(whole)


def test_a_recording_is_read_each_time_that_it_has_more(under_way):
    folder, complete = under_way
    followed = FollowedFolder(folder)
    begun = followed.news()
    assert isinstance(begun, Recording) and begun.source.name == "arm_0001"
    assert followed.news() is None
    complete()
    longer = followed.news()
    assert len(longer.frames) > len(begun.frames) > 0
    assert followed.news() is None


def test_what_changed_last_is_shown(under_way, sample):
    folder, complete = under_way
    followed = FollowedFolder(folder)
    complete()
    out = shutil.copytree(sample.folder, folder / "results" / "arm_0001")
    (out / "reconstruction.json").touch()
    result = followed.news()
    assert isinstance(result, ViewedResult) and result.folder == out
    complete()  # as the next capture would
    assert isinstance(followed.news(), Recording)


def test_what_has_only_begun_is_waited_for(under_way):
    folder, complete = under_way
    (bag,) = folder.rglob("*.mcap")
    bag.write_bytes(b"\x89MCAP")
    followed = FollowedFolder(folder)
    assert followed.news() is None
    complete()
    assert isinstance(followed.news(), Recording)


def test_a_damaged_result_is_said_once(under_way, sample):
    folder, _ = under_way
    out = shutil.copytree(sample.folder, folder / "results" / "arm_0001")
    (out / "reconstruction.json").write_text("{")
    followed = FollowedFolder(folder)
    with pytest.raises(InputError, match=r"reconstruction\.json"):
        followed.news()
    assert followed.news() is None


def test_an_empty_folder_has_no_news_and_a_file_is_refused(tmp_path):
    assert FollowedFolder(tmp_path).news() is None
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="file: is no folder; accepted is"):
        FollowedFolder(tmp_path / "file")


def test_a_recording_that_is_removed_meanwhile_is_no_fault(under_way, monkeypatch):
    folder, _ = under_way
    found = FollowedFolder._found

    def removed(self):
        paths = found(self)
        for path in paths:
            path.unlink()
        return paths

    monkeypatch.setattr(FollowedFolder, "_found", removed)
    assert FollowedFolder(folder).news() is None
