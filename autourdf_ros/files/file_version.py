"""Formats and versions of the files of this package."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from autourdf_ros.errors import InputError

TRUTH_VERSION = 1
"""Version of truth.json, which the simulation writes; a file written by hand may have none."""

RECORDING_VERSION = 1
"""Version of recordings; a recording without a version is read."""

BENCHMARK_FORMAT, BENCHMARK_VERSION = "autourdf_ros/benchmark", 1
"""Format and version of what `autourdf benchmark` saves; a file without a version is read."""


def check_version(path: Path, content: Mapping[str, Any], form: str, accepted: int) -> None:
    """Check `format` and `version` of a file's content.

    Args:
        path: names the file in errors.

    Raises:
        InputError: it is of another version.
        KeyError, TypeError, ValueError: it is not `form`; readers treat these as damage.
    """
    if content["format"] != form:
        raise ValueError(f"its format is {content['format']!r}")
    if content["version"] != accepted:
        raise InputError(
            f"{path}: has version {content['version']!r}; accepted is {accepted}, what this "
            "autourdf_ros reads"
        )
