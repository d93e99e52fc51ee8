"""`autourdf view` as a process of its own: where it listens, what it says, how it ends."""

import json
import re
import shutil
import signal
import subprocess
import sys
import urllib.request
from contextlib import contextmanager

import pytest
from sample_results import write_sample
from viewer.test_local_server import listening_addresses

from autourdf_ros.cli.main import build_parser, main

# Processes that import much, on a busy machine.
pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]


@pytest.fixture(scope="module")
def sample(tmp_path_factory):
    return write_sample(tmp_path_factory.mktemp("view"))


@contextmanager
def viewing(*arguments):
    """A viewer at a free port: its process, its port, and the lines it printed until then."""
    command = [sys.executable, "-m", "autourdf_ros", "view", *map(str, arguments), "--port", "0"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    lines = []
    try:
        for line in process.stdout:
            lines.append(line.strip())
            if found := re.match(r"http://.*:(\d+) ", line):
                yield process, int(found[1]), lines
                break
        else:
            raise AssertionError(process.stderr.read())
    finally:
        process.kill()
        process.communicate()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_it_listens_here_only_and_ends_well(sample, number):
    with viewing(sample.folder) as (process, port, lines):
        assert listening_addresses(port) == ["0100007F"]  # 127.0.0.1
        assert lines[:2] == [f"! {sample.warning}", "arm (trusted) is shown at"]
        with urllib.request.urlopen(f"http://127.0.0.1:{port}") as page:
            assert b"<html" in page.read(200)
        process.send_signal(number)
        assert process.wait(30) == 0
        assert process.stderr.read() == "" and process.stdout.read() == ""


def test_a_lost_recording_and_an_open_host_are_reported(sample, tmp_path):
    out = shutil.copytree(sample.folder, tmp_path / "out")
    document = json.loads((out / "reconstruction.json").read_text())
    document["input"]["source"] = str(tmp_path / "gone")
    (out / "reconstruction.json").write_text(json.dumps(document))
    with viewing(out, "--host", "0.0.0.0") as (_, port, lines):
        assert listening_addresses(port) == ["00000000"]
        assert "gone: does not exist" in lines[1] and "--recording" in lines[1]
        assert lines[2].startswith("! Whoever reaches this machine")
        assert lines[-1].startswith(f"http://localhost:{port} ")
    with viewing(out, "--recording", sample.recording) as (*_, lines):
        assert lines[1] == "arm (trusted) is shown at"


def test_what_cannot_be_shown_is_exit_code_2(sample, tmp_path, capsys):
    assert main(["view", str(tmp_path)]) == 2
    assert "is no result folder" in capsys.readouterr().err
    assert main(["view", str(sample.folder), "--recording", str(tmp_path / "gone")]) == 2
    assert "gone: does not exist" in capsys.readouterr().err
    assert main(["view", str(sample.folder), "--host", "192.0.2.1"]) == 2
    assert "--port: 8080 of 192.0.2.1" in capsys.readouterr().err


def test_ports_are_checked_and_the_host_is_local(capsys):
    assert build_parser().parse_args(["view", "OUT"]).host == "127.0.0.1"
    for port in ("-1", "65536", "http"):
        with pytest.raises(SystemExit) as end:
            main(["view", "OUT", "--port", port])
        assert end.value.code == 2
        assert f"--port: is {port}; accepted is 0 to 65535" in capsys.readouterr().err


def test_a_folder_is_followed_to_the_model_that_appears_in_it(sample, tmp_path):
    recording = shutil.copytree(sample.recording, tmp_path / "recordings" / "arm_0001")
    (bag,) = recording.glob("*.mcap")
    bag.write_bytes(bag.read_bytes()[:-50])  # as while it grows
    with viewing(tmp_path, "--live") as (process, port, lines):
        assert lines[0] == f"what changed last in {tmp_path} is shown at"
        assert listening_addresses(port) == ["0100007F"]
        out = shutil.copytree(sample.folder, tmp_path / "results" / "arm_0001")
        (out / "reconstruction.json").touch()
        assert process.stdout.readline() == "arm (trusted) is shown\n"
        process.send_signal(signal.SIGINT)
        assert process.wait(30) == 0
        assert process.stderr.read() == ""


def test_what_cannot_be_followed_is_exit_code_2(sample, tmp_path, capsys):
    assert main(["view", str(tmp_path / "gone"), "--live"]) == 2
    assert "gone: is no folder; accepted is" in capsys.readouterr().err
    assert main(["view", str(tmp_path), "--live", "--recording", str(sample.recording)]) == 2
    assert "--recording: does not go with --live" in capsys.readouterr().err
