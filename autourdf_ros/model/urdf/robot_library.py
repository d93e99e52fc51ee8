"""Finds URDF files: by path, or by name among those of the `example-robot-data` package."""

from __future__ import annotations

import difflib
import importlib.metadata
import os
from pathlib import Path

from autourdf_ros.errors import InputError

LIBRARY = "example-robot-data"


def library_robots() -> dict[str, Path]:
    """Return URDF files of the robot library by name without `.urdf`; empty without it."""
    try:
        files = importlib.metadata.distribution(LIBRARY).files or []
    except importlib.metadata.PackageNotFoundError:
        return {}
    return {
        file.stem: Path(str(file.locate()))
        for file in sorted(files, reverse=True)
        if file.name.endswith(".urdf")
    }


def find_urdf(robot: str) -> Path:
    """Return the absolute path of the URDF file that `robot` names: a path or a library name.

    Raises InputError where there is no such file; the message lists the nearest names.
    """
    path = Path(robot).expanduser()
    if path.is_file():
        return path.resolve()
    if path.suffix or len(path.parts) != 1:
        raise InputError(f"robot '{robot}': no such file")
    robots = library_robots()
    if robot in robots:
        return robots[robot]
    if not robots:
        raise InputError(f"robot '{robot}': neither a file, nor is '{LIBRARY}' installed")
    near = difflib.get_close_matches(robot, robots, n=6)
    near += sorted(name for name in robots if robot.lower() in name.lower() and name not in near)
    listed = (
        f"near matches: {', '.join(near[:10])}"
        if near
        else f"none of its {len(robots)} names is near; one is ur5_gripper"
    )
    raise InputError(f"robot '{robot}': neither a URDF file nor a name in '{LIBRARY}'; {listed}")


def package_directories(urdf: Path) -> list[str]:
    """Return the folders in which `package://NAME/...` is searched for, nearest first."""
    directories = [str(parent) for parent in urdf.resolve().parents]
    for variable, below in (("AMENT_PREFIX_PATH", "share"), ("ROS_PACKAGE_PATH", "")):
        prefixes = filter(None, os.environ.get(variable, "").split(os.pathsep))
        directories += [str(Path(prefix, below)) for prefix in prefixes]
    return directories
