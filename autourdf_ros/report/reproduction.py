"""The command that gives a result again."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from autourdf_ros.model.names import legal_names
from autourdf_ros.model.result_files import ASSEMBLY
from autourdf_ros.report.assembly import assembly_command
from autourdf_ros.report.motion import motion_command


def command_line(document: Mapping[str, Any]) -> str | None:
    """Return the shell command that gives a result again; None of data in memory."""
    source = document["input"]["source"]
    if source is None:
        return None
    estimator = assembly_command if ASSEMBLY in document else motion_command
    words = ["autourdf", estimator.COMMAND, source, "-o", "OUT"]
    for option, given, default in estimator.choices(document):
        if given != default:
            values = given if isinstance(given, list) else [given]
            words += [option] if given is True else [option, *map(str, values)]
    stem = Path(source).resolve().stem
    if legal_names([stem])[stem] != document["name"]:
        words += ["--name", document["name"]]
    return shlex.join(words)
