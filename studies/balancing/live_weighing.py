"""The identification node weighs a tool in the simulated cell: two processes and a client."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TypeAlias

import numpy as np
import rclpy
from autourdf_msgs.action import Identify
from geometry_msgs.msg import Point, Pose, Quaternion
from numpy.typing import NDArray
from own_domain import enter_own_domain
from rclpy.action import ActionClient
from rclpy.node import Node
from scipy.spatial.transform import Rotation

from autourdf_ros.export.payload.payload_files import DOCUMENT
from autourdf_ros.model.inertial.inertial_parameters import (
    PARAMETERS,
    mass_centre_inertia,
    moved,
)
from autourdf_ros.model.urdf.robot_library import find_urdf
from autourdf_ros.model.urdf.simulated_robot import SimulatedRobot
from balancing.cell_records import STUDY_CELL
from balancing.disc_scene import BalancedTool

Array = NDArray[np.float64]
Process: TypeAlias = "subprocess.Popen[bytes]"

ACCELERATION = 3.0
"""rad/s² of the cell's motors, and in the plans of the node."""
RATE = 40.0
"""Records a second: what the node's process hears in time on a machine with two cores."""
LONGEST = 300.0
"""s for one weighing, on a busy machine."""
START = 240.0
"""s until a node offers its action, likewise."""
ATTEMPTS = 3
"""Of a weighing whose robot was stopped, as where the machine leaves the cell no time."""
STOPPED = "stopped"
_NODE = "autourdf_ros.ros.{0}.{0}_node"


@dataclass(frozen=True)
class LiveOptions:
    """How the node weighs.

    Attributes:
        joints: Whether by the efforts of the joints, not by the wrist's sensor.
        speed: Share of the robot's velocity limits.
    """

    joints: bool = False
    speed: float = 0.7


class WeighingFailedError(Exception):
    """The node did not find the payload in its records."""


class StoppedError(Exception):
    """The robot was stopped before all was recorded; the weighing may be repeated."""


class LiveWeighing:
    """A client of the node's action, while the cell's robot holds one tool."""

    def __init__(
        self, node: Node, shape: Path, object_in_sensor: Array, processes: list[Process]
    ) -> None:
        """Prepare the goal.

        Args:
            node: The client's.
            shape: File of the tool's shape.
            object_in_sensor: (4, 4) pose of the tool's frame in the sensor's.
            processes: Of cell and node.
        """
        self._node, self._processes = node, processes
        self._client = ActionClient(node, Identify, "/identification/identify")
        turn = Rotation.from_matrix(object_in_sensor[:3, :3]).as_quat().tolist()
        place = object_in_sensor[:3, 3].tolist()
        pose = Pose(
            position=Point(**dict(zip("xyz", place, strict=True))),
            orientation=Quaternion(**dict(zip("xyzw", turn, strict=True))),
        )
        self._goal = Identify.Goal(shape=str(shape), pose=pose)

    def parameters(self) -> Array:
        """Let the node weigh; return the parameters (10,) in the sensor's frame.

        Raises:
            WeighingFailedError, StoppedError: with the node's reason.
        """
        due = time.monotonic() + START
        while not self._client.wait_for_server(1.0):
            if time.monotonic() > due or any(one.poll() is not None for one in self._processes):
                raise StoppedError("the node offers no action; its log may say why")
        stages: list[str] = []
        handle = self._spun(
            self._client.send_goal_async(
                self._goal, feedback_callback=lambda one: stages.append(one.feedback.stage)
            )
        )
        if not handle.accepted:
            raise StoppedError("the node refuses the goal")
        result = self._spun(handle.get_result_async()).result
        if not result.success:
            estimated = not {"estimating", "writing"}.isdisjoint(stages)
            raise (WeighingFailedError if estimated else StoppedError)(result.message)
        document = json.loads((Path(result.folder) / DOCUMENT).read_text())
        centre = ", ".join(f"{1e3 * one:.2f}" for one in document["std"]["centre_of_mass"])
        std = f"{1e3 * document['std']['mass']:.1f} g, {centre} mm"
        print(f"{result.message}; deviations {std}", flush=True)
        return np.array([document["parameters"][name] for name in PARAMETERS])

    def _spun(self, future: Any) -> Any:
        rclpy.spin_until_future_complete(self._node, future, timeout_sec=LONGEST)
        if not future.done():
            raise StoppedError(f"no answer in {LONGEST:g} s")
        return future.result()


