"""The process that waits for a recording imports the engine and nothing that draws."""

import json
import shutil
import subprocess
import sys
from dataclasses import replace

import pytest
from synthetic_robot import moving_recording, write_recording

from autourdf_ros.cli.ready_engine import _Followed
from autourdf_ros.data.load import load_recording
from autourdf_ros.estimation.motion.reconstruction import ReconstructionOptions
from autourdf_ros.estimation.motion.registration.preparation import ALIGNED_FRAMES
from autourdf_ros.model.result_files import result_document
from autourdf_ros.subprocesses import run_python

pytestmark = pytest.mark.slow

SCRIPT = """
import os, sys
from autourdf_ros import helper_processes
from autourdf_ros.cli.ready_engine import main
started = []
sys.addaudithook(lambda event, _: started.append(event) if event == "subprocess.Popen" else None)
helper_processes.thread_count = lambda: 2
code = main()
(helper,) = helper_processes._ready
apart = os.getpgid(helper._process.pid) != os.getpgrp()
print(code, len(started), apart, "mujoco" in sys.modules)
"""


def test_it_starts_no_process_that_an_interrupt_would_reach():
    assert run_python(["-c", SCRIPT], 120) == "0 1 True True"


class Requests:
    """Whether a request waits is asked after each step; the answers are given."""

    def __init__(self, *answers):
        self.answers = list(answers)

    def waiting(self):
        return self.answers.pop(0) if self.answers else False


@pytest.fixture(scope="module")
def recordings():
    """The same recording when it had fewer frames, and whole."""
    whole = moving_recording(ALIGNED_FRAMES + 2, 400, sway=0.05)
    (sequence,) = whole.sequences
    early = replace(sequence, frames=sequence.frames[:ALIGNED_FRAMES])
    return replace(whole, sequences=(early,)), whole


def prepared_count(followed, path):
    prepared = followed.begun.prepared_of(load_recording(path), ReconstructionOptions(points=500))
    return 0 if prepared is None else len(prepared.clouds)


def test_a_recording_is_followed_while_it_is_made_until_a_request_comes(tmp_path, recordings):
    path = tmp_path / "arm"
    followed = _Followed(["reconstruct", str(path), "-o", str(tmp_path / "out"), "--points", "500"])
    followed.advance(Requests())  # nothing is there yet
    write_recording(recordings[0], path)
    followed.advance(Requests(False, True))
    assert prepared_count(followed, path) == ALIGNED_FRAMES
    tracks = followed.begun._tracks
    assert tracks.count(0) == 1
    followed.advance(Requests())
    assert tracks.count(0) == ALIGNED_FRAMES - 1
    shutil.rmtree(path)
    write_recording(recordings[1], path)
    followed.advance(Requests())
    assert prepared_count(followed, path) == ALIGNED_FRAMES  # too few more to begin again


def test_what_was_followed_is_reconstructed_as_any_other(tmp_path, recordings):
    path = write_recording(recordings[1], tmp_path / "arm")

    def requests(out):
        arguments = ["reconstruct", str(path), "-o", str(out), "--progress", "json"]
        return arguments, json.dumps({"reconstruct": arguments}) + "\n"

    def run(*lines):
        command = [sys.executable, "-m", "autourdf_ros.cli.ready_engine"]
        subprocess.run(command, input="".join(lines), text=True, check=True, capture_output=True)

    run(requests(tmp_path / "plain")[1])
    arguments, last = requests(tmp_path / "followed")
    run(json.dumps({"follow": arguments}) + "\n", last)
    plain, followed = (result_document(tmp_path / name) for name in ("plain", "followed"))
    assert plain["joints"] == followed["joints"] and plain["verdict"] == followed["verdict"]
