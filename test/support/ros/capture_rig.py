"""The capture node as a process of its own or in this one, on a robot that is another process."""

import json
import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import rclpy
from diagnostic_msgs.msg import DiagnosticArray
from live import LATCHED, trigger
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from rclpy.parameter import Parameter
from std_msgs.msg import String
from std_srvs.srv import Trigger
from trajectory_msgs.msg import JointTrajectory
from visualization_msgs.msg import MarkerArray

from autourdf_ros.data.load import load_recording
from autourdf_ros.ros.capture.capture_node import CaptureNode
from autourdf_ros.ros.cell.commander import Commander
from autourdf_ros.ros.cell.follow_commander import FollowJointTrajectoryCommander

REPEATED = {
    "start": "already capturing",
    "resume_recording": "already capturing",
    "stop": "nothing to stop",
    "pause": "already paused",
    "resume": "nothing to resume",
    "home": "already moving",
    "record_background": "already capturing",
}
LIMITS = {"lower": -1.0, "upper": 1.0, "velocity": 2, "acceleration": 8.0}
PARAMETERS = {
    "allow_motion": True,
    "cameras": ["/camera_0/points"],
    "joints": ["pan", "tilt"],
    "pan": LIMITS,
    "tilt": LIMITS,
    "sequences": 2,
    "frames": 3,
    "speed": 1.0,
    "still_window": 0.2,
    "joint_state_timeout": 3.0,
    "cloud_timeout": 5.0,
    "points": 2000,
    "start_timeout": 0.0,  # refusals are said at once
}
START = (0.2, -0.1)
ACTION = {"command_interface": "follow_joint_trajectory"}
# Appearance of the fake robot.
URDF = """<robot name="r"><link name="base_link"/><link name="one"/>
<link name="two"><collision><origin xyz="0.15 0 0.05"/>
<geometry><box size="0.3 0.08 0.08"/></geometry></collision></link>
<joint name="pan" type="revolute"><parent link="base_link"/><child link="one"/><axis xyz="0 0 1"/>
<limit lower="-1" upper="1" velocity="2" effort="9"/></joint>
<joint name="tilt" type="revolute"><parent link="one"/><child link="two"/>
<origin xyz="0 0 0.5"/><axis xyz="0 1 0"/>
<limit lower="-0.8" upper="0.8" velocity="2" effort="9"/></joint></robot>"""
# Beside its arm, which comes there when it pans to the left by more than 0.1 rad.
WALL = {"lower": [0.1, 0.14, 0.0], "upper": [0.5, 0.2, 1.0]}


class Robot:
    """The fake robot, a process that serves all tests."""

    def __init__(self):
        self.commands: list[str] = []
        self.heard: list[float] = []  # when the commands came (s)
        self.stood: list[float] = []  # when it came to rest (s)
        self.done = 0.0  # when the latest fault began
        self._begin()

    def _begin(self):
        self.process = start_process(str(Path(__file__).with_name("fake_robot.py")))
        threading.Thread(target=self._listen, args=(self.process,), daemon=True).start()

    def end(self):
        """Let the process sign off; otherwise the others would count it as alive for 20 s."""
        self.process.terminate()
        self.process.wait(30)

    def lose(self):
        """Kill the process."""
        self.done = time.monotonic()
        self.process.kill()
        self.process.wait()

    def renew(self):
        """Replace the process. A reader that is killed while it reads leaves its lock on a part of
        the memory that Fast DDS shares with it, and the clouds of this writer then get lost.
        """
        if self.process.poll() is None:
            self.end()
        self._begin()

    def do(self, line: str):
        """One of the faults of fake_robot.py, or `reset`."""
        self.done = time.monotonic()
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def _listen(self, process):
        for line in process.stdout:
            now = time.monotonic()
            if line == "stands\n":
                self.stood.append(now)
            else:
                self.heard.append(now)
                self.commands.append(line.strip())


