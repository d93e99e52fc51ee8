"""Truth of a simulated recording, and its file `truth.json`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.files.durable_files import replace_text
from autourdf_ros.files.file_version import TRUTH_VERSION
from autourdf_ros.model.urdf.simulated_robot import SimulatedRobot

TRUTH_FILE = "truth.json"


def truth_of(robot: SimulatedRobot, reference: NDArray[np.float64]) -> dict[str, Any]:
    """Return joints, bodies and edges of the robot at `reference` (J,), in the fixed frame.

    Returns:
        `joints`: name, type, axis (unit), point (joint's origin, m), parent and child body, lower,
        upper, mimic ({joint, multiplier, offset} or null), and whether the child body is visible.
        `bodies`: their links, and whether they have any visual geometry, so that a camera can see
        them. Body 0 is the fixed one.
    """
    axes, points = robot.axis_lines(reference)
    visible = [surface is not None for surface in robot.surfaces]
    joints = [
        {
            "name": joint.name,
            "type": joint.kind,
            "axis": axes[index].tolist(),
            "point": points[index].tolist(),
            "parent": joint.parent,
            "child": index + 1,
            "lower": joint.lower,
            "upper": joint.upper,
            "mimic": None if joint.mimic is None else vars(joint.mimic),
            "visible": visible[index + 1],
        }
        for index, joint in enumerate(robot.joints)
    ]
    return {
        "robot": robot.name,
        "urdf": str(robot.urdf),
        "dof": int(robot.driven.sum()),
        "joints": joints,
        "edges": [[joint["parent"], joint["child"]] for joint in joints],
        "bodies": [
            {"links": links, "visible": seen}
            for links, seen in zip(robot.links, visible, strict=True)
        ],
        "reference_configuration": dict(zip(robot.names, reference.tolist(), strict=True)),
    }


def write_truth(truth: dict[str, Any], path: Path) -> None:
    """Write `truth` as JSON, whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    replace_text(path, json.dumps({"version": TRUTH_VERSION} | truth, indent=1))
