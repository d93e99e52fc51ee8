"""A folder of recordings, or a place of a store that holds some, as jobs."""

from __future__ import annotations

import re

from autourdf_ros.errors import InputError
from autourdf_ros.fleet.jobs.job import Job
from autourdf_ros.fleet.jobs.places import file_system, placed

_FILES = (".mcap", ".npz", ".glb", ".gltf", ".obj", ".dae", ".usd", ".urdf", ".mp4")


def jobs_below(place: str, estimator: str = "reconstruct", by_robot: bool = False) -> list[Job]:
    """Return a job for every recording in a folder.

    Args:
        place: The folder: each folder in it is an input, and each file of a known kind.
        estimator: The command, which takes one input.
        by_robot: Whether the folder holds a folder for every robot, with its recordings.

    Raises:
        InputError: The folder cannot be read.
    """
    if not by_robot:
        return [_job(one, estimator, "") for one in _inputs_in(place)]
    jobs = []
    for robot in _folders_in(place):
        jobs += [_job(one, estimator, _legal(robot)) for one in _inputs_in(robot)]
    return jobs


def _job(place: str, estimator: str, robot: str) -> Job:
    name = _legal(place)
    return Job(f"{robot}.{name}" if robot else name, estimator, (place,), robot=robot)


def _legal(place: str) -> str:
    """Return the last part of a place as a name of a job has it."""
    last = place.rstrip("/").rpartition("/")[2]
    stem = last.rpartition(".")[0] if last.endswith(_FILES) else last
    return re.sub(r"[^\w.-]|^\W", "_", stem, flags=re.ASCII)[:100]


def _folders_in(place: str) -> list[str]:
    return [at for at, is_folder in _entries(place) if is_folder]


def _inputs_in(place: str) -> list[str]:
    return [at for at, is_folder in _entries(place) if is_folder or at.endswith(_FILES)]


def _entries(place: str) -> list[tuple[str, bool]]:
    """Return what a folder holds, without what is hidden: places, and whether each is a folder."""
    system, address = file_system(place)
    system.invalidate_cache()
    try:
        found = system.ls(address, detail=True)
    except (OSError, ValueError) as error:
        raise InputError(f"{place}: cannot be listed: {error}") from error
    entries = []
    for info in found:
        name = info["name"].rstrip("/").rpartition("/")[2]
        if name and not name.startswith(".") and info["name"].rstrip("/") != address.rstrip("/"):
            entries.append((placed(name, place, place), info["type"] == "directory"))
    return sorted(entries)
