"""Kills writers at random moments and counts what was lost.

`.venv/bin/python studies/kill_study.py results|recordings|histories --kills 200 --seed 0`. A kill
counts as survived under three conditions: the previous or the complete new version can be read,
nothing that the writer reported as on disk is missing, and the next writer works at once.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "test" / "support"))

from synthetic_robot import arm_reconstruction, arm_recording

from autourdf_ros.data.frame import Frame
from autourdf_ros.data.load import load_recording
from autourdf_ros.data.recording.resuming import Setup
from autourdf_ros.data.recording.writer import RecordingWriter
from autourdf_ros.files.writer_lock import lock_beside, lock_within
from autourdf_ros.model.result_files import REPORT, SRDF, result_document
from autourdf_ros.model.urdf.live_model import LiveModel
from autourdf_ros.monitoring.continual.model_history import ModelHistory
from autourdf_ros.workflows.reconstruct import write_reconstruction

Say = Callable[[int], None]
SETUP = Setup("base_link", (), ("pan",))


def killed(write: Callable[[Say], None], moment: float) -> list[int]:
    """Run `write` in a process, kill it `moment` (s) after its first report; return its reports."""
    ours, theirs = os.pipe()
    child = os.fork()
    if child == 0:
        quiet = os.open(os.devnull, os.O_WRONLY)
        os.dup2(quiet, 2)
        try:
            write(lambda number: (os.write(theirs, bytes([number])), None)[1])
        finally:
            os._exit(0)
    os.close(theirs)
    said = list(os.read(ours, 1))
    time.sleep(moment)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    while more := os.read(ours, 4096):
        said += more
    os.close(ours)
    return said


class Results:
    """A result folder that is replaced by another whose robot has another name."""

    longest = 6.0

    def __init__(self, folder: Path) -> None:
        self._out = folder / "result"
        self._made = arm_reconstruction(count=30)
        self._recording = arm_recording(self._made)
        self._name = "first"
        self._write(self._name)

    def attempt(self, moment: float, number: int) -> str:
        """Kill a writer; return what was lost, or an empty text."""
        name = f"robot_{number}"

        def write(say: Say) -> None:
            say(0)
            with lock_beside(self._out):
                self._write(name)
            say(1)

        said = killed(write, moment)
        found = self._whole()
        if found not in ((name,) if 1 in said else (self._name, name)):
            return f"holds {found}, not {self._name} or {name}"
        with lock_beside(self._out):  # the next writer may begin
            pass
        self._name = found
        return ""

    def _whole(self) -> str:
        """Name of the robot in every file; raises where the result is damaged."""
        LiveModel(self._out).description()
        name = str(result_document(self._out)["name"])
        texts = [(self._out / file).read_text() for file in (SRDF, REPORT, "robot.mjcf.xml")]
        return name if all(name in text for text in texts) else f"a mixture with {name}"

    def _write(self, name: str) -> None:
        write_reconstruction(self._made, self._out, name=name, recording=self._recording)


class Recordings:
    """A recording that every process resumes; some are killed while they repair it."""

    longest = 0.3

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._begin()

    def _begin(self) -> None:
        self._stamps: list[int] = []
        self._at = Path(tempfile.mkdtemp(dir=self._folder)) / "recording"

    def attempt(self, moment: float, number: int) -> str:
        """Kill a writer; return what was lost, or an empty text."""
        if number % 20 == 19:
            shutil.rmtree(self._at.parent)
            self._begin()
        base, rng = 1000 * number, np.random.default_rng(number)

        def write(say: Say) -> None:
            say(255)
            with RecordingWriter(self._at, resume=SETUP if self._stamps else None) as writer:
                writer.start_sequence()
                for count in range(250):
                    points = rng.normal(size=(2000, 3)).astype(np.float32)
                    writer.write_frame(Frame(points, None, float(base + count), {"pan": 0.1}))
                    say(count)

        said = [count for count in killed(write, moment) if count != 255]
        expected = self._stamps + [base + count for count in said]
        if not expected:
            shutil.rmtree(self._at, ignore_errors=True)
            return ""
        held = [round(frame.stamp) for frame in load_recording(self._at).frames]
        # One frame may be on disk that its writer had no time to report.
        if held[: len(expected)] != expected or len(held) > len(expected) + 1:
            return f"{len(held)} frames, not {len(expected)}"
        if number % 2:  # else the next process to be killed has to repair it
            with RecordingWriter(self._at, resume=SETUP):
                pass
        self._stamps = [round(frame.stamp) for frame in load_recording(self._at).frames]
        return "" if self._stamps == held else "resuming lost a frame"


class Histories:
    """A history of models, to which one is added and from which it is rolled back."""

    longest = 0.5

    def __init__(self, folder: Path) -> None:
        made = arm_reconstruction(count=30)
        self._result = write_reconstruction(
            made, folder / "result", name="arm", recording=arm_recording(made)
        )
        self._root = folder / "models"
        self._add()

    def _add(self) -> None:
        self._root.mkdir(exist_ok=True)
        with lock_within(self._root):
            ModelHistory(self._root).add(self._result)

    def attempt(self, moment: float, number: int) -> str:
        """Kill a writer; return what was lost, or an empty text."""
        history = ModelHistory(self._root)
        before = history.entries

        def write(say: Say) -> None:
            say(0)
            with lock_within(self._root):
                for _ in range(100):
                    history.add(self._result)
                    history.rollback()

        killed(write, moment)
        history.current()
        if history.entries[: len(before)] != before:
            return "an entry is gone"
        self._add()
        if number % 20 == 19:
            shutil.rmtree(self._root)
            self._add()
        return ""


KINDS = {"results": Results, "recordings": Recordings, "histories": Histories}


def study(kind: str, kills: int, seed: int) -> list[str]:
    """Return what was lost at each kill that lost something."""
    draw, lost = random.Random(seed), []
    with tempfile.TemporaryDirectory(prefix="kills_") as folder:
        subject = KINDS[kind](Path(folder))
        for number in range(kills):
            try:
                loss = subject.attempt(draw.uniform(0.0, subject.longest), number)
            except Exception as error:
                loss = f"{type(error).__name__}: {error}"
            if loss:
                lost.append(f"kill {number}: {loss}")
    return lost


def main() -> int:
    """Run the study; return 1 where anything was lost."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("kind", choices=KINDS)
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    lost = study(given.kind, given.kills, given.seed)
    print(f"{given.kind}: {given.kills - len(lost)} of {given.kills} kills survived")
    print(*lost, sep="\n", end="\n" if lost else "")
    return 1 if lost else 0


if __name__ == "__main__":
    sys.exit(main())
