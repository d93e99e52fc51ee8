"""The identity of a run: its case, its seeds and the code that ran it."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

from autourdf_ros.benchmark.cases.suites import Case
from autourdf_ros.files.code_digest import code_digest
from autourdf_ros.model.urdf.robot_library import find_urdf


def run_key(case: Case, sequences: int) -> dict[str, Any]:
    """Return everything that determines a row, as JSON values.

    Args:
        case: What is measured.
        sequences: How many of its recording are used.

    Returns:
        The case with all options; the sequences; the seeds of recording, disturbance and method;
        a digest of the robot's URDF or of the recording; a digest of the package's code.

    Raises:
        InputError: The robot does not exist.
    """
    return {
        "case": repr(case),
        "sequences": sequences,
        "seeds": {
            "recording": None if case.options is None else case.options.seed,
            "disturbance": case.disturbance.seed,
            "method": case.neural.seed,
        },
        "input": _input_digest(case),
        "code": code_digest(),
    }


def _input_digest(case: Case) -> str:
    """Digest the URDF that is recorded, or a recording's file names, sizes and times."""
    if case.options is not None:
        return hashlib.sha256(find_urdf(case.robot).read_bytes()).hexdigest()[:16]
    folder = Path(case.robot)
    total = hashlib.sha256()
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        status = path.stat()
        name = path.relative_to(folder).as_posix()
        total.update(f"{name} {status.st_size} {status.st_mtime_ns}\0".encode())
    return total.hexdigest()[:16]
