"""The capture node as a process of its own, on a robot that is another."""

import json
import math
import os
import re
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import ClassVar

import numpy as np
import pytest
import rclpy
import yaml
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from live import LATCHED, trigger
from rclpy.executors import SingleThreadedExecutor
from rclpy.parameter import Parameter
from scipy.spatial.transform import Rotation
from std_msgs.msg import String
from std_srvs.srv import Trigger
from trajectory_msgs.msg import JointTrajectory
from visualization_msgs.msg import MarkerArray

from autourdf_ros.errors import InputError
from autourdf_ros.kinematics.streaming import LiveEstimate
from autourdf_ros.nodes import capture_node
from autourdf_ros.nodes.capture_node import CaptureNode
from autourdf_ros.nodes.conversions import diagnostic
from autourdf_ros.recording.load import load_recording
from autourdf_ros.recording.validate import validate

REPEATED = {
    "start": "already capturing",
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
    "still_window": 0.1,
    "following_lag": 0.15,
    "joint_state_timeout": 3.0,
    "points": 2000,
}


class Robot:
    """The fake robot, a process that serves all tests."""

    def __init__(self):
        self.commands: list[str] = []
        self._begin()

    def _begin(self):
        self.process = start_process(str(Path(__file__).with_name("fake_robot.py")))
        threading.Thread(target=self._listen, args=(self.process,), daemon=True).start()

    def end(self):
        """Let the process take leave of the others, who would believe in it for 20 s else."""
        self.process.terminate()
        self.process.wait(30)

    def renew(self):
        """Replace the process. A reader that is killed while it reads leaves its lock on a part of
        the memory that Fast DDS shares with it, and the clouds of this writer then get lost.
        """
        self.end()
        self._begin()

    def do(self, line: str):
        """One of the faults of fake_robot.py, or `reset`."""
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def _listen(self, process):
        for line in process.stdout:
            self.commands.append(line.strip())


class Cell:
    """Runs the capture node, and talks to it as any other node would."""

    def __init__(self, folder: Path):
        self.folder = folder
        self.node = rclpy.create_node("observer")
        self.executor = SingleThreadedExecutor()
        self.executor.add_node(self.node)
        self.diagnostics: list[tuple[str, dict[str, str]]] = []
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

    def start_capture_process(self, **changes) -> subprocess.Popen:
        """Run the node in a process of its own."""
        parameters = PARAMETERS | {"recording": str(self.folder / "recordings")} | changes
        file = self.folder / "capture.yaml"
        file.write_text(parameter_text(parameters))
        arguments = ["-m", "autourdf_ros.nodes.capture_node", "--ros-args", "--params-file"]
        self.process = start_process(*arguments, str(file))
        return self.process

    def call(self, name: str) -> Trigger.Response:
        response = trigger(self.clients[name], self.until, REPEATED[name])
        self.answer = response.message
        return response

    def start(self):
        """Call ~/start until the node has found everything it needs."""
        end = time.monotonic() + 40.0
        while not self.call("start").success:
            assert time.monotonic() < end, f"does not start: {self.answer}"
            time.sleep(0.1)

    def until(self, condition, timeout=40.0):
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
        self.until(lambda: not self.capture._running)

    def stop_capture(self):
        self.until(self.capture.end)
        self.executor.remove_node(self.capture)
        self.capture.destroy_node()
        self.capture = None

    def close(self):
        if self.capture is not None:
            self.stop_capture()
        if self.process is not None:
            self.process.terminate()
            self.process.communicate(timeout=30)
        self.executor.shutdown()
        self.thread.join()
        self.node.destroy_node()

    def _diagnose(self, message: DiagnosticArray):
        for status in message.status:
            if status.name == "capture":
                values = {pair.key: pair.value for pair in status.values}
                self.diagnostics.append((status.message, values))


