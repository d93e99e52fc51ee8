"""Folders are whole at any moment."""

import os
import random
import signal
import time
from pathlib import Path

import pytest

from autourdf_ros.errors import InputError
from autourdf_ros.files import atomic_folder
from autourdf_ros.files.atomic_folder import check_writable, remove_leftovers, replacing


@pytest.mark.slow
def test_killed_at_any_moment_the_folder_is_the_old_or_the_new(tmp_path):
    out = tmp_path / "out"
    out.mkdir()
    (out / "a").write_text("0")
    (out / "b").write_text("0")
    moment = random.Random(0)
    for _ in range(25):
        child = os.fork()
        if child == 0:
            for token in range(1_000_000):
                with replacing(out) as folder:
                    (folder / "a").write_text(str(token))
                    (folder / "b").write_text(str(token))
        time.sleep(moment.uniform(0.005, 0.04))
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        assert (out / "a").read_text() == (out / "b").read_text() != ""
    remove_leftovers(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_leftovers_of_the_living_stay(tmp_path):
    living = tmp_path / f".out.x.{os.getpid()}.partial"
    dead = tmp_path / ".out.x.4194999.partial"
    living.mkdir()
    dead.mkdir()
    remove_leftovers(tmp_path)
    assert living.exists() and not dead.exists()


def test_without_an_exchange_by_the_file_system_it_still_replaces(tmp_path, monkeypatch):
    class NoExchange:
        @staticmethod
        def renameat2(*_):
            atomic_folder.ctypes.set_errno(atomic_folder.errno.EINVAL)
            return -1

    monkeypatch.setattr(atomic_folder.ctypes, "CDLL", lambda *_, **__: NoExchange)
    for token in ("old", "new"):
        with replacing(tmp_path / "out") as folder:
            (folder / "a").write_text(token)
    assert (tmp_path / "out" / "a").read_text() == "new"
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_a_result_moved_away_by_a_killed_process_comes_back(tmp_path):
    away = tmp_path / ".my.out.old.4194999.partial"
    away.mkdir()
    remove_leftovers(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["my.out"]
    away.mkdir()
    remove_leftovers(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["my.out"]


def test_all_is_on_disk_before_it_is_put_in_place(tmp_path, monkeypatch):
    synced = []

    def fsync(descriptor):
        synced.append(str(Path(f"/proc/self/fd/{descriptor}").readlink()))

    monkeypatch.setattr(os, "fsync", fsync)
    with replacing(tmp_path / "out") as folder:
        (folder / "below").mkdir()
        (folder / "below" / "a").write_text("x")
    below = [folder, folder / "below", folder / "below" / "a"]
    assert sorted(synced[:-1]) == [str(path) for path in below]
    assert synced[-1] == str(tmp_path)


def test_a_full_disk_is_one_error_and_leaves_the_old(tmp_path):
    with replacing(tmp_path / "out") as folder:
        (folder / "a").write_text("old")
    with (
        pytest.raises(InputError, match="cannot be written: No space left"),
        replacing(tmp_path / "out") as folder,
    ):
        raise OSError(28, "No space left on device")
    assert (tmp_path / "out" / "a").read_text() == "old"
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_what_cannot_be_written_is_known_before_the_work(tmp_path):
    check_writable(tmp_path / "new" / "out")
    assert not list(tmp_path.iterdir())
    (tmp_path / "file").write_text("")
    for path in (Path("/proc/x"), tmp_path / "file" / "out"):
        with pytest.raises(InputError, match=f"{path}: cannot be written"):
            check_writable(path)
