"""Wrenches from any file that is accepted: table, bag or trajectory of the benchmark."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from autourdf_ros.data.wrenches.channel_checks import check_channels
from autourdf_ros.data.wrenches.trajectory_file import read_trajectory
from autourdf_ros.data.wrenches.wrench_recording import WrenchRecording
from autourdf_ros.data.wrenches.wrench_table import read_wrench_table
from autourdf_ros.errors import InputError
from autourdf_ros.progress import Progress, silent

TABLES = (".csv", ".npz")
ACCEPTED = "a .csv or .npz table, or a bag with geometry_msgs/WrenchStamped and transforms"


def read_wrenches(
    path: Path,
    topic: str | None = None,
    world: str | None = None,
    mirrored: bool = False,
    progress: Progress = silent,
) -> WrenchRecording:
    """Return the wrenches of a file or a bag.

    Args:
        path: The file.
        topic: Of a bag; None: the only one.
        world: Frame of a bag that does not move; None: the topmost.
        mirrored: Read an NPZ as a trajectory of the payload benchmark: wrenches m (g + a).
        progress: Is called with stage and fraction.

    Raises:
        InputError: names the file and what is accepted, or a channel that no sensor states.
    """
    if not path.exists():
        raise InputError(f"{path}: does not exist; accepted is {ACCEPTED}")
    if mirrored:
        return read_trajectory(path, mirrored=True)[0]
    if path.suffix in TABLES:
        recording = read_wrench_table(path)
    else:
        from autourdf_ros.data.wrenches.wrench_bag import read_wrench_bag

        recording = read_wrench_bag(path, topic, world, progress)
    check_channels(recording)
    return recording


def reaction(recording: WrenchRecording) -> WrenchRecording:
    """Return the recording of a sensor that states what it exerts on the load."""
    return replace(recording, wrenches=-recording.wrenches)
