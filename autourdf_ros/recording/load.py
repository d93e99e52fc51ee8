"""Reads a recording, whatever its format."""

from __future__ import annotations

from pathlib import Path

from autourdf_ros.errors import InputError
from autourdf_ros.recording import bag, frame_folder, sequence_folder
from autourdf_ros.recording.frame import Recording

_FORMATS = (
    "a rosbag2 folder or .mcap file written by autourdf, a folder SEQUENCE/FRAME/robot.ply, "
    "or a folder of .ply, .pcd or .npz frames"
)


def load_recording(path: Path | str) -> Recording:
    """Read a recording.

    path: a rosbag2 folder (also one cut off in the middle) or its .mcap file; a folder
    SEQUENCE/FRAME/robot.ply with optional joint_cfg.txt beside each; or a folder of PLY, PCD or
    NPZ frames in natural order. Points that are not finite are dropped.
    Raises InputError, naming the file and the reason, when it cannot be read.
    """
    path = Path(path)
    if not path.exists():
        raise InputError(f"{path}: does not exist; accepted is {_FORMATS}")
    for reader in (bag, sequence_folder, frame_folder):
        if reader.accepts(path):
            return reader.read(path)
    raise InputError(f"{path}: is not a recording; accepted is {_FORMATS}")
