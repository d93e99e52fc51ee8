"""The command that gives a result again."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from autourdf_ros.model.names import legal_names
from autourdf_ros.model.result_files import ASSEMBLY, IMAGES_ALONE, MECHANISM
from autourdf_ros.report.appearance import image_command
from autourdf_ros.report.assembly import assembly_command
from autourdf_ros.report.mechanism import mechanism_command
from autourdf_ros.report.motion import motion_command


def command_line(document: Mapping[str, Any]) -> str | None:
    """Return the shell command that gives a result again; None of data in memory."""
    source = document["input"]["source"]
    if source is None:
        return None
    command, choices = _estimator(document)
    words = ["autourdf", command, source, "-o", "OUT"]
    for option, given, default in choices(document):
        if given != default:
            values = given if isinstance(given, list) else [given]
            words += [option] if given is True else [option, *map(str, values)]
    stem = Path(source).resolve().stem
    if legal_names([stem])[stem] != document["name"]:
        words += ["--name", document["name"]]
    return shlex.join(words)


def _estimator(
    document: Mapping[str, Any],
) -> tuple[str, Callable[[Mapping[str, Any]], list[tuple[str, Any, Any]]]]:
    """Name of the command that wrote a result, and what says its options."""
    if ASSEMBLY in document:
        return assembly_command.COMMAND, assembly_command.choices
    if MECHANISM in document:
        return mechanism_command.COMMAND, mechanism_command.choices
    if IMAGES_ALONE in document:
        return image_command.COMMAND, image_command.choices
    return motion_command.COMMAND, motion_command.choices
