"""Wrenches of a tool that the robot of the simulated cell holds and turns, with stops."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.data.wrenches.wrench_recording import WrenchRecording
from autourdf_ros.data.wrenches.wrench_table import recording_of_poses
from autourdf_ros.model.inertial.inertial_parameters import moved
from autourdf_ros.model.urdf.robot_library import find_urdf
from autourdf_ros.model.urdf.simulated_robot import SimulatedRobot
from autourdf_ros.simulation.live.controller_commands import RefusedError
from autourdf_ros.simulation.live.force_sensing import ForceOptions, WristOptions
from autourdf_ros.simulation.live.held_object import HeldObject
from autourdf_ros.simulation.live.live_cell import LiveCell, MotorOptions
from autourdf_ros.simulation.simulated_cell import CellOptions
from balancing.disc_scene import BalancedTool

Array = NDArray[np.float64]


@dataclass(frozen=True)
class CellOptionsOfStudy:
    """The cell.

    Attributes:
        robot: Name of the robot.
        link: That holds the tool, at the sensor.
        stops: Orientations at which the robot stops.
        rest: s at each.
        rate: Records a second.
        speed: Share of the robot's velocity limits: slow, as beside people.
        bias: (6,) of the sensor (N, N m), which is estimated with the load: what is left after it
            was tared, and less than the weight of the lightest tool.
        turn: rad of a joint from one stop to the next, at most.
    """

    robot: str = "ur5_gripper"
    link: str = "tool0"
    stops: int = 12
    rest: float = 0.5
    rate: float = 100.0
    speed: float = 0.3
    bias: tuple[float, ...] = (0.1, -0.05, 0.1, 0.002, -0.003, 0.002)
    turn: float = 1.2


STUDY_CELL = CellOptionsOfStudy()


def cell_recording(
    tool: BalancedTool,
    object_in_sensor: Array,
    noise: tuple[float, float],
    seed: int,
    options: CellOptionsOfStudy = STUDY_CELL,
) -> WrenchRecording:
    """Return what the cell's sensor reads while the robot goes to random orientations and stops.

    Args:
        tool: That it holds.
        object_in_sensor: (4, 4) pose of the tool's frame in the sensor's.
        noise: Standard deviations of force (N) and torque (N m).
        seed: Of noise, start and stops.
        options: Of the cell.
    """
    held = HeldObject(options.link, moved(tool.parameters, object_in_sensor))
    wrist = WristOptions(options.link, *noise, options.bias)
    cell = LiveCell(
        SimulatedRobot(find_urdf(options.robot)),
        CellOptions(cameras=1, width=16, height=16, elevations=(15, 60), ground=True),
        MotorOptions(velocity_scale=options.speed),
        seed=seed,
        forces=ForceOptions(wrist, None, held),
    )
    rng = np.random.default_rng(seed)
    ticks = _Ticks(cell, 1 / options.rate)
    for _ in range(options.stops):
        _command_near(cell, options.turn, rng)
        ticks.run_until_rest(options.rest)
    return ticks.recording(f"simulated cell, seed {seed}")


def _command_near(cell: LiveCell, most: float, rng: np.random.Generator) -> None:
    """Command a random free configuration near the present one."""
    here = np.array(list(cell.readings()[0].values()))
    while True:
        try:
            return cell.go_to((here + rng.uniform(-most, most, len(here))).tolist())
        except RefusedError:
            continue


class _Ticks:
    """Runs a cell, and keeps what its wrist reads."""

    def __init__(self, cell: LiveCell, period: float) -> None:
        self._cell, self._period = cell, period
        self._times: list[float] = []
        self._poses: list[Array] = []
        self._wrenches: list[Array] = []

    def run_until_rest(self, rest: float) -> None:
        """Let the robot move and then rest for some seconds."""
        still = 0.0
        while still < rest:
            self._cell.advance((len(self._times) + 1) * self._period)
            still = 0.0 if self._cell.is_moving else still + self._period
            wrench = self._cell.forces().wrench
            assert wrench is not None
            self._times.append(len(self._times) * self._period)
            self._poses.append(self._cell.sensor_pose(self._cell.readings()[0]))
            self._wrenches.append(wrench)

    def recording(self, source: str) -> WrenchRecording:
        """Return all records."""
        records = np.array(self._times), np.array(self._poses), np.array(self._wrenches)
        return recording_of_poses(*records, source)
