"""Files of this package say what they are, and in which version."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from autourdf_ros.errors import InputError

TRUTH_VERSION = 1
"""Of truth.json, which the simulation writes; one written by hand may have none."""

RECORDING_VERSION = 1
"""Of recordings; those from before there were versions have none, and are read."""

BENCHMARK_FORMAT, BENCHMARK_VERSION = "autourdf_ros/benchmark", 1
"""Of what `autourdf benchmark` saves; one from before there were versions has none, and is read."""


def check_version(path: Path, content: Mapping[str, Any], form: str, accepted: int) -> None:
    """Raises InputError where a file is of another version; else, where it is not `form`, others.

    These are KeyError, TypeError and ValueError: what a reader takes for damage.
    """
    if content["format"] != form:
        raise ValueError(f"its format is {content['format']!r}")
    if content["version"] != accepted:
        raise InputError(
            f"{path}: has version {content['version']!r}; accepted is {accepted}, what this "
            "autourdf_ros reads"
        )