class Cell:
    """Runs the capture node, and talks to it as any other node would."""

    def __init__(self, folder: Path):
        self.folder = folder
        self.node = rclpy.create_node("observer")
        self.executor = SingleThreadedExecutor()
        self.executor.add_node(self.node)
        self.diagnostics: list[tuple[str, dict[str, str]]] = []
        self.levels: dict[str, bytes] = {}  # by message
        self.completed: list[str] = []
        self.plans: list[JointTrajectory] = []
        self.markers: list[MarkerArray] = []
        self.answer = ""
        self.node.create_subscription(DiagnosticArray, "/diagnostics", self._diagnose, 10)
        self.node.create_subscription(
            String, "/capture/completed", lambda m: self.completed.append(m.data), LATCHED
        )
        self.node.create_subscription(JointTrajectory, "/capture/plan", self.plans.append, LATCHED)
        self.node.create_subscription(
            MarkerArray, "/capture/plan_markers", self.markers.append, LATCHED
        )
        self.clients = {
            name: self.node.create_client(Trigger, f"/capture/{name}") for name in REPEATED
        }
        self.capture: CaptureNode | None = None
        self.process: subprocess.Popen | None = None
        self.thread = threading.Thread(target=self.executor.spin)
        self.thread.start()

    def start_capture(self, **changes):
        """Run the node in this process."""
        parameters = PARAMETERS | {"recording": str(self.folder / "recordings")} | changes
        self.capture = CaptureNode(parameter_overrides=overrides(parameters))
        self.executor.add_node(self.capture)

    def start_capture_process(self, script="", **changes) -> subprocess.Popen:
        """Run the node, or a script of this folder that does so, in a process of its own."""
        module = ["-m", "autourdf_ros.ros.capture.capture_node"]
        runs = [str(Path(__file__).with_name(f"{script}.py"))] if script else module
        file = self.write_parameters(**changes)
        self.process = start_process(*runs, "--ros-args", "--params-file", str(file))
        return self.process

    def write_parameters(self, **changes) -> Path:
        """A file of parameters for a process."""
        parameters = PARAMETERS | {"recording": str(self.folder / "recordings")} | changes
        file = self.folder / "capture.yaml"
        file.write_text(parameter_text(parameters))
        return file

    @property
    def log(self) -> Path:
        """What a fork printed."""
        return self.folder / "capture.yaml.log"

    def call(self, name: str) -> Trigger.Response:
        response = trigger(self.clients[name], self.until, REPEATED[name])
        self.answer = response.message
        return response

    def start(self):
        """Call ~/start until the node has found everything it needs."""
        end = time.monotonic() + 90.0
        while not self.call("start").success:
            assert time.monotonic() < end, f"does not start: {self.answer}"
            time.sleep(0.1)

    def until(self, condition, timeout=90.0):
        end = time.monotonic() + timeout
        while not condition():
            assert time.monotonic() < end, (
                f"never happened; last: {self.diagnostics[-1:]}, answer: {self.answer!r}"
            )
            time.sleep(0.01)

    def until_said(self, text: str):
        self.until(lambda: any(text in message for message, _ in self.diagnostics))

    def until_frame(self, count: int):
        self.until(lambda: self.diagnostics and int(self.diagnostics[-1][1]["frame"]) >= count)

    def recordings(self) -> list[Path]:
        return sorted((self.folder / "recordings").glob("*"))

    def until_closed(self):
        """Wait until the session has ended its recording, which is after it has said why."""
        self.until(lambda: not self.capture._runner.running)

    def stands(self) -> bool:
        """Whether the robot stands still, as the capture node reads it, once it has read enough."""
        history = self.capture._cell.history
        speeds = []

        def reported() -> bool:
            newest = history.latest[0]
            speeds.append(history.fastest(newest - 0.2, newest))
            return speeds[-1] is not None

        self.until(reported)
        return speeds[-1][1] <= 0.02

    def here(self) -> list[float]:
        """Where the robot is, as the capture node reads it."""
        return list(self.capture._cell.history.latest[1].values())

    def stop_capture(self):
        self.until(self.capture.end)
        self.spun(self.capture.close)
        self.executor.remove_node(self.capture)
        commander = self.capture._cell._commander
        self.spun(destroy, self.capture, commander)
        self.capture = None

    def spun(self, work, *given):
        """Have it done by the thread that spins, which else might wait for what is destroyed."""
        self.until(self.executor.create_task(work, *given).done)

    def close(self):
        if self.capture is not None:
            self.stop_capture()
        if self.process is not None:
            self.process.terminate()
            self.process.communicate(timeout=30)
        # By the thread that spins, which else might come to wait without what would wake it.
        self.executor.create_task(self.executor.shutdown)
        self.thread.join(30)
        assert not self.thread.is_alive()
        self.node.destroy_node()

    def _diagnose(self, message: DiagnosticArray):
        for status in message.status:
            if status.name == "capture":
                values = {pair.key: pair.value for pair in status.values}
                self.diagnostics.append((status.message, values))
                self.levels[status.message] = status.level


def destroy(node: Node, commander: Commander | None):
    """Destroy a node, and the action client by which it commands.

    rclpy leaves that to the garbage collector, and others take it for somebody who may command.
    """
    if isinstance(commander, FollowJointTrajectoryCommander):
        commander._client.destroy()
    node.destroy_node()


def is_alive(process: int) -> bool:
    try:
        state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


