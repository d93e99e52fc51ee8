"""The command that gives a result of a video again."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from autourdf_ros.shape.urdf_options import DEFAULTS

COMMAND = "mechanism"


def choices(document: Mapping[str, Any]) -> list[tuple[str, Any, Any]]:
    """Return (option, what was chosen, what is without it) of `autourdf mechanism`."""
    options, assumed = document["options"], document["assumed"]
    mass = ("--mass", assumed["total_mass"], None)
    return [
        ("--shapes", options.get("shapes"), None),
        ("--method", options.get("method"), "likelihood"),
        ("--forces", options.get("forces"), None),
        ("--no-dynamics", not options.get("dynamics", True), False),
        ("--seed", options.get("seed", 0), 0),
        # The density follows from a mass.
        ("--density", assumed["density"], DEFAULTS.density) if mass[1] is None else mass,
    ]
