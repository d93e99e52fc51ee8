"""Inputs are read from paths and stores, within bounds, and known by their content."""

import fsspec
import pytest

from autourdf_ros.errors import InputError
from autourdf_ros.fleet.jobs.job_folder import jobs_below
from autourdf_ros.fleet.jobs.places import InputBounds, digest, fetched


@pytest.fixture
def folder(tmp_path):
    for name in ("rec/a.txt", "rec/deep/b.txt"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(name)
    return tmp_path / "rec"


@pytest.fixture
def store():
    system = fsspec.filesystem("memory")
    system.pipe({"/lab/rec/a.txt": b"rec/a.txt", "/lab/rec/deep/b.txt": b"rec/deep/b.txt"})
    yield system
    system.rm("/lab", recursive=True)


def test_a_digest_is_of_names_and_content(folder, store):
    first = digest(str(folder))
    assert digest("memory://lab/rec") == first
    (folder / "a.txt").write_text("other.txt")
    assert digest(str(folder)) != first
    (folder / "a.txt").write_text("rec/a.txt")
    assert digest(str(folder)) == first
    (folder / "a.txt").rename(folder / "c.txt")
    assert digest(str(folder)) != first


def test_what_is_remote_is_copied_and_what_is_here_is_not(folder, store, tmp_path):
    assert fetched(str(folder), tmp_path / "to") == (folder, 23)
    path, size = fetched("memory://lab/rec", tmp_path / "to")
    assert (path, size) == (tmp_path / "to/rec", 23)
    assert (path / "deep/b.txt").read_text() == "rec/deep/b.txt"
    path, _ = fetched("memory://lab/rec/a.txt", tmp_path / "one")
    assert path.read_text() == "rec/a.txt"


def test_what_is_missing_or_too_large_is_refused(folder):
    with pytest.raises(InputError, match="does not exist"):
        digest(f"{folder}/none")
    with pytest.raises(InputError, match="has 2 files"):
        digest(str(folder), InputBounds(files=1))
    with pytest.raises(InputError, match="23 bytes"):
        digest(str(folder), InputBounds(bytes=22))


def test_names_that_leave_the_folder_are_refused(store, tmp_path):
    store.pipe("/lab/rec/../../b", b"x")
    with pytest.raises(InputError, match=r"written elsewhere|does not exist"):
        fetched("memory://lab/rec", tmp_path)
    assert not (tmp_path.parent / "b").exists()


def test_a_link_out_of_an_input_is_refused(folder):
    (folder / "link").symlink_to("/etc/passwd")
    with pytest.raises(InputError, match="leads out of it"):
        digest(str(folder))


def test_a_folder_is_a_job_for_each_recording(tmp_path):
    for name in ("arm 1/x", "b.mcap", "notes.txt", ".hidden/x"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.touch()
    found = jobs_below(str(tmp_path))
    assert [(job.name, job.inputs[0]) for job in found] == [
        ("arm_1", f"{tmp_path}/arm 1"),
        ("b", f"{tmp_path}/b.mcap"),
    ]


def test_recordings_of_robots_are_found_by_robot(store):
    store.pipe("/lab/cells/r1/mon/x", b"")
    store.pipe("/lab/cells/r2/mon/x", b"")
    found = jobs_below("memory://lab/cells", by_robot=True)
    assert [(job.name, job.robot) for job in found] == [("r1.mon", "r1"), ("r2.mon", "r2")]
