"""The command that gives a result again."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from autourdf_ros.description.names import legal_names
from autourdf_ros.kinematics.reconstruction import ReconstructionOptions


def command_line(document: Mapping[str, Any]) -> str | None:
    """The shell command by which reconstruction.json came about; None of a recording in memory."""
    source = document["input"]["source"]
    if source is None:
        return None
    options, usual = document["options"], ReconstructionOptions()
    words = ["autourdf", "reconstruct", source, "-o", "OUT"]
    if not options["use_readings"]:
        words.append("--no-readings")
    for name, default in (("links", usual.links), ("points", usual.points)):
        if options[name] != default:
            words += [f"--{name}", str(options[name])]
    stem = Path(source).stem
    if legal_names([stem])[stem] != document["name"]:
        words += ["--name", document["name"]]
    return shlex.join(words)
