"""The nodes of the demo, started as processes."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from autourdf_ros.demo.parameters import (
    FIRST,
    DemoOptions,
    config_folder,
    node_parameters,
    write_parameters,
)
from autourdf_ros.demo.processes import ProcessGroups
from autourdf_ros.demo.running_demo import RunningDemo
from autourdf_ros.model.urdf.simulated_robot import SimulatedRobot


def start_nodes(
    options: DemoOptions,
    robot: SimulatedRobot,
    output: Path,
    processes: ProcessGroups,
    running: RunningDemo,
) -> None:
    """Start the simulated cell and the nodes: first what moves the robot, which takes longest.

    The others import for seconds, and are needed later.

    Args:
        options: of the demo.
        robot: in the cell.
        output: folder of everything that is written.
        processes: end with their context.
        running: listens already, and waits for the cell.
    """
    for node, more in node_parameters(options, robot, output).items():
        if node not in FIRST:
            running.until_the_cell_is_ready()
        command = [sys.executable, "-m", f"autourdf_ros.ros.{node}.{node}_node", "--ros-args"]
        for file in _files(node, more, output / "parameters"):
            command += ["--params-file", str(file)]
        processes.start(node, command)


def _files(node: str, more: list[Path | dict[str, Any]], folder: Path) -> list[Path]:
    """Return the parameter files of a node, and write those that are not there yet."""
    files = [config_folder() / f"{node}.yaml"]
    for entry in more:
        files.append(entry if isinstance(entry, Path) else write_parameters(folder, node, entry))
    return files
