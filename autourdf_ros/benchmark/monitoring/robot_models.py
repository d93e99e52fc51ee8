"""Models of the suite's robots as `autourdf reconstruct` makes them, kept in the user's cache."""

from __future__ import annotations

import shutil
from pathlib import Path

from autourdf_ros.benchmark.cache import cache_folder, one_at_a_time, recording_of
from autourdf_ros.benchmark.cases.suites import Case
from autourdf_ros.data.load import load_recording
from autourdf_ros.files.code_digest import code_digest
from autourdf_ros.progress import silent
from autourdf_ros.simulation.cameras.noise import REAL_CAMERA
from autourdf_ros.simulation.recordings.recorder import RecorderOptions
from autourdf_ros.simulation.simulated_cell import CellOptions
from autourdf_ros.workflows.reconstruct import ResultOptions, reconstruct_to_folder

FOUR_VIEWS = RecorderOptions(
    points=20000,
    point_sigma=0.0,
    shift_sigma=0.0,
    clean=True,
    cell=CellOptions(4, 640, 480, elevations=(10.0, 60.0), noise=REAL_CAMERA),
)
"""As `autourdf simulate --noise real --shift 0` records."""
_MAKERS = ("estimation", "export", "geometry", "model", "shape")


def robot_model(robot: str) -> Path:
    """Return the result folder of a robot's model; a missing one is recorded and reconstructed.

    A model is made again where the code that makes it changed.
    """
    recording = recording_of(Case(Path(robot).stem, robot, FOUR_VIEWS), silent)
    code = "".join(code_digest(folder)[:4] for folder in _MAKERS)
    folder = cache_folder() / "models" / f"{recording.name}_{code}"
    folder.parent.mkdir(parents=True, exist_ok=True)
    with one_at_a_time(folder.with_name(f"{folder.name}.lock")):
        if not folder.is_dir():
            reconstruct_to_folder(load_recording(recording), folder, "robot", ResultOptions())
    return folder


def model_in(folder: Path, robot: str) -> Path:
    """Return FOLDER/ROBOT, the robot's model; a missing one is copied from `robot_model`."""
    if not (folder / robot).exists():
        shutil.copytree(robot_model(robot), folder / robot)
    return folder / robot