def start_process(*arguments: str) -> subprocess.Popen:
    return subprocess.Popen(
        [sys.executable, *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env=os.environ | {"PYTHONPATH": str(Path(__file__).parents[2])},
    )


def markers_of(cell: Cell) -> list:
    """What ~/plan_markers shows."""
    cell.until(lambda: cell.markers)
    return cell.markers[-1].markers


def until_moving(cell: Cell, robot: Robot):
    cell.until(lambda: robot.commands)


def reset(cell: Cell, robot: Robot):
    """End the faults, put the robot where it began, and forget what it was told."""
    robot.commands.clear()
    robot.do("reset")
    cell.until(lambda: "reset" in robot.commands)
    robot.commands.clear()


def assert_silent(robot: Robot, seconds: float = 0.5):
    count = len(robot.commands)
    time.sleep(seconds)
    assert len(robot.commands) == count


@pytest.fixture(scope="module", autouse=True)
def ros():
    rclpy.init()
    yield
    rclpy.shutdown()


@pytest.fixture(scope="module")
def robot_process(ros):
    robot = Robot()
    yield robot
    robot.end()


@pytest.fixture
def cell(tmp_path):
    cell = Cell(tmp_path)
    yield cell
    cell.close()


@pytest.fixture
def robot(robot_process, cell):
    cell.until(lambda: cell.node.count_publishers("/camera_0/points") > 0)
    reset(cell, robot_process)
    return robot_process


def test_what_is_missing_is_said(cell):
    cell.start_capture(autostart=True)
    cell.until_said("nothing publishes /joint_states")
    cell.until_said("nothing publishes /camera_0/points")
    cell.until_said("no controller subscribes to /joint_trajectory_controller/joint_trajectory")
    response = cell.call("start")
    assert not response.success and "cannot start: nothing publishes" in response.message


def test_a_capture_completes_and_its_recording_loads(cell, robot):
    cell.start_capture_process(autostart=True)
    cell.until(lambda: cell.completed, 60)
    recording = load_recording(cell.completed[0])
    validate(recording)
    assert [len(sequence.frames) for sequence in recording.sequences] == [3, 3]
    assert recording.fixed_frame == "base_link"
    for sequence in recording.sequences:
        first = sequence.frames[0].joint_positions
        assert first == pytest.approx({"pan": 0.2, "tilt": -0.1}, abs=2e-3)
        for before, after in zip(sequence.frames, sequence.frames[1:], strict=False):
            assert after.stamp > before.stamp
            steps = [
                abs(after.joint_positions[joint] - before.joint_positions[joint])
                for joint in ("pan", "tilt")
            ]
            # A joint rests, or moves by 7 to 14 degrees; they do not all rest.
            assert all(step < 0.005 or 0.115 < step < 0.25 for step in steps)
            assert max(steps) > 0.115
    for frame in recording.frames:
        assert 500 < len(frame.points) <= 2000
        assert frame.points[:, 2].min() > 0.005
        assert np.abs(frame.points[:, :2]).max() < 0.5
        # The fixed box of 0.3 x 0.3 x 0.2 m must stand where it stands in the base frame.
        low = frame.points[frame.points[:, 2] < 0.15]
        np.testing.assert_allclose(low[:, :2].max(axis=0), 0.15, atol=0.01)


WRIST = "/wrist_camera/points"


def test_a_camera_on_the_wrist_is_placed_by_the_transform_of_its_stamp(cell, robot):
    robot.do("wrist")
    # Its transforms come later and more seldom than its clouds.
    cell.start_capture(cameras=["/camera_0/points", WRIST], sequences=1, min_coverage=0)
    cell.start()
    cell.until(lambda: cell.completed, 40)
    frames = load_recording(cell.completed[0]).frames
    places = np.array([frame.camera_poses[1, :3, 3] for frame in frames])
    assert np.ptp(places, axis=0).max() > 0.02
    for frame in frames:
        seen = frame.points[frame.cameras == 1]
        # The fixed box of 0.3 x 0.3 x 0.2 m must stand where it stands in the base frame.
        low = seen[seen[:, 2] < 0.15]
        assert len(low) > 100
        np.testing.assert_allclose(low[:, :2].max(axis=0), 0.15, atol=0.01)
        np.testing.assert_allclose(low[:, :2].min(axis=0), -0.15, atol=0.01)


def test_a_slow_camera_is_waited_for_and_its_latency_told(cell, robot):
    robot.do("delay")
    cell.start_capture(sequences=1)
    cell.start()
    cell.until(lambda: cell.completed, 40)
    assert float(cell.diagnostics[-1][1]["/camera_0/points latency (s)"]) > 0.4
    for frame in load_recording(cell.completed[0]).frames:
        # The arm is where the joints of that moment let it be: along x, once they are undone.
        angles = [frame.joint_positions[joint] for joint in ("pan", "tilt")]
        hinge = (0, 0, 0.5)
        points = Rotation.from_euler("ZY", angles).apply(frame.points - hinge, inverse=True)
        arm = points[(points[:, 0] > 0.2) & (np.abs(points[:, 2] - 0.05) < 0.1)]
        middle = (arm.min(axis=0) + arm.max(axis=0)) / 2
        assert len(arm) > 100 and np.abs(middle[1:] - (0, 0.05)).max() < 0.25 * 0.03


def test_a_frame_that_is_hidden_is_taken_again_and_one_that_stays_hidden_ends_the_session(
    cell, robot
):
    cell.start_capture(speed=0.3, frames=20, retakes=2)
    cell.start()
    cell.until_frame(1)
    robot.do("hide")
    cell.until_said("stopped: no frame could be taken in 3 tries: /camera_0/points sees ")
    message, values = cell.diagnostics[-1]
    assert "of the earlier frames; accepted is 25% (min_coverage)" in message
    assert values["rejected for coverage"] == "3"
    assert int(values["/camera_0/points replaced by newer"]) > 0
    cell.until_closed()
    (recording,) = cell.recordings()
    reasons = [e["reason"] for e in events(recording) if e["event"] == "frame_rejected"]
    # A busy machine may have looked too early before, which is a rejection for motion.
    assert reasons[-3:] == ["coverage"] * 3 and "coverage" not in reasons[:-3]
    assert len(reasons) == int(values["rejected frames"])
    count = len(load_recording(recording).frames)
    assert count == int(values["frame"])


def test_millimetres_are_named_before_anything_moves(cell, robot):
    robot.do("millimetres")
    cell.start_capture()
    cell.start()
    cell.until_said("stopped: recording failed: /camera_0/points: the points are 1.")
    assert "which cloud_scale 0.001 makes metres" in cell.diagnostics[-1][0]
    assert robot.commands == []
    cell.stop_capture()
    cell.start_capture(cloud_scale=[0.001], sequences=1)
    cell.start()
    cell.until(lambda: cell.completed, 30)


def test_a_recorded_background_is_taken_away(cell, robot):
    robot.do("gone")
    robot.do("shelf")
    cell.start_capture(joint_state_timeout=0.02)  # readings do not matter
    cell.until(lambda: not cell.capture._cell.missing_clouds())
    time.sleep(0.3)
    assert cell.call("record_background").success
    cell.until_said("the background is in ")
    background = cell.recordings()[-1]
    assert "background_" in background.name and not robot.commands and not cell.completed
    cell.stop_capture()
    reset(cell, robot)
    robot.do("shelf")
    cell.start_capture(background=str(background), connect_gap=0.0, sequences=1, frames=2)
    cell.start()
    cell.until(lambda: cell.completed, 40)
    for frame in load_recording(cell.completed[0]).frames:
        assert len(frame.points) > 500 and frame.points[:, 0].max() < 0.4


def test_one_joint_can_move_at_a_time(cell, robot):
    cell.start_capture(excitation="one_joint", sequences=1)
    cell.start()
    cell.until(lambda: cell.completed, 30)
    frames = load_recording(cell.completed[0]).frames
    positions = np.array([[f.joint_positions["pan"], f.joint_positions["tilt"]] for f in frames])
    moved = np.abs(np.diff(positions, axis=0)) > 0.05
    assert sorted(moved.tolist()) == [[False, True], [True, False]]


class Teacher:
    """Answers at once, that no model is known yet, in place of a process with the engine."""

    asked: ClassVar[list] = []

    def __init__(self, recording, fixed_frame):
        Teacher.asked.append((recording, fixed_frame))

    def ask(self, frames):
        Teacher.asked.append(frames)

    def answer(self):
        return LiveEstimate(Teacher.asked[-1], None, "too few", None, 0)

    def close(self):
        Teacher.asked.append("close")


def test_informative_targets_learn_from_what_is_recorded(cell, robot, monkeypatch):
    monkeypatch.setattr(capture_node, "LearningProcess", Teacher)
    cell.start_capture(excitation="informative", sequences=1, frames=2)
    cell.start()
    cell.until(lambda: cell.completed, 60)
    assert Teacher.asked == [(Path(cell.completed[0]), "base_link"), 1, 2, "close"]
    learnt = [e for e in events(Path(cell.completed[0])) if e["event"] == "learnt"]
    assert [(event["frames"], event["axis_std"]) for event in learnt] == [(1, None), (2, None)]


def test_positions_can_be_streamed(cell, robot):
    cell.start_capture(command_interface="forward_position", sequences=1)
    cell.start()
    cell.until(lambda: cell.completed, 30)
    assert [len(s.frames) for s in load_recording(cell.completed[0]).sequences] == [3]
    steps = [float(line.split()[1]) for line in robot.commands if line.startswith("position")]
    # 2 rad/s at 100 Hz are 0.02 rad; a late timer may make up for one period.
    assert len(steps) > 50 and max(steps) < 0.045


ACTION = {"command_interface": "follow_joint_trajectory"}


def test_goals_of_the_action_are_followed(cell, robot):
    cell.start_capture(**ACTION, sequences=1)
    cell.start()
    cell.until(lambda: cell.completed, 40)
    (sequence,) = load_recording(cell.completed[0]).sequences
    assert len(sequence.frames) == 3
    # Two steps and the way back, each sent once.
    assert len(robot.commands) == 3 and len(set(robot.commands)) == 3
    goals = [[float(value) for value in line.split()[1:]] for line in robot.commands]
    for goal, frame in zip(goals, sequence.frames[1:], strict=False):
        assert list(frame.joint_positions.values()) == pytest.approx(goal, abs=2e-3)
    assert goals[-1] == pytest.approx([0.2, -0.1], abs=2e-3)


def test_rejected_goals_are_replaced_by_others_a_few_times(cell, robot):
    robot.do("reject")
    cell.start_capture(**ACTION, max_refusals=3)
    cell.start()
    cell.until_said("refused 3 targets in a row")
    assert_silent(robot)
    # Nothing was followed, so there is nothing to stop.
    assert robot.commands == ["rejected"] * 3
    cell.until_closed()
    (recording,) = cell.recordings()
    refused = [e["target"] for e in events(recording) if e["event"] == "target_refused"]
    assert len({tuple(target.values()) for target in refused}) == 3


def test_a_goal_that_is_aborted_stops_the_session_where_the_robot_is(cell, robot):
    robot.do("abort")
    cell.start_capture(**ACTION, speed=0.1)
    cell.start()
    cell.until_said(
        "stopped: the controller broke off a motion: aborted: PATH_TOLERANCE_VIOLATED "
        "(tilt is 0.3 rad off)"
    )
    cell.until(lambda: len(robot.commands) == 2)
    target, hold = (np.array(line.split()[1:], dtype=float) for line in robot.commands)
    # It is told to stay where it stands, short of the target, and nothing else.
    assert np.abs(hold - [0.2, -0.1]).max() < 0.5 * np.abs(target - [0.2, -0.1]).max()
    assert_silent(robot)


def test_stop_replaces_the_goal_by_a_halt(cell, robot):
    cell.start_capture(**ACTION, speed=0.1)
    cell.start()
    until_moving(cell, robot)
    assert cell.call("stop").success
    cell.until_said("stopped: ~/stop was called")
    cell.until(lambda: len(robot.commands) == 2)
    assert robot.commands[0] != robot.commands[1]
    assert_silent(robot)


def test_a_halt_that_is_rejected_cancels_the_goal(cell, robot):
    cell.start_capture(**ACTION, speed=0.1)
    cell.start()
    until_moving(cell, robot)
    robot.do("reject")
    assert cell.call("stop").success
    cell.until(lambda: "hold" in robot.commands)
    assert robot.commands[1:] == ["rejected", "hold"]
    cell.until_closed()
    assert not any("STILL MOVES" in message for message, _ in cell.diagnostics)


def test_a_lost_action_server_is_said(cell, robot):
    cell.start_capture(**ACTION, speed=0.1)
    cell.start()
    until_moving(cell, robot)
    robot.do("lose")
    cell.until_said(
        "stopped: the controller is gone: nothing offers the action "
        "/joint_trajectory_controller/follow_joint_trajectory"
    )
    assert_silent(robot)


@pytest.mark.parametrize("interface", ["joint_trajectory", "follow_joint_trajectory"])
def test_a_pause_holds_the_robot_until_it_may_go_on(cell, robot, interface):
    cell.start_capture(command_interface=interface, speed=0.1, sequences=1)
    assert not cell.call("pause").success and not cell.call("resume").success
    cell.start()
    until_moving(cell, robot)
    assert cell.call("pause").success
    cell.until_said("paused")
    assert len(robot.commands) == 2
    assert_silent(robot, 1.0)
    cell.capture.set_parameters([Parameter("speed", value=1.0)])
    assert cell.call("resume").success
    cell.until(lambda: cell.completed, 40)
    assert robot.commands[2] == robot.commands[0]
    assert len(load_recording(cell.completed[0]).frames) == 3


def test_a_paused_session_can_be_stopped(cell, robot):
    cell.start_capture(speed=0.1)
    cell.start()
    until_moving(cell, robot)
    assert cell.call("pause").success
    cell.until_said("paused")
    assert cell.call("stop").success
    cell.until_said("stopped: ~/stop was called")
    assert len(robot.commands) == 2


def test_home_is_gone_to_at_the_given_speed(cell, robot):
    cell.start_capture(home=[0.5, 0.0], speed=0.2)
    while not cell.call("home").success:
        assert "cannot go home" in cell.answer
        time.sleep(0.1)
    began = time.monotonic()
    cell.until_said("arrived")
    # 0.3 rad at most at 0.4 rad/s, by a quintic whose peak is 15/8 of the mean.
    assert time.monotonic() - began > 0.3 / 0.4 * 15 / 8
    assert robot.commands == ["command 0.5000 0.0000"]
    assert not cell.recordings()
    cell.until_closed()
    cell.start()


def test_home_moves_nothing_without_permission_or_position(cell, robot):
    cell.start_capture(allow_motion=False, home=[0.5, 0.0])
    cell.until(lambda: not cell.capture._cell.missing())
    assert not cell.call("home").success and "nothing moves" in cell.answer
    cell.until(lambda: cell.plans)
    assert list(cell.plans[0].points[-1].positions) == [0.5, 0.0]
    cell.stop_capture()
    cell.start_capture()
    assert not cell.call("home").success and "parameter home is empty" in cell.answer
    assert robot.commands == []


def test_only_a_sane_speed_is_taken_while_the_node_runs(cell):
    cell.start_capture()
    results = cell.capture.set_parameters(
        [Parameter("speed", value=value) for value in (0.0, 1.5, math.nan, "fast", True, 0.5, 1)]
    )
    assert [result.successful for result in results] == [False] * 5 + [True, True]
    assert "accepted is a number from 0.01 to 1" in results[0].reason
    cell.until(lambda: cell.diagnostics and cell.diagnostics[-1][1]["speed"] == "1.0")
    assert not cell.capture.set_parameters([Parameter("frames", value=9)])[0].successful


def test_without_permission_nothing_is_commanded(cell, robot):
    cell.start_capture(allow_motion=False, autostart=True)
    cell.until(lambda: cell.plans)
    cell.until_said("allow_motion is false, nothing moves")
    assert not cell.call("start").success
    assert_silent(robot)
    assert robot.commands == [] and cell.recordings() == []
    assert cell.plans[0].joint_names == ["pan", "tilt"]
    positions = np.array([point.positions for point in cell.plans[0].points])
    assert np.ptp(positions, axis=0).min() > 0.06 and np.abs(positions).max() <= 1.0
    _, text = markers_of(cell)
    assert text.header.frame_id == "base_link" and "6 moves in" in text.text


def test_a_dry_run_with_a_model_shows_where_the_links_go(cell, robot, urdf):
    cell.start_capture(allow_motion=False, model=urdf, keep_out=["wall"], wall=WALL, move_share=1.0)
    cell.until(lambda: not cell.capture._cell.missing())
    assert not cell.call("start").success
    _, one, two = markers_of(cell)
    assert (one.ns, two.ns, two.header.frame_id) == ("one", "two", "base_link")
    # The tilt joint's place, which pan does not move.
    points = np.array([[p.x, p.y, p.z] for p in two.points])
    np.testing.assert_allclose(points, np.tile([0, 0, 0.5], (len(points), 1)))
    assert len(two.points) == 1 + len(cell.plans[0].points) and robot.commands == []


def test_stop_brings_the_robot_to_rest_and_keeps_the_frames(cell, robot):
    cell.start_capture(speed=0.1)
    cell.start()
    until_moving(cell, robot)
    planned = robot.commands[-1]
    assert cell.call("stop").success
    cell.until_said("stopped: ~/stop was called")
    cell.until(lambda: len(robot.commands) == 2)
    assert robot.commands[-1] != planned
    assert_silent(robot)
    cell.until_closed()
    assert not cell.completed
    (recording,) = cell.recordings()
    assert len(load_recording(recording).frames) >= 1
    assert "~/stop was called" in events(recording)[-1]["reason"]
    cell.start()
    cell.until(lambda: len(cell.recordings()) == 2)


@pytest.mark.parametrize(
    ("fault", "reason", "changes"),
    [
        ("mute_joint_states", "/joint_states is stale", {"joint_state_timeout": 0.5}),
        ("stick", "joint tilt does not follow", {"move_share": 1.0}),
        ("mute_clouds", "camera is silent", {"cloud_timeout": 0.5}),
    ],
)
def test_a_fault_stops_the_robot_at_once(cell, robot, fault, reason, changes):
    cell.start_capture(speed=0.1, **changes)
    cell.start()
    until_moving(cell, robot)
    robot.do(fault)
    cell.until_said(f"stopped: {reason}")
    cell.until(lambda: len(robot.commands) == 2)
    assert_silent(robot)


def test_a_controller_that_is_deactivated_on_the_way_is_thought_of(cell, robot):
    cell.start_capture(speed=0.1)
    cell.start()
    until_moving(cell, robot)
    # Not at its begin: a robot that never left passes for one that refused.
    here = cell.capture._cell.history
    cell.until(lambda: abs(np.array(list(here.latest[1].values())) - [0.2, -0.1]).max() > 0.06)
    robot.do("deactivate")
    cell.until_said("nothing moves: look whether its controller is still active")
    assert len(robot.commands) == 2
    assert_silent(robot)


def test_a_controller_that_is_said_to_be_inactive_moves_nothing(cell, robot):
    cell.start_capture(speed=0.1)
    said = cell.node.create_publisher(DiagnosticArray, "/diagnostics", 10)
    cell.until(lambda: said.get_subscription_count() > 1)

    def say(state):
        values = {"joint_state_broadcaster": "active", "joint_trajectory_controller": state}
        name = "controller_manager: Controllers Activity"
        said.publish(DiagnosticArray(status=[diagnostic(name, DiagnosticStatus.OK, "", values)]))

    say("inactive")
    inactive = "the controller joint_trajectory_controller is inactive, not active"
    cell.until(lambda: any(inactive in problem for problem in cell.capture._cell.missing()))
    assert not cell.call("start").success and inactive in cell.answer
    say("active")
    cell.start()
    until_moving(cell, robot)
    say("inactive")
    cell.until_said(f"stopped: {inactive}")
    cell.until(lambda: len(robot.commands) == 2)
    assert_silent(robot)


def test_a_stuck_joint_that_moves_alone_does_not_pass_for_a_refusal(cell, robot):
    cell.start_capture()
    cell.start()
    until_moving(cell, robot)
    robot.do("stick")
    cell.until_said("stopped: joint tilt does not follow")


def test_a_controller_that_refuses_is_asked_a_few_other_targets_and_then_left_alone(cell, robot):
    robot.do("refuse")
    cell.start_capture(max_refusals=3)
    cell.start()
    cell.until_said("refused 3 targets in a row")
    cell.until(lambda: len(robot.commands) == 6)
    targets, holds = robot.commands[::2], robot.commands[1::2]
    assert len(targets) == 3 and len(set(targets)) == 3 and len(holds) == 3
    for hold in holds:
        assert [float(v) for v in hold.split()[1:]] == pytest.approx([0.2, -0.1], abs=5e-3)
    cell.until_closed()
    (recording,) = cell.recordings()
    assert [event["event"] for event in events(recording)].count("target_refused") == 3


def test_a_folder_that_cannot_be_written_stops_before_anything_moves(cell, robot):
    cell.start_capture(recording="/dev/null/recordings")
    cell.start()
    cell.until_said("stopped: /dev/null/recordings/")
    assert robot.commands == []


def test_a_kill_leaves_a_readable_recording_that_can_be_resumed(cell, robot):
    capture = cell.start_capture_process(frames=20, autostart=True)
    cell.until_frame(4)
    capture.kill()
    capture.wait()
    robot.renew()
    (recording,) = cell.recordings()
    assert len(load_recording(recording).frames) >= 2
    reset(cell, robot)
    cell.start_capture(resume=str(recording), sequences=1, frames=2)
    cell.start()
    cell.until(lambda: cell.completed, 40)
    assert cell.completed == [str(recording)] and cell.recordings() == [recording]
    sequences = load_recording(recording).sequences
    assert [sequence.name for sequence in sequences] == ["0000", "0001"]
    assert len(sequences[0].frames) >= 2 and len(sequences[1].frames) == 2


def test_a_termination_stops_the_robot_and_ends_the_recording(cell, robot):
    capture = cell.start_capture_process(speed=0.1)
    cell.start()
    until_moving(cell, robot)
    capture.send_signal(signal.SIGTERM)
    assert capture.wait(30) == 0
    cell.until(lambda: len(robot.commands) == 2)
    assert "shutting down" in events(cell.recordings()[0])[-1]["reason"]


def test_a_quality_of_service_that_does_not_match_is_said(cell, robot):
    cell.start_capture(autostart=True, cloud_reliability="reliable")
    cell.until_said("/camera_0/points is published by fake_robot with a quality of service")


def test_a_joint_or_transform_that_nobody_publishes_is_said(cell, robot):
    cell.start_capture(autostart=True, joints=["pan", "elbow"], elbow=LIMITS, tilt={})
    cell.until_said("/joint_states has no elbow; it has pan, tilt")
    cell.stop_capture()
    cell.start_capture(autostart=True, base_frame="world")
    cell.until_said("no transform to world from camera_0_optical_frame")
    assert robot.commands == []


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({"joints": []}, "joints is []"),
        ({"tilt": {"lower": 1.0, "upper": -1.0, "velocity": 1, "acceleration": 1}}, "tilt.lower"),
        ({"pan": {"lower": -1.0, "upper": 1.0, "velocity": 1.0}}, "pan.acceleration is None"),
        ({"speed": 1.5}, "parameter speed is 1.5; accepted is a number from 0.01 to 1"),
        (
            {"excitation": "wild"},
            "excitation is 'wild'; accepted is one of random, one_joint",
        ),
        ({"command_interface": "magic"}, "accepted is one of joint_trajectory, forward_position"),
        ({"box_lower": [1, 2]}, "box_lower is"),
        ({"cameras": []}, "cameras is empty"),
        ({"cloud_scale": [1, 1]}, "cloud_scale is [1.0, 1.0]; accepted is a number above 0"),
        ({"cloud_scale": [0.0]}, "cloud_scale is [0.0]"),
        ({"background": "/nowhere"}, "parameter background: /nowhere: does not exist"),
        ({"sync_slop": 0}, "parameter sync_slop is 0"),
        ({"home": [0.1]}, "home has 1 numbers; accepted is one for each of joints: pan, tilt"),
        ({"home": [0.1, 1.2]}, "home is 1.2 for tilt; accepted is -1.0 .. 1.0"),
        ({"home": [0.1, math.nan]}, "parameter home is [0.1, nan]"),
        ({"home": "up"}, "parameter home is 'up'"),
        ({"pan": LIMITS | {"stop_effort": 0.0}}, "pan.stop_effort: is 0.0; accepted is above 0"),
    ],
)
def test_a_parameter_that_cannot_be_used_is_named(changes, text):
    with pytest.raises(InputError, match=re.escape(text)):
        CaptureNode(parameter_overrides=overrides(PARAMETERS | changes))


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({"pan": LIMITS | {"lower": 1.0, "upper": -1.0}}, "pan.lower: is 1.0; accepted is below"),
        ({"pan": LIMITS | {"upper": math.nan}}, "pan.upper is nan; accepted is a finite number"),
        ({"pan": LIMITS | {"lower": -math.inf}}, "pan.lower is -inf; accepted is a finite number"),
        ({"pan": LIMITS | {"velocity": 0.0}}, "pan.velocity: is 0.0; accepted is above 0"),
        ({"pan": LIMITS | {"acceleration": -2}}, "pan.acceleration: is -2.0; accepted is above 0"),
        ({"pan": LIMITS | {"velocity": "fast"}}, "pan.velocity is 'fast'"),
        ({"joints": ["pan", "tilt", "roll"]}, "roll.lower is None; accepted is a finite number"),
        ({"joints": ["pan"]}, "limits of 'tilt', which is not among joints: pan"),
        ({"joints": ["pan", "tilt", "pan"]}, "joints is ['pan', 'tilt', 'pan']"),
        ({"pan": LIMITS | {"velocty": 0.1}}, "pan.velocty: unknown; accepted is lower, upper"),
        ({"spede": 0.1}, "parameter spede is unknown"),
    ],
)
def test_hostile_limits_end_the_process_before_anything_moves(cell, robot, changes, text):
    capture = cell.start_capture_process(autostart=True, **changes)
    output, _ = capture.communicate(timeout=40)
    assert capture.returncode == 2
    assert output.startswith("capture: ") and text in output and output.count("\n") == 1
    assert robot.commands == [] and cell.recordings() == []


