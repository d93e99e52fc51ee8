"""Two processes never write in one place, and none that was killed stands in the way."""

import errno
import os
import signal
import subprocess
import sys
from contextlib import contextmanager

import numpy as np
import pytest

from autourdf_ros.cli import main as cli
from autourdf_ros.data.frame import Frame
from autourdf_ros.data.load import load_recording
from autourdf_ros.data.recording.resuming import Setup
from autourdf_ros.data.recording.writer import RecordingWriter
from autourdf_ros.errors import InputError
from autourdf_ros.files import writer_lock
from autourdf_ros.files.writer_lock import lock_beside, lock_within

SETUP = Setup("base_link", (), ("pan",))


def a_frame(stamp):
    return Frame(np.eye(3, dtype=np.float32), None, stamp, {"pan": 0.1})


@contextmanager
def another_process(hold):
    """Runs `hold`, which returns what it holds, and keeps that until it is killed."""
    ours, theirs = os.pipe()
    child = os.fork()
    if child == 0:
        held = hold()
        os.write(theirs, b"held")
        signal.pause()
        os._exit(0 if held else 1)
    assert os.read(ours, 4) == b"held"
    os.close(ours)
    os.close(theirs)
    try:
        yield child
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)


@pytest.mark.slow
def test_the_second_writer_learns_the_number_of_the_first(tmp_path):
    out = tmp_path / "below" / "out"
    with (
        another_process(lambda: lock_beside(out)) as other,
        pytest.raises(InputError, match=f"out: another process is writing there, number {other};"),
    ):
        lock_beside(out)
    with lock_beside(out):  # the killed one left its file, and no lock
        pass
    assert list(out.parent.iterdir()) == []


@pytest.mark.slow
def test_no_child_keeps_it(tmp_path):
    with another_process(lambda: fork_and_lock(tmp_path)):
        pass
    with lock_within(tmp_path):
        pass


def fork_and_lock(folder):
    lock = lock_within(folder)
    parent = os.getpid()
    if os.fork() == 0:
        while os.getppid() == parent:
            signal.sigtimedwait([signal.SIGUSR1], 0.05)
        signal.sigtimedwait([signal.SIGUSR1], 2.0)  # outlives its parent
        os._exit(0)
    return lock


def test_a_lock_of_a_file_that_was_removed_is_none(tmp_path, monkeypatch):
    real, removed = writer_lock.fcntl.lockf, []

    def lockf(descriptor, kind):
        real(descriptor, kind)
        if not removed:
            (tmp_path / ".lock").unlink()
            removed.append(True)

    monkeypatch.setattr(writer_lock.fcntl, "lockf", lockf)
    with lock_within(tmp_path):
        assert (tmp_path / ".lock").read_text() == f"{os.getpid()}\n"


@pytest.mark.slow
@pytest.mark.parametrize("command", ["repair", "extract", "reconstruct"])
def test_a_place_that_cannot_be_written_is_reported_before_the_work(
    command, monkeypatch, tmp_path, capsys
):
    def refuse(*_):
        raise OSError(errno.EROFS, os.strerror(errno.EROFS))

    (tmp_path / "bag.mcap").write_bytes(b"")
    monkeypatch.setattr(writer_lock.os, "open", refuse)
    assert cli.main([command, str(tmp_path / "bag.mcap"), "-o", str(tmp_path / "out")]) == 2
    printed = capsys.readouterr().err
    assert "out: cannot be written: Read-only file system; accepted is a folder" in printed


@pytest.mark.slow
def test_a_recording_has_one_writer_and_is_not_mended_under_its_hands(tmp_path):
    folder = tmp_path / "recording"
    with another_process(lambda: recorded(folder)):
        before = {file.name: file.read_bytes() for file in folder.iterdir()}
        for resume in (None, SETUP):
            with pytest.raises(InputError, match="recording: another process is writing there"):
                RecordingWriter(folder, resume=resume)
        assert {file.name: file.read_bytes() for file in folder.iterdir()} == before
    with RecordingWriter(folder, resume=SETUP) as writer:
        writer.write_frame(a_frame(5.0))
    assert [frame.stamp for frame in load_recording(folder).frames] == [1.0, 5.0]
    assert not (folder / ".lock").exists()


def recorded(folder):
    writer = RecordingWriter(folder)
    writer.write_frame(a_frame(1.0))
    return writer


@pytest.mark.slow
def test_a_second_command_is_refused_before_the_work(tmp_path):
    (tmp_path / "bag.mcap").write_bytes(b"")
    with another_process(lambda: lock_beside(tmp_path / "out")) as other:
        for command in ("repair", "reconstruct", "assemble"):
            ended = subprocess.run(
                [
                    *(sys.executable, "-m", "autourdf_ros", command, tmp_path / "bag.mcap"),
                    *("-o", tmp_path / "out"),
                ],
                capture_output=True,
                text=True,
                check=False,
            )
            assert ended.returncode == 2
            assert f"another process is writing there, number {other}" in ended.stderr
