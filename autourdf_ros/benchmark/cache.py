"""The benchmark's recordings, rendered once and kept in the user's cache folder."""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import autourdf_ros.simulation
from autourdf_ros.benchmark.cases.suites import Case
from autourdf_ros.files.durable_files import replace_text
from autourdf_ros.model.urdf.robot_library import find_urdf
from autourdf_ros.model.urdf.simulated_robot import SimulatedRobot
from autourdf_ros.progress import Progress
from autourdf_ros.simulation.recordings.recorder import Recorder
from autourdf_ros.simulation.recordings.write_recording import write_recording


def cache_folder() -> Path:
    """Return the benchmark's folder below $XDG_CACHE_HOME, or else below ~/.cache.

    Source: XDG Base Directory Specification.
    """
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "autourdf_ros" / "benchmark"


def recording_of(case: Case, progress: Progress) -> Path:
    """Return the folder of a case's recording, and render it where the cache lacks it.

    Of several processes that request it at once, one renders it and the others wait. The robot that
    its truth names may have been that of an environment that is gone: it names today's.
    """
    if case.options is None:
        return Path(case.robot)
    urdf = find_urdf(case.robot)
    folder = cache_folder() / f"{urdf.stem}_{_digest(case, urdf)}"
    if not folder.is_dir():
        folder.parent.mkdir(parents=True, exist_ok=True)
        with one_at_a_time(folder.with_name(f"{folder.name}.lock")):
            if not folder.is_dir():
                recorder = Recorder(SimulatedRobot(urdf), case.options)
                write_recording(recorder, folder, progress=progress)
    _name_robot(folder / "truth.json", urdf)
    return folder


def _name_robot(truth: Path, urdf: Path) -> None:
    """Let a truth name a robot's file, without which nothing is known of the true surface."""
    content = json.loads(truth.read_text())
    if not Path(content["urdf"]).is_file():
        replace_text(truth, json.dumps({**content, "urdf": str(urdf.resolve())}))


@contextmanager
def one_at_a_time(lock: Path) -> Iterator[None]:
    """Hold a lock for one process of this machine; the kernel frees it when the process ends.

    The file stays: its removal could let a third process in beside a second that waits for it.
    """
    with lock.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _digest(case: Case, urdf: Path) -> str:
    """Digest what determines a recording: the simulator's code, its options, the robot's file."""
    total = hashlib.sha256(repr(case.options).encode() + urdf.read_bytes())
    for module in sorted(Path(autourdf_ros.simulation.__file__).parent.rglob("*.py")):
        total.update(module.read_bytes())
    return total.hexdigest()[:16]