# What the fake robot looks like.
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


@pytest.fixture
def urdf(tmp_path):
    (tmp_path / "robot.urdf").write_text(URDF)
    return str(tmp_path / "robot.urdf")


def test_what_is_in_the_way_is_never_commanded(cell, robot, urdf):
    cell.start_capture(
        model=urdf, keep_out=["wall"], wall=WALL, move_share=1.0, home=[0.9, 0.0], frames=2
    )
    cell.start()
    cell.until(lambda: cell.completed, 40)
    goals = [[float(value) for value in line.split()[1:]] for line in robot.commands]
    assert len(goals) == 4 and max(pan for pan, _ in goals) < 0.35
    values = cell.diagnostics[-1][1]
    assert int(values["refused by screening"]) == int(values["refused targets"]) > 0
    assert "link 'two' enters keep_out 'wall' (at pan" in values["last refusal"]
    refused = [e for e in events(Path(cell.completed[0])) if e["event"] == "target_refused"]
    assert all("'wall'" in event["reason"] for event in refused)
    cell.until_closed()
    assert cell.call("home").success
    cell.until_said("stopped: the screening refuses the motion: link 'two' enters keep_out 'wall'")
    assert len(robot.commands) == 4


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({"keep_out": ["wall"], "wall": WALL, "model": ""}, "parameter keep_out needs the shapes"),
        ({"minimum_height": 0.1, "model": ""}, "parameter minimum_height needs the shapes"),
        ({"keep_out": ["wall"]}, "wall.lower has 0 numbers; accepted is x, y, z"),
        (
            {"keep_out": ["wall"], "wall": WALL | {"upper": [0.5, 0.1, 1.0]}},
            "wall.lower: is 0.14 in y; accepted is below upper, 0.1",
        ),
        ({"keep_out": ["wall"], "wall": WALL | {"uper": [1.0]}}, "parameter wall.uper is unknown"),
        ({"keep_out": ["pan"]}, "keep_out names 'pan', which is a joint"),
        ({"forbidden": ["low"]}, "forbidden 'low' names no joint"),
        ({"forbidden": ["low"], "low": {"tilt": [0.5, 0.2]}}, "low.tilt is [0.5, 0.2]; accepted"),
        ({"forbidden": ["low"], "low": {"roll": [0.2, 0.5]}}, "forbidden 'low' names no joint"),
        ({"model": "/nowhere"}, "/nowhere: cannot be read"),
        ({"model": "", "step_max": 0.5}, "step_max is 0.5; accepted is up to 0.3 until a model"),
    ],
)
def test_what_cannot_be_screened_is_refused_before_anything_moves(urdf, changes, text):
    given = PARAMETERS | {"model": urdf} | changes
    with pytest.raises(InputError, match=re.escape(text)):
        CaptureNode(parameter_overrides=overrides(given))


