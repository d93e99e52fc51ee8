"""A tool of the benchmark: its truth, its shapes, its trajectory and its peers' errors."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.errors import InputError
from autourdf_ros.files.yaml_reading import parse_yaml
from autourdf_ros.model.inertial.inertial_parameters import moved, parameters_from

Array = NDArray[np.float64]


@dataclass(frozen=True)
class ToolTruth:
    """The truth about a tool.

    Attributes:
        parameters: (10,) in the sensor's frame.
        object_in_sensor: (4, 4) pose of the object's frame in the sensor's frame.
    """

    parameters: Array
    object_in_sensor: Array


@dataclass(frozen=True)
class ToolCloud:
    """A tool's cloud.

    Attributes:
        points: (n, 3) m, object frame.
        colours: (n, 3) from 0 to 1.
        parts: (n,) the true part of every point.
    """

    points: Array
    colours: Array
    parts: NDArray[np.int64]


def read_tool_truth(file: Path) -> ToolTruth:
    """Read truth.yaml. Raise InputError where a key is missing."""
    try:
        content = parse_yaml(file.read_text(encoding="utf-8"), str(file))["OBJECT"]
        centre = np.array(content["COM_WRT_MESH"], float)
        inertia = np.array(content["INERTIA_WRT_COM"], float).reshape(3, 3)
        grasp = np.array(content["GRASP_WRT_MESH"], float).reshape(4, 4)
        mass = float(content["MASS"])
    except (OSError, UnicodeDecodeError, KeyError, TypeError, ValueError) as error:
        raise InputError(
            f"{file}: cannot be read: {error}; accepted are MASS, COM_WRT_MESH, INERTIA_WRT_COM "
            "and GRASP_WRT_MESH below OBJECT"
        ) from error
    pose = np.linalg.inv(grasp)
    return ToolTruth(moved(parameters_from(mass, centre, inertia), pose), pose)


def read_tool_cloud(file: Path) -> ToolCloud:
    """Read cloud.ply, ASCII, with colours and the property `segmentation`.

    Raises:
        InputError: it has other properties.
    """
    import trimesh

    try:
        cloud: Any = trimesh.load(file, process=False)
        vertices = cloud.metadata["_ply_raw"]["vertex"]["data"]
        table = {name: np.asarray(vertices[name], float).ravel() for name in _PROPERTIES}
    except Exception as error:  # readers of trimesh have errors of their own
        raise InputError(f"{file}: cannot be read: {error!r}; accepted: {_PROPERTIES}") from error
    if lacking := [name for name in _PROPERTIES if not np.isfinite(table[name]).all()]:
        raise InputError(f"{file}: {lacking[0]} has numbers that are not finite")
    points, colours = ([table[name] for name in names] for names in ("xyz", _PROPERTIES[3:6]))
    return ToolCloud(
        np.column_stack(points),
        np.clip(np.column_stack(colours), 0, 1),
        table["segmentation"].astype(np.int64),
    )


_PROPERTIES = ("x", "y", "z", "red", "green", "blue", "segmentation")


def read_peers(file: Path) -> list[dict[str, Any]]:
    """Return the authors' own errors of a tool; empty where there is no file."""
    if not file.is_file():
        return []
    peers: list[dict[str, Any]] = json.loads(file.read_text())
    return peers