class Forks:
    """A process that has imported the capture node, and forks one after the other, which is soon.

    They use no shared memory: a reader that is killed while it reads leaves its lock on a part of
    its writer's. With the range LOCALHOST rmw_fastrtps adds that memory whatever is configured.
    """

    def __init__(self):
        script = str(Path(__file__).with_name("capture_forks.py"))
        self._process = start_process(
            script,
            FASTDDS_DEFAULT_PROFILES_FILE=str(Path(__file__).with_name("no_shared_memory.xml")),
            ROS_AUTOMATIC_DISCOVERY_RANGE="SYSTEM_DEFAULT",
        )
        self._started: list[int] = []
        threading.Thread(target=self._listen, daemon=True).start()

    def start(self, cell: Cell, **changes) -> int:
        """Process id of a new capture node."""
        self._started.clear()
        self._process.stdin.write(f"{cell.write_parameters(**changes)}\n")
        self._process.stdin.flush()
        cell.until(lambda: self._started)
        return self._started[0]

    def run(self, cell: Cell, **changes) -> tuple[str, str]:
        """What a capture node that ends by itself printed, and its exit code."""
        node = self.start(cell, **changes)
        cell.until(lambda: not is_alive(node))
        output, _, code = cell.log.read_text().rpartition("exit ")
        return output, code

    def end(self):
        self._process.kill()
        self._process.wait()

    def _listen(self):
        for line in self._process.stdout:
            self._started.append(int(line))


def start_process(*arguments: str, **environment: str) -> subprocess.Popen:
    return subprocess.Popen(
        [sys.executable, *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env=os.environ | {"PYTHONPATH": str(Path(__file__).parents[3])} | environment,
    )


def markers_of(cell: Cell) -> list:
    """What ~/plan_markers shows."""
    cell.until(lambda: cell.markers)
    return cell.markers[-1].markers


def until_moving(cell: Cell, robot: Robot):
    cell.until(lambda: robot.commands)


def until_under_way(cell: Cell, robot: Robot):
    """Wait until every joint has come so far that it cannot pass for one that never began."""
    until_moving(cell, robot)
    cell.until(lambda: np.abs(np.subtract(cell.here(), START)).min() > 0.05)


def reset(cell: Cell, robot: Robot):
    """End the faults, put the robot where it began, and forget its commands."""
    robot.commands.clear()
    robot.do("reset")
    cell.until(lambda: "reset" in robot.commands)
    robot.commands.clear()
    robot.heard.clear()
    robot.stood.clear()


def until_held(cell: Cell, robot: Robot, fault: str):
    """Wait for the command after the first, which holds the robot, and until it stands.

    Prints how soon.
    """
    cell.until(lambda: len(robot.commands) == 2)
    cell.until(lambda: robot.stood and robot.stood[-1] > robot.done)
    held, stood = robot.heard[1] - robot.done, robot.stood[-1] - robot.done
    print(f"FAULT {fault}: {held:.2f} s to the command that holds, {stood:.2f} s until it stands")


def until_ended(cell: Cell, robot: Robot, fault: str, message: str):
    """Wait for the message of a fault while the robot stands; print how soon it came."""
    cell.until_said(f"stopped: {message}")
    print(f"FAULT {fault}: {time.monotonic() - robot.done:.2f} s to the message")


def assert_kept(cell: Cell):
    """Every frame that the node counted is in its recording, whole, and no other."""
    cell.until_closed()
    (recording,) = cell.recordings()
    frames = load_recording(recording).frames
    assert len(frames) == int(cell.diagnostics[-1][1]["frame"]) > 0
    for frame in frames:
        assert len(frame.points) > 500 and np.isfinite(frame.points).all()


def assert_silent(robot: Robot, seconds: float = 0.5):
    count = len(robot.commands)
    time.sleep(seconds)
    assert len(robot.commands) == count


def overrides(parameters: dict) -> list[Parameter]:
    flat = {}
    for name, value in parameters.items():
        fields = value if isinstance(value, dict) else {"": value}
        flat |= {f"{name}.{field}".rstrip("."): entry for field, entry in fields.items()}
    return [Parameter(name, value=value) for name, value in flat.items()]


def events(recording: Path) -> list[dict]:
    from rosbags.highlevel import AnyReader

    with AnyReader([recording]) as reader:
        chosen = [c for c in reader.connections if c.topic == "/autourdf/events"]
        return [
            json.loads(reader.deserialize(data, connection.msgtype).data)
            for connection, _, data in reader.messages(chosen)
        ]


def parameter_text(parameters: dict) -> str:
    # JSON is YAML without the aliases that the parser of parameter files refuses.
    text = json.dumps({"capture": {"ros__parameters": parameters}})
    return text.replace("NaN", ".nan").replace("-Infinity", "-.inf")