@contextmanager
def live_weighing(
    tool: BalancedTool,
    shape: Path,
    object_in_sensor: Array,
    noise: tuple[float, float],
    out: Path,
    seed: int = 0,
    options: LiveOptions = LiveOptions(),
) -> Iterator[LiveWeighing]:
    """Run the cell with a tool in its robot's hand, and the node; rclpy has to be up.

    Args:
        tool: That the robot holds.
        shape: File of its mesh or cloud.
        object_in_sensor: (4, 4) pose of the tool's frame in the sensor's.
        noise: Standard deviations of force (N) and torque (N m).
        out: Folder for parameters and payloads.
        seed: Of the cell: its robot's start, and noise.
        options: Of the node.
    """
    out.mkdir(parents=True, exist_ok=True)
    held = moved(tool.parameters, object_in_sensor)
    node = rclpy.create_node("weighing_client")
    with ExitStack() as stack:
        stack.callback(node.destroy_node)
        nodes = {
            "sim_cell": _cell_parameters(held, noise, seed),
            "identification": _node_parameters(out, options),
        }
        processes = [stack.enter_context(_process(*given, out)) for given in nodes.items()]
        yield LiveWeighing(node, shape, object_in_sensor, processes)


def _cell_parameters(held: Array, noise: tuple[float, float], seed: int) -> dict[str, Any]:
    mass, centre, tensor = mass_centre_inertia(held)
    places = ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))
    inertial = [mass, *centre.tolist(), *(float(tensor[one]) for one in places)]
    wrench = {"link": STUDY_CELL.link, "force_noise": noise[0], "torque_noise": noise[1]}
    small = {"cameras": 1, "width": 16, "height": 16, "camera_rate": 0.05, "clutter": 0}
    return {
        "robot": STUDY_CELL.robot,
        "seed": seed,
        "acceleration": ACCELERATION,
        "joint_state_rate": RATE,
        "wrench": wrench | {"bias": list(STUDY_CELL.bias)},
        "object": {"inertial": inertial},
        **small,
    }


def _node_parameters(out: Path, options: LiveOptions) -> dict[str, Any]:
    urdf = find_urdf(STUDY_CELL.robot)
    joints = [joint for joint in SimulatedRobot(urdf).joints if joint.mimic is None]
    limits = {
        joint.name: {
            "lower": max(joint.lower, -np.pi),
            "upper": min(joint.upper, np.pi),
            "velocity": joint.velocity,
            "acceleration": ACCELERATION,
        }
        for joint in joints
    }
    return {
        "allow_motion": True,
        "joints": [joint.name for joint in joints],
        **limits,
        "model": str(urdf),
        "minimum_height": 0.0,
        "command_interface": "joint_trajectory",
        "speed": options.speed,
        "dwell": STUDY_CELL.rest,
        "source": "efforts" if options.joints else "wrench",
        "gain": 0.0,  # the cell's sensor is exact but for noise and bias
        "sensor_link": STUDY_CELL.link,
        "payloads": str(out / "payloads"),
        # Processes of a busy machine are silent for longer than those of a robot.
        **dict.fromkeys(("joint_state_timeout", "wrench_timeout"), 5.0),
        "still_timeout": 30.0,
        "following_lag": 2.0,
    }


@contextmanager
def _process(name: str, parameters: dict[str, Any], out: Path) -> Iterator[Process]:
    file = out / f"{name}.yaml"
    file.write_text(json.dumps({name: {"ros__parameters": parameters}}))
    with (out / f"{name}.log").open("w") as log:
        command = [sys.executable, "-m", _NODE.format(name), "--ros-args", "--params-file", file]
        process = subprocess.Popen(command, stdout=log, stderr=log)
        try:
            yield process
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait(60)


def live_parameters(
    tool: BalancedTool,
    shape: Path,
    object_in_sensor: Array,
    noise: tuple[float, float],
    draws: Sequence[int],
    options: LiveOptions = LiveOptions(),
) -> Iterator[Array | str]:
    """Yield the parameters (10,) of weighings in the sensor's frame, or why there are none.

    The nodes run on a domain of their own. A robot that was stopped goes on from where it stands.

    Args:
        tool: That the robot holds.
        shape: File of its mesh or cloud.
        object_in_sensor: (4, 4) pose of the tool's frame in the sensor's.
        noise: Standard deviations of force (N) and torque (N m).
        draws: Numbers of the weighings; the first is the seed of the cell.
        options: Of the node.
    """
    with TemporaryDirectory() as folder, enter_own_domain(Path(folder)), ExitStack() as stack:
        rclpy.init()
        stack.callback(rclpy.try_shutdown)
        given = tool, shape, object_in_sensor, noise, Path(folder), draws[0], options
        live = stack.enter_context(live_weighing(*given))
        for _ in draws:
            yield _weighed(live)


def _weighed(live: LiveWeighing) -> Array | str:
    for _ in range(ATTEMPTS):
        try:
            return live.parameters()
        except StoppedError as error:
            reason = f"{STOPPED}: {error}"
            print(reason, flush=True)
        except WeighingFailedError as error:
            return str(error)
    return reason