def test_limits_of_a_urdf_need_accelerations_and_are_only_narrowed(urdf):
    given = PARAMETERS | {
        "urdf": urdf,
        "pan": {"acceleration": 8, "upper": 0.5},
        "tilt": {"acceleration": 8.0},
    }
    node = CaptureNode(parameter_overrides=overrides(given))
    limits = node._limits
    node.destroy_node()
    assert (limits["pan"].lower, limits["pan"].upper, limits["tilt"].upper) == (-1.0, 0.5, 0.8)
    for tilt, text in (
        ({}, "tilt.acceleration: is missing, and the URDF does not tell it"),
        ({"acceleration": 8.0, "upper": 1.0}, "tilt.upper: is 1, wider than 0.8 of"),
    ):
        with pytest.raises(InputError, match=re.escape(text)):
            CaptureNode(parameter_overrides=overrides(given | {"tilt": tilt}))


def test_an_effort_above_its_threshold_stops_the_robot_until_a_human_starts_it(cell, robot):
    cell.start_capture(pan=LIMITS | {"stop_effort": 9.0}, speed=0.1)
    cell.start()
    until_moving(cell, robot)
    robot.do("push")
    cell.until_said("stopped: joint pan works with an effort of 20; accepted is up to 9")
    cell.until(lambda: len(robot.commands) == 2)
    assert_silent(robot)
    cell.until_closed()
    assert not cell.call("start").success and "joint pan works with an effort" in cell.answer


