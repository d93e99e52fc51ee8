"""The command that gives a reconstruction from motion again."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from autourdf_ros.estimation.motion.reconstruction import ReconstructionOptions
from autourdf_ros.shape.urdf_options import DEFAULTS

COMMAND = "reconstruct"


def choices(document: Mapping[str, Any]) -> list[tuple[str, Any, Any]]:
    """Return (option, what was chosen, what is without it) of `autourdf reconstruct`."""
    options, assumed = document["options"], document["assumed"]
    default, neural = ReconstructionOptions(), document["options"]["neural"]
    mass = ("--mass", assumed["total_mass"], None)
    return [
        ("--no-readings", not options["use_readings"], False),
        ("--prior", options.get("prior"), default.prior),
        ("--links", options["links"], default.links),
        ("--points", options["points"], default.points),
        ("--method", options["method"], default.method),
        ("--registration", options["registration"], default.registration),
        ("--clusters", neural["clusters"], default.neural.clusters),
        ("--rates", list(neural["rates"]), list(default.neural.rates)),
        ("--device", neural["device"], default.neural.device),
        ("--seed", neural["seed"], default.neural.seed),
        ("--limits", options["limits"], None),
        # The density follows from a mass.
        ("--density", assumed["density"], DEFAULTS.density) if mass[1] is None else mass,
        ("--triangles", assumed["visual_triangles"], DEFAULTS.visual_triangles),
        ("--shapes", assumed["shapes"], DEFAULTS.shapes),
        ("--show-shapes", assumed["show_shapes"], False),
        ("--collision", assumed["collision"], DEFAULTS.collision),
        ("--usd", options["usd"], False),
    ]
