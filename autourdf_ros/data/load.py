"""Reads a recording of any accepted format."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from autourdf_ros.data.background import TOLERANCE, Background
from autourdf_ros.data.bags import recording_bag as bag
from autourdf_ros.data.cloud_files import frame_folder, sequence_folder
from autourdf_ros.data.frame import Recording
from autourdf_ros.errors import InputError

_FORMATS = (
    "a rosbag2 folder or .mcap file written by autourdf, a folder SEQUENCE/FRAME/robot.ply, "
    "or a folder of .ply, .pcd or .npz frames"
)


def load_recording(path: Path | str) -> Recording:
    """Read a recording. Points that are not finite are dropped.

    Args:
        path: a rosbag2 folder (also one cut off in the middle) or its .mcap file; a folder
            SEQUENCE/FRAME/robot.ply with optional joint_cfg.txt beside each; or a folder of PLY,
            PCD or NPZ frames in natural order.

    Raises:
        InputError: names the file and the reason.
    """
    path = Path(path)
    if not path.exists():
        raise InputError(f"{path}: does not exist; accepted is {_FORMATS}")
    for reader in (bag, sequence_folder, frame_folder):
        if reader.accepts(path):
            return reader.read(path)
    raise InputError(f"{path}: is not a recording; accepted is {_FORMATS}")


def load_background(path: Path, fixed_frame: str, tolerance: float = TOLERANCE) -> Background:
    """Read all points of a recording of the empty scene.

    Args:
        tolerance: see `Background` (m).

    Raises:
        InputError: it cannot be read, or is in another frame than `fixed_frame`.
    """
    recording = load_recording(path)
    if recording.fixed_frame != fixed_frame:
        raise InputError(
            f"{path}: the background is in the frame {recording.fixed_frame}; accepted is "
            f"{fixed_frame}"
        )
    return Background(np.vstack([frame.points for frame in recording.frames]), tolerance)