def test_a_threshold_without_efforts_does_not_let_it_start(cell, robot):
    robot.do("no_effort")
    cell.start_capture(autostart=True, pan=LIMITS | {"stop_effort": 9.0})
    cell.until_said("no effort of pan is read, but a threshold is set (pan.stop_effort)")
    assert robot.commands == []


def test_the_parameter_file_holds_every_parameter_with_its_default():
    path = Path(__file__).parents[2] / "config" / "capture.yaml"
    written = yaml.safe_load(path.read_text())["capture"]["ros__parameters"]
    required = {"joints": ["pan"], "pan": LIMITS, "cameras": written["cameras"]}
    node = CaptureNode(parameter_overrides=overrides(required))
    declared = {
        name: parameter.value for name, parameter in node.get_parameters_by_prefix("").items()
    }
    node.destroy_node()
    ours = {name for name in declared if not name.startswith(("pan.", "use_sim", "start_type"))}
    without_default = {"home", "cloud_scale", "keep_out", "minimum_height", "forbidden"}
    assert set(written) == ours - without_default - {"joints"}
    for name, value in written.items():
        assert declared[name] == pytest.approx(value, abs=0.01), name


def test_a_parameter_that_cannot_be_used_ends_the_process_with_code_2(cell):
    capture = cell.start_capture_process(joints=[])
    output, _ = capture.communicate(timeout=20)
    assert capture.returncode == 2
    assert "capture: /capture: joints is []" in output and "Traceback" not in output


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
