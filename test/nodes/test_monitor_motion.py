"""A monitor that may move its robot: it looks from where that tells most, or says why it does not.

What the monitor tells of the robot is given here; how it moves, looks and repairs is real.
"""

import sys
import threading
import time
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import rclpy
from diagnostic_msgs.msg import DiagnosticArray
from geometry_msgs.msg import TransformStamped
from live import trigger
from rclpy.executors import SingleThreadedExecutor
from rclpy.parameter import Parameter
from rclpy.qos import qos_profile_sensor_data
from sensor_msgs.msg import JointState, PointCloud2
from std_srvs.srv import Trigger
from tf2_ros import StaticTransformBroadcaster
from trajectory_msgs.msg import JointTrajectory

from autourdf_ros.errors import InputError
from autourdf_ros.monitoring import watch_session
from autourdf_ros.monitoring.causes import Causes
from autourdf_ros.monitoring.change import Change, Quantity
from autourdf_ros.monitoring.correction import corrected, correction_of
from autourdf_ros.monitoring.report import Report
from autourdf_ros.monitoring.watched_model import load_watched_model
from autourdf_ros.nodes import conversions
from autourdf_ros.nodes.monitor_node import MonitorNode
from autourdf_ros.simulation.camera import Camera, Intrinsics

sys.path.insert(0, str(Path(__file__).parents[1] / "monitoring"))
from repaired_arm import CAMERAS, depth_points, written_arm

LENS = Intrinsics(120, 90, 100.0)
TOPIC = "/joint_trajectory_controller/joint_trajectory"
TOPICS = {name: f"/{name}/points" for name in CAMERAS}
START = {"shoulder-pan": 0.1, "arm/lift": -0.1, "slide": 0.02, "spin": 0.7}
LIMITS = {"lower": -0.5, "upper": 0.5, "velocity": 0.5, "acceleration": 2.0}
OFF = 0.04  # rad
SLIPPED = Change(
    "joint_zero", "arm/lift", (Quantity("offset", OFF, 0.002, "rad"),), 20.0, "it slipped"
)
REACH = 0.15


class Told:
    """A monitor that learns from two clouds of each camera, and then tells what it is asked to."""

    changes = ()

    def __init__(self, *_):
        self.seen = 0

    def update(self, observation):
        self.seen += 1
        return Report(observation.stamp, self.seen > 4, {}, Told.changes)


class Arm:
    """An arm that follows what it is commanded, before two cameras, on a thread of its own."""

    def __init__(self, model):
        self.model, self.rng = model, np.random.default_rng(0)
        self.position, self.path, self.commands = dict(START), None, []
        self.drift = 0.0  # rad/s
        self.node = node = rclpy.create_node("arm")
        self.states = node.create_publisher(JointState, "/joint_states", 10)
        self.clouds = {
            name: node.create_publisher(PointCloud2, topic, qos_profile_sensor_data)
            for name, topic in TOPICS.items()
        }
        self.broadcaster = StaticTransformBroadcaster(node)
        transforms = []
        for name, pose in CAMERAS.items():
            told = TransformStamped(
                child_frame_id=f"{name}_optical", transform=conversions.transform_message(pose)
            )
            told.header.frame_id = "base_link"
            transforms.append(told)
        self.broadcaster.sendTransform(transforms)
        node.create_subscription(JointTrajectory, TOPIC, self.follow, 10)
        node.create_timer(0.02, self.tell)
        node.create_timer(0.25, self.show)

    def now(self):
        return self.node.get_clock().now().nanoseconds * 1e-9

    def follow(self, message):
        self.commands.append(
            dict(zip(message.joint_names, message.points[-1].positions, strict=True))
        )
        times = [conversions.seconds(point.time_from_start) for point in message.points]
        rows = [list(point.positions) for point in message.points]
        here = [self.position[name] for name in message.joint_names]
        self.path = self.now(), [0.0, *times], np.array([here, *rows]), message.joint_names

    def tell(self):
        if self.path is not None:
            began, times, rows, names = self.path
            there = [np.interp(self.now() - began, times, column) for column in rows.T]
            self.position |= dict(zip(names, map(float, there), strict=True))
        self.position["slide"] += 0.02 * self.drift
        self.states.publish(conversions.joint_state(self.position, self.now()))

    def show(self):
        now = self.now()
        for name, pose in CAMERAS.items():
            points = depth_points(self.model, self.position, Camera(LENS, pose), self.rng)
            cloud = conversions.cloud_from_points(points, None, now, f"{name}_optical")
            self.clouds[name].publish(cloud)


