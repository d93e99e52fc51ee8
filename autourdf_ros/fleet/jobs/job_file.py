"""Job files: YAML of untrusted origin, read within bounds."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from autourdf_ros.errors import InputError
from autourdf_ros.files.yaml_reading import parse_yaml
from autourdf_ros.fleet.jobs.accepted_commands import AcceptedCommand, accepted, check_option
from autourdf_ros.fleet.jobs.job import Job
from autourdf_ros.fleet.jobs.places import check_inside, placed

MOST_BYTES = 16 << 20
MOST_JOBS = 100_000
VERSION = 1

_KEYS = {"version", "jobs"}
_JOB_KEYS = {"name", "estimator", "input", "inputs", "options", "memory", "robot"}
_NAME = re.compile(r"[A-Za-z0-9][\w.-]{0,99}", re.ASCII)
_MEMORY = re.compile(r"(\d{1,6}) ?(MiB|GiB)")
_UNITS = {"MiB": 1 << 20, "GiB": 1 << 30}


def read_job_file(path: Path, roots: Sequence[str] = ()) -> list[Job]:
    """Read the jobs of a file.

    Args:
        path: Of the file; paths in it are relative to its folder.
        roots: Places whose inputs may be read, beside the file's folder.

    Raises:
        InputError: Names the file, the job and what is accepted.
    """
    try:
        with path.open("rb") as file:
            content = file.read(MOST_BYTES + 1)
        if len(content) > MOST_BYTES:
            raise InputError(f"{path}: is larger than {MOST_BYTES >> 20} MiB")
        text = content.decode()
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: is no text: {error}") from error
    folder = str(path.absolute().parent)
    return jobs_of(parse_yaml(text, str(path)), folder, (folder, *roots), str(path))


def jobs_of(content: Any, folder: str, roots: Sequence[str], where: str) -> list[Job]:
    """Return the jobs of a parsed file.

    Args:
        content: What it holds.
        folder: To which its paths are relative.
        roots: In which inputs must lie.
        where: Begins the errors.

    Raises:
        InputError: As `read_job_file`.
    """
    content = _only(content, _KEYS, where)
    if content.get("version") != VERSION:
        raise InputError(f"{where}: has version {content.get('version')!r:.40}; accepted is 1")
    entries = content.get("jobs")
    if not isinstance(entries, list) or not 0 < len(entries) <= MOST_JOBS:
        raise InputError(f"{where}: jobs: accepted is a list of 1 to {MOST_JOBS} jobs")
    jobs = [
        _job(entry, folder, roots, f"{where}: job {number}")
        for number, entry in enumerate(entries, start=1)
    ]
    names: set[str] = set()
    for job in jobs:
        if job.name in names:
            raise InputError(f"{where}: two jobs have the name {job.name}")
        names.add(job.name)
    return jobs


def _job(entry: Any, folder: str, roots: Sequence[str], where: str) -> Job:
    entry = _only(entry, _JOB_KEYS, where)
    name = entry.get("name")
    if name is not None:
        where = f"{where} ({_checked_name(name, where)})"
    estimator = entry.get("estimator", "reconstruct")
    command = accepted(estimator, where)
    inputs = [_place(one, folder, roots, where) for one in _inputs(entry, command, where)]
    options, files = {}, {}
    for option, value in _only(entry.get("options", {}), None, f"{where}: options").items():
        check_option(command, option, value, where)
        if option in command.files:
            files[option] = _place(value, folder, roots, f"{where}: option {option}")
        else:
            options[option] = value
    return Job(
        name=name or _checked_name(Path(inputs[0]).stem, f"{where}: without name"),
        estimator=estimator,
        inputs=tuple(inputs),
        options=options,
        files=files,
        memory=_memory(entry["memory"], where) if "memory" in entry else None,
        robot=_checked_name(entry["robot"], f"{where}: robot") if "robot" in entry else "",
    )


def _only(content: Any, keys: set[str] | None, where: str) -> dict[str, Any]:
    """Return a mapping that has no other keys than these, if any are given."""
    if not isinstance(content, dict):
        raise InputError(f"{where}: is {type(content).__name__}; accepted is a mapping")
    if keys is not None and (unknown := [key for key in content if key not in keys]):
        raise InputError(
            f"{where}: has the key {unknown[0]!r:.80}; accepted are {', '.join(sorted(keys))}"
        )
    return content


def _inputs(entry: dict[str, Any], command: AcceptedCommand, where: str) -> list[str]:
    """Return the texts of the inputs, as many as the command takes."""
    if ("input" in entry) == ("inputs" in entry):
        raise InputError(f"{where}: accepted is either input or inputs")
    given = entry["inputs"] if "inputs" in entry else [entry["input"]]
    if not isinstance(given, list) or not all(isinstance(one, str) for one in given):
        raise InputError(f"{where}: inputs: accepted are paths and URLs")
    if len(given) != command.inputs:
        raise InputError(f"{where}: has {len(given)} inputs; accepted are {command.inputs}")
    return given


def _place(text: Any, folder: str, roots: Sequence[str], where: str) -> str:
    if not isinstance(text, str):
        raise InputError(f"{where}: {text!r:.80} is no path and no URL")
    place = placed(text, folder, where)
    check_inside(place, roots, where)
    return place


def _checked_name(name: Any, where: str) -> str:
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise InputError(
            f"{where}: the name {name!r:.120}; accepted are up to 100 letters, digits and . _ -"
        )
    return name


def _memory(text: Any, where: str) -> int:
    found = _MEMORY.fullmatch(text) if isinstance(text, str) else None
    if found is None or not int(found[1]):
        raise InputError(f"{where}: memory {text!r:.40}; accepted is such as 800 MiB or 4 GiB")
    return int(found[1]) * _UNITS[found[2]]
