"""The parameter files of the demo's nodes: the differences from config/*.yaml."""

from __future__ import annotations

import sysconfig
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import yaml
from numpy.typing import NDArray

import autourdf_ros
from autourdf_ros.errors import AutourdfError
from autourdf_ros.model.limits.motion_limits import JointLimits, limits_yaml
from autourdf_ros.model.urdf.simulated_robot import SimulatedRobot
from autourdf_ros.simulation.live.live_cell import MotorOptions, random_start
from autourdf_ros.simulation.simulated_cell import CellOptions
from autourdf_ros.simulation.workspace import ground_height

RESULTS, TRUTH = "results", "truth.json"
"""Names in the folder of the demo."""

FIRST = ("sim_cell", "capture")
"""Nodes that move the robot, which takes longest: others start once the cell has written TRUTH."""

REACH_SAMPLES = 200
REACH = np.radians(80)
"""Largest distance (rad) of a joint from its start: ten frames of 8 degrees."""

SPEED = 0.8  # of the velocity limits: no human is in a simulated cell
MARGIN = 0.05  # m around the robot
MOTORS = MotorOptions()  # of the simulated cell: a URDF has no acceleration limits
DEFAULT_VELOCITY = 1.0  # rad/s or m/s where a URDF has none


@dataclass(frozen=True)
class DemoOptions:
    """What the demo does.

    Attributes:
        robot: a URDF file or a name of example-robot-data.
        seed: of everything random.
        sequences: number of sequences of the capture.
        frames: number of frames of a sequence.
        cameras: number of depth cameras.
    """

    robot: str = "ur5_gripper"
    seed: int = 0
    sequences: int = 2
    frames: int = 10
    cameras: int = 4


def config_folder() -> Path:
    """Return the folder of config/*.yaml: beside the package in a checkout, or as installed."""
    package = Path(autourdf_ros.__file__).parents[1]
    installed = [Path(sysconfig.get_path("data")), *package.parents]
    candidates = [package / "config"]
    candidates += [prefix / "share" / "autourdf_ros" / "config" for prefix in installed]
    for folder in candidates:
        if (folder / "capture.yaml").is_file():
            return folder
    raise AutourdfError(
        "the package's config/*.yaml are not installed; looked in "
        + ", ".join(str(folder) for folder in candidates[:2])
    )


def node_parameters(
    options: DemoOptions, robot: SimulatedRobot, output: Path
) -> dict[str, list[Path | dict[str, Any]]]:
    """Return what every node is given beside its config/*.yaml; write the limits' file.

    `autourdf demo` and launch/demo.launch.py both start these nodes, in this order.

    Args:
        options: of the demo.
        robot: in the cell.
        output: folder of everything that is written.

    Returns:
        Files and values of each node; later ones win.
    """
    limits = write_limits(output / "parameters", robot)
    cell = CellOptions(cameras=options.cameras, ground=True)  # as the node's own default
    start = dict(zip(robot.names, random_start(robot, cell, options.seed).tolist(), strict=True))
    results = str(output / RESULTS)
    return {
        "sim_cell": [sim_cell_parameters(options, output / TRUTH)],
        "capture": [limits, capture_parameters(options, robot, start, output / "recordings")],
        "reconstruction": [
            {
                "output": results,
                "name": robot.name,
                "limits": str(limits),
                "keep_ready": True,
            }
        ],
        "publisher": [{"results_root": results}],
    }


def sim_cell_parameters(options: DemoOptions, truth_file: Path) -> dict[str, Any]:
    """Return the overrides for the simulated cell."""
    return {
        "robot": options.robot,
        "seed": options.seed,
        "cameras": options.cameras,
        "truth_file": str(truth_file),
    }


def capture_parameters(
    options: DemoOptions, robot: SimulatedRobot, start: Mapping[str, float], recordings: Path
) -> dict[str, Any]:
    """Return the overrides for the capture, as its user would write them for the cell.

    Args:
        options: of the demo.
        robot: in the cell.
        start: joint values (rad or m) by name at which the robot stands.
        recordings: folder of the recordings.
    """
    lower, upper = reach(robot, np.array([start[name] for name in robot.names]), options.seed)
    return {
        "allow_motion": True,
        "autostart": True,
        "name": robot.name,
        "recording": str(recordings),
        "speed": SPEED,
        # On its topic, a controller that refuses a target says nothing: 2.5 s each.
        "command_interface": "follow_joint_trajectory",
        # A loaded machine may stall for a moment; no human is at risk.
        "joint_state_timeout": 2.0,
        "cloud_timeout": 20.0,
        "view_timeout": 20.0,
        "sync_slop": 20.0,
        "still_timeout": 10.0,
        "following_lag": 2.0,
        "sequences": options.sequences,
        "frames": options.frames,
        "seed": options.seed,
        "cameras": [f"/camera_{index}/points" for index in range(options.cameras)],
        "box_lower": lower.tolist(),
        "box_upper": upper.tolist(),
        "ground_height": ground_height(robot),
    }


def joint_limits(robot: SimulatedRobot) -> dict[str, JointLimits]:
    """Return the limits of the motors, from the robot's own URDF."""
    limits = {}
    for joint in robot.joints:
        if joint.mimic is None:
            velocity = joint.velocity if np.isfinite(joint.velocity) else DEFAULT_VELOCITY
            slides = joint.kind == "prismatic"
            acceleration = MOTORS.linear_acceleration if slides else MOTORS.acceleration
            limits[joint.name] = JointLimits(joint.lower, joint.upper, velocity, acceleration)
    return limits


def reach(
    robot: SimulatedRobot, start: NDArray[np.float64], seed: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the corners of a box around the space that the robot may fill during a capture.

    Args:
        robot: in the cell.
        start: (J,) joint values at the start (rad or m).
        seed: of the sampled configurations.

    Returns:
        Lower and upper corner, (3,) each (m).
    """
    rng = np.random.default_rng(seed)
    low = np.maximum(robot.lower, start - REACH)
    high = np.minimum(robot.upper, start + REACH)
    samples = (
        robot.follow_mimics(start),
        *(robot.follow_mimics(rng.uniform(low, high)) for _ in range(REACH_SAMPLES)),
    )
    corners = np.concatenate([robot.vertices(values) for values in samples])
    return corners.min(axis=0) - MARGIN, corners.max(axis=0) + MARGIN


def write_parameters(folder: Path, node: str, values: Mapping[str, Any]) -> Path:
    """Write a ROS parameter file for one node; return its path."""
    path = folder / f"{node}.yaml"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(yaml.safe_dump({node: {"ros__parameters": dict(values)}}, sort_keys=False))
    return path


def write_limits(folder: Path, robot: SimulatedRobot) -> Path:
    """Write the joint limits as a parameter file for the capture; return its path."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "limits.yaml"
    path.write_text(limits_yaml(joint_limits(robot), f"Limits of {robot.name}, from its URDF."))
    return path