class Rig:
    """The arm, the monitor, and a caller of its services, each with an executor."""

    def __init__(self, model, history, result):
        self.arm, self.monitor = Arm(model), None
        self.parameters = {
            "history": str(history),
            "result": str(result),
            "cameras": list(TOPICS.values()),
            "published_topic": "/models",
            "motions": 2,
            "motion_reach": REACH,
            "speed": 1.0,
            "still_timeout": 60.0,
            "view_timeout": 60.0,
            "joint_state_timeout": 10.0,
            "motion_cloud_timeout": 60.0,
            "following_tolerance": 0.5,
            "following_lag": 2.0,
            "joints": ["shoulder-pan", "arm/lift"],
            **{
                f"{name}.{field}": value
                for name in ("shoulder-pan", "arm/lift")
                for field, value in LIMITS.items()
            },
        }
        self.caller = rclpy.create_node("caller")
        self.problems, self.repair = "", ""
        self.caller.create_subscription(DiagnosticArray, "/diagnostics", self._diagnose, 10)
        self.executors = [self._spun(self.arm.node), self._spun(self.caller)]

    @staticmethod
    def _spun(node):
        executor = SingleThreadedExecutor()
        executor.add_node(node)
        thread = threading.Thread(target=executor.spin, daemon=True)
        thread.start()
        return executor, thread

    def start(self, **changes):
        given = self.parameters | {"allow_motion": True} | changes
        self.monitor = MonitorNode(
            parameter_overrides=[Parameter(name, value=value) for name, value in given.items()]
        )
        self.session = self.monitor._worker.session
        self.executors.append(self._spun(self.monitor))

    def _diagnose(self, message):
        for status in message.status:
            if status.name == "monitor":
                self.repair = {one.key: one.value for one in status.values}["repair"]

    def until(self, condition, timeout=90.0):
        end = time.monotonic() + timeout
        while not condition():
            assert time.monotonic() < end, (self.arm.commands, self.repair)
            time.sleep(0.02)

    def change(self, monkeypatch, change=SLIPPED):
        """Let looks of before be kept, then the zero slip, and looks since then."""
        self.until(lambda: len(self.session._looks.healthy) >= 4)
        causes = Causes(self.arm.model, ())
        cause = next(c for c in causes.table if c.named == ("joint_zero", "arm/lift"))
        self.arm.model = corrected(self.arm.model, correction_of(causes, cause, np.array([OFF])))
        monkeypatch.setattr(Told, "changes", (change,))
        self.until(lambda: len(self.session._looks.recent) >= 4)

    def call(self, name):
        client = self.caller.create_client(Trigger, f"/monitor/{name}")
        return trigger(client, self.until, ("already", "nothing to stop"))

    def called_repair(self):
        """The first answer that does not only tell that something is not known yet."""
        answers = []

        def told():
            answers.append(self.call("repair"))
            later = ("measured", "did within", "yet", "no controller", "nothing publishes")
            return not any(text in answers[-1].message for text in later)

        self.until(told)
        return answers[-1]

    def close(self):
        if self.monitor is not None:
            self.until(self.monitor.end)
        for executor, thread in self.executors:
            executor.shutdown()
            thread.join()
        if self.monitor is not None:
            self.monitor.close()
            self.monitor.destroy_node()
        self.arm.node.destroy_node()
        self.caller.destroy_node()


@pytest.fixture(scope="module")
def result(tmp_path_factory):
    return written_arm(tmp_path_factory.mktemp("results") / "arm")


@pytest.fixture
def rig(result, tmp_path, monkeypatch):
    monkeypatch.setattr(watch_session, "Monitor", Told)
    monkeypatch.setattr(Told, "changes", ())
    rclpy.init()
    made = Rig(load_watched_model(result), tmp_path / "models", result)
    yield made
    made.close()
    rclpy.try_shutdown()


