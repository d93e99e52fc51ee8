"""The command that gives a parts result again."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from autourdf_ros.data.parts.parts_options import PartsOptions
from autourdf_ros.estimation.parts.assembly_options import AssemblyOptions
from autourdf_ros.shape.urdf_options import DEFAULTS

COMMAND = "assemble"


def choices(document: Mapping[str, Any]) -> list[tuple[str, Any, Any]]:
    """Return (option, what was chosen, what is without it) of `autourdf assemble`."""
    options, assumed, default = document["options"], document["assumed"], AssemblyOptions()
    reading, read = options.get("reading", {}), PartsOptions()
    mass = ("--mass", assumed["total_mass"], None)
    return [
        ("--method", options["method"], default.method),
        ("--root", options["root"], default.root),
        ("--unit", reading.get("unit"), read.unit),
        ("--up", reading.get("up"), read.up),
        ("--split", reading.get("split", False), read.split),
        ("--seed", options["seed"], default.seed),
        # The density follows from a mass.
        ("--density", assumed["density"], DEFAULTS.density) if mass[1] is None else mass,
        ("--shapes", assumed["shapes"], DEFAULTS.shapes),
        ("--show-shapes", assumed["show_shapes"], False),
        ("--collision", assumed["collision"], DEFAULTS.collision),
        ("--usd", options["usd"], False),
    ]