@pytest.mark.timeout(600)
def test_it_looks_from_chosen_places_returns_and_repairs(rig, monkeypatch):
    rig.start()
    first = rig.session.folder
    rig.change(monkeypatch)
    answer = rig.called_repair()
    assert answer.success, answer.message
    assert answer.message == "moving and repairing joint_zero arm/lift"
    rig.until(lambda: rig.session.folder != first)
    made = rig.session.model.offset - load_watched_model(first).offset
    assert made[1] == pytest.approx(OFF, abs=0.005)
    # Two places, and back.
    assert len(rig.arm.commands) == 3
    for command in rig.arm.commands:
        assert command.keys() == {"shoulder-pan", "arm/lift"}
        for name, value in command.items():
            assert LIMITS["lower"] <= value <= LIMITS["upper"]
            assert abs(value - START[name]) <= REACH + 0.01
    assert {n: rig.arm.position[n] for n in START} == pytest.approx(START, abs=1e-3)
    assert any(abs(v - START[n]) > 0.02 for n, v in rig.arm.commands[0].items())


@pytest.mark.timeout(600)
def test_a_stop_ends_it_and_nothing_is_repaired_or_sent_again(rig, monkeypatch):
    rig.start(speed=0.02)
    first = rig.session.folder
    rig.change(monkeypatch)
    assert not rig.call("stop").success
    assert rig.called_repair().success
    rig.until(lambda: rig.arm.commands)
    assert rig.call("stop").success
    rig.until(lambda: "~/stop was called" in rig.repair)
    assert rig.repair.startswith("moving and repairing failed")
    assert rig.session.folder == first
    # The first, and what holds it.
    assert len(rig.arm.commands) == 2 and not rig.monitor._motion.active


@pytest.mark.timeout(600)
def test_a_robot_that_others_move_is_not_moved(rig, monkeypatch):
    rig.start()
    rig.change(monkeypatch)
    rig.arm.drift = 0.05  # of the slide, which this node does not command
    rig.monitor._motion._cell.history = SimpleNamespace(latest=(10.0, {}), still=lambda *_: False)
    rig.until(lambda: "somebody else moves it" in rig.call("repair").message)
    other = rig.caller.create_publisher(JointTrajectory, TOPIC, 10)
    rig.until(
        lambda: f"somebody else may command the robot by {TOPIC}" in rig.call("repair").message
    )
    assert other is not None and not rig.arm.commands


@pytest.mark.timeout(600)
def test_without_allow_motion_it_repairs_from_what_it_saw_and_cannot_move(rig, monkeypatch):
    rig.start(allow_motion=False)
    first = rig.session.folder
    rig.change(monkeypatch)
    assert rig.caller.count_publishers(TOPIC) == 0
    names = {name for name, _ in rig.monitor.get_service_names_and_types_by_node("monitor", "/")}
    assert "/monitor/repair" in names and "/monitor/stop" not in names
    rig.until(lambda: len(rig.session._looks.recent) >= 10)
    assert rig.call("repair").message == "repairing joint_zero arm/lift"
    rig.until(lambda: rig.session.folder != first)
    assert not rig.arm.commands and rig.caller.count_publishers(TOPIC) == 0


@pytest.mark.timeout(600)
def test_what_no_model_screens_moves_nothing(rig, monkeypatch):
    rig.start()
    thing = Change("object", "", (), 30.0, "a box stands there")
    rig.change(monkeypatch, thing)
    monkeypatch.setattr(Told, "changes", (SLIPPED, thing))
    first = rig.session.folder
    rig.until(lambda: len(rig.session._looks.recent) >= 10)
    assert rig.called_repair().success
    rig.until(lambda: rig.session.folder != first)
    assert not rig.arm.commands


@pytest.fixture
def ros():
    rclpy.init()
    yield
    rclpy.try_shutdown()


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({}, "joints is .*; accepted is a list of joint names"),
        ({"joints": ["spin"]}, r"spin.lower"),
        (
            {"joints": ["nobody"], **{f"nobody.{k}": v for k, v in LIMITS.items()}},
            "joints names nobody, which .* does not have; it has shoulder-pan",
        ),
        ({"motions": 10}, "parameter motions is 10; accepted is an integer from 1 to 9"),
        ({"motion_reach": 1.0}, "parameter motion_reach is 1.0; accepted is a number from"),
        ({"pan.lower": 0.0}, "limits of 'pan', which is not among joints"),
    ],
)
def test_nothing_moves_without_limits(ros, result, tmp_path, values, message):
    given = {"history": str(tmp_path / "models"), "result": str(result), "cameras": ["/a"]}
    if "motions" in values or "motion_reach" in values or "pan.lower" in values:
        values = values | {"joints": ["spin"], **{f"spin.{k}": v for k, v in LIMITS.items()}}
    given |= values | {"allow_motion": True}
    with pytest.raises(InputError, match=message):
        MonitorNode(parameter_overrides=[Parameter(n, value=v) for n, v in given.items()])
