"""Messages that no driver should send, to nodes that outlive them. Real messages, one process."""

import math
import sys
import time
from array import array
from functools import partial
from pathlib import Path

import numpy as np
import pytest
import rclpy
import yaml
from capture_rig import PARAMETERS, overrides
from geometry_msgs.msg import TransformStamped
from live import LATCHED
from rclpy.executors import SingleThreadedExecutor
from rclpy.parameter import Parameter
from rosgraph_msgs.msg import Clock
from sensor_msgs.msg import JointState, PointCloud2
from std_msgs.msg import String
from tf2_msgs.msg import TFMessage
from tf2_ros import StaticTransformBroadcaster

from autourdf_ros.errors import InputError
from autourdf_ros.ros.capture.capture_node import CaptureNode
from autourdf_ros.ros.common.conversions import cloud_from_points, joint_state, time_message
from autourdf_ros.ros.common.namesakes import report_namesakes
from autourdf_ros.ros.common.run_node import made
from autourdf_ros.ros.mechanism_cell.mechanism_cell_node import MechanismCellNode
from autourdf_ros.ros.monitor.monitor_node import MonitorNode
from autourdf_ros.ros.publisher.publisher_node import PublisherNode
from autourdf_ros.ros.reconstruction.reconstruction_node import ReconstructionNode
from autourdf_ros.ros.rendering.rendering_node import RenderingNode
from autourdf_ros.ros.slider.slider_node import SliderNode
from autourdf_ros.ros.swing_up.swing_up_node import SwingUpNode

sys.path.insert(0, str(Path(__file__).parents[1] / "monitoring"))
from repaired_arm import MOVED, written_arm

CONFIG = Path(__file__).parents[2] / "config"
TOPIC = "/a/points"
HERE = dict.fromkeys((*MOVED, "spin"), 0.1)
POINTS = np.random.default_rng(0).normal(size=(500, 3)).astype(np.float32)


@pytest.fixture(scope="module")
def result(tmp_path_factory):
    return written_arm(tmp_path_factory.mktemp("results") / "arm")


class Wire:
    """A node under test and one that talks to it, on one executor: no error in a callback hides."""

    def __init__(self):
        self.talker = rclpy.create_node("talker")
        self.executor = SingleThreadedExecutor()
        self.executor.add_node(self.talker)
        self.joints = self.talker.create_publisher(JointState, "/joint_states", 50)
        self.clouds = self.talker.create_publisher(PointCloud2, TOPIC, 5)
        self.broadcaster = StaticTransformBroadcaster(self.talker)
        self.nodes = []
        self.stamp = 101.0  # s, of the newest bad cloud

    def run(self, node):
        self.nodes.append(node)
        self.executor.add_node(node)
        return node

    def until(self, condition, action=lambda: None, timeout=60.0):
        end = time.monotonic() + timeout
        while not condition():
            assert time.monotonic() < end, "never happened"
            action()
            for _ in range(8):  # more than comes, or what waits gets older and older
                self.executor.spin_once(timeout_sec=0.005)

    def place(self, rotation_w=1.0):
        """Broadcast where the camera is."""
        pose = TransformStamped(child_frame_id="lens")
        pose.header.frame_id = "base_link"
        pose.transform.rotation.w = rotation_w
        self.broadcaster.sendTransform(pose)

    def close(self):
        for node in self.nodes:
            self.executor.remove_node(node)
            if isinstance(node, CaptureNode):
                assert node.end()
            elif hasattr(node, "close"):
                node.close()
            node.destroy_node()
        self.executor.shutdown()
        self.talker.destroy_node()


@pytest.fixture
def wire(ros):
    wire = Wire()
    yield wire
    wire.close()


@pytest.fixture
def monitor(wire, result, tmp_path):
    given = {"history": str(tmp_path / "models"), "result": str(result), "cameras": [TOPIC]}
    node = wire.run(
        MonitorNode(parameter_overrides=[Parameter(k, value=v) for k, v in given.items()])
    )
    wire.place()
    wire.until(lambda: heard(node), lambda: wire.joints.publish(joint_state(HERE, 100.0)))
    return node


@pytest.fixture
def capture(wire, tmp_path):
    given = PARAMETERS | {"recording": str(tmp_path / "recordings"), "cameras": [TOPIC]}
    node = wire.run(CaptureNode(parameter_overrides=overrides(given)))
    wire.place()
    here = joint_state({"pan": 0.1, "tilt": 0.1}, 100.0)
    wire.until(lambda: node._cell.history.latest, lambda: wire.joints.publish(here))
    return node


def heard(monitor):
    return monitor._readings.latest is not None and monitor._cameras[0].subscription._profile


def bad_states():
    """Joint states that are none."""
    names = list(HERE)
    for value in (math.nan, math.inf, -math.inf, 1e308):
        yield joint_state(dict.fromkeys((*names, "pan", "tilt"), value), 101.0)
    yield JointState()
    yield JointState(name=names)
    yield JointState(position=[1.0] * 9)
    yield JointState(name=["pan", "pan"], position=[0.1, 3.0])
    yield JointState(name=names, position=[0.1] * 99, velocity=[math.nan], effort=[math.nan] * 9)
    yield JointState(name=[f"j{number}" for number in range(5000)], position=[0.1] * 5000)
    early = joint_state(HERE, 0.0)
    early.header.stamp.sec = -(2**31)
    yield early


def bad_clouds():
    """Clouds that are none: what they promise they do not hold."""
    for changes in (
        {"width": 8_000_000},  # 96 MB
        {"width": 2**32 - 1, "height": 2**32 - 1},
        {"point_step": 0},
        {"point_step": 2**32 - 1, "width": 1},
        {"height": 2, "row_step": 1},
        {"fields": []},
        {"data": array("B")},
        {"data": array("B", bytes(3))},
    ):
        cloud = cloud_from_points(POINTS, None, 101.0, "lens")
        for name, value in changes.items():
            setattr(cloud, name, value)
        yield cloud
    far = cloud_from_points(POINTS, None, 101.0, "lens")
    far.fields[0].offset = 2**32 - 1
    yield far
    odd = cloud_from_points(POINTS, None, 101.0, "lens")
    odd.fields[0].datatype = 99
    yield odd
    for value in (np.nan, np.inf, 1e38, 0.0):
        yield cloud_from_points(np.full((500, 3), value), None, 101.0, "lens")
    yield cloud_from_points(POINTS, None, 101.0, "")
    yield cloud_from_points(POINTS, None, 101.0, "x" * 10_000)
    past = cloud_from_points(POINTS, None, 101.0, "lens")
    past.header.stamp.sec = -5
    yield past


CDR = b"\0\1\0\0"  # what serialized messages begin with
GARBAGE = (b"", CDR, bytes(20), CDR + bytes(12) + b"\xff", CDR + b"\xff" * 40)


def problems_of(monitor):
    return monitor._inputs.problems(monitor._worker, busy=False)


def publish_clouds(wire, camera, clouds):
    """Publish clouds, each of its own time, one after the other was received."""
    wire.until(wire.clouds.get_subscription_count)
    for cloud in clouds:
        before = camera.subscription._arrival
        if isinstance(cloud, PointCloud2) and cloud.header.stamp.sec > 0:
            wire.stamp += 0.1
            cloud.header.stamp = time_message(wire.stamp)
        wire.clouds.publish(cloud)
        wire.until(lambda before=before: camera.subscription._arrival > before)


def publish_states(wire):
    wire.until(wire.joints.get_subscription_count)
    for message in bad_states():
        wire.joints.publish(message)
        wire.executor.spin_once(timeout_sec=0.05)


def test_the_monitor_outlives_every_joint_state(wire, monitor):
    publish_states(wire)
    last = dict.fromkeys(HERE, 0.2)
    wire.until(
        lambda: monitor._readings.latest[1] == dict.fromkeys(monitor._readings.joints, 0.2),
        lambda: wire.joints.publish(joint_state(last, 150.0)),
    )


def test_the_monitor_judges_the_next_cloud_after_any_bad_one(wire, monitor):
    (camera,) = monitor._cameras
    states = [joint_state(HERE, 100.0 + 0.05 * number) for number in range(100)]
    for message in states:
        wire.joints.publish(message)
        wire.executor.spin_once(timeout_sec=0.01)
    promising, *others = bad_clouds()
    for clouds, problem in (
        ([promising], "less than its 1 x 8000000 points"),
        (others, "is stamped -5.000 s"),
        (GARBAGE, "has bytes that are no cloud"),
    ):
        publish_clouds(wire, camera, clouds)
        wire.until(
            lambda problem=problem: problem in " ".join(problems_of(monitor)),
            lambda last=clouds[-1]: wire.clouds.publish(last),
        )
    before = monitor._worker.processed[TOPIC]
    good = iter(range(1, 10_000))

    def send():
        stamp = 110.0 + 0.1 * next(good)
        wire.joints.publish(joint_state(HERE, stamp))
        wire.joints.publish(joint_state(HERE, stamp + 0.05))
        wire.clouds.publish(cloud_from_points(POINTS, None, stamp, "lens"))

    wire.until(lambda: monitor._worker.processed[TOPIC] > before + 3, send)
    wire.until(lambda: not monitor._worker.problems and not camera.problem(), send)


def test_the_capture_outlives_them_and_records_none(wire, capture, tmp_path):
    (camera,) = capture._cell._cameras._cameras
    publish_states(wire)
    wire.until(lambda: camera.subscription._profile)
    publish_clouds(wire, camera, [*bad_clouds(), *GARBAGE])
    wire.until(lambda: camera.damage, lambda: wire.clouds.publish(GARBAGE[-1]))
    assert camera.damage in capture._cell.missing()
    here = {"pan": 0.3, "tilt": 0.3}
    wire.until(
        lambda: (capture._cell.history.latest or (0, 0))[1] == here,
        lambda: wire.joints.publish(joint_state(here, 500.0)),
    )
    assert len(capture._cell._seen) <= 6000
    assert not (tmp_path / "recordings").exists()


def test_the_publisher_sends_no_transform_that_is_not_finite(wire, result):
    node = wire.run(PublisherNode(parameter_overrides=[Parameter("result", value=str(result))]))
    sent = []
    wire.talker.create_subscription(TFMessage, "/tf", sent.append, 100)
    wire.until(lambda: sent)
    publish_states(wire)
    begun = len(sent)
    wire.until(
        lambda: len(sent) > begun + 3,
        lambda: wire.joints.publish(joint_state(HERE, 200.0)),
    )
    for message in sent:
        for one in message.transforms:
            place, turn = one.transform.translation, one.transform.rotation
            values = [place.x, place.y, place.z, turn.x, turn.y, turn.z, turn.w]
            assert all(map(math.isfinite, values))
    assert "j4999" in node._readings.unknown(node._model)


def test_a_flood_of_joint_states_keeps_memory_bounded_and_the_node_answering(wire, monitor):
    message = joint_state(HERE, 0.0)
    for number in range(12_000):
        message.header.stamp = time_message(200.0 + 1e-4 * number)
        wire.joints.publish(message)
        if number % 10 == 0:
            wire.executor.spin_once(timeout_sec=0.0)
    last = 201.0
    wire.until(
        lambda: monitor._readings.latest[0] > last, lambda: wire.executor.spin_once(timeout_sec=0)
    )
    assert len(monitor._readings._readings) <= 5000
    published = []
    monitor._diagnostics.publish_all = published.append
    wire.until(lambda: published)


def test_what_vanishes_is_reported_and_what_comes_again_is_watched(wire, monitor):
    monitor._settings = type(monitor._settings)(**vars(monitor._settings) | {"cloud_timeout": 0.5})
    stamps = iter(range(1000, 1_000_000))

    def send():
        stamp = 0.1 * next(stamps)
        wire.joints.publish(joint_state(HERE, stamp))
        wire.clouds.publish(cloud_from_points(POINTS, None, stamp, "lens"))

    wire.until(lambda: monitor._worker.processed[TOPIC] > 2, send)
    wire.talker.destroy_publisher(wire.clouds)
    wire.talker.destroy_publisher(wire.joints)
    wire.until(
        lambda: (
            {f"nothing publishes {TOPIC}"} <= set(problems_of(monitor))
            and any("no joint states on" in one for one in problems_of(monitor))
        )
    )
    wire.clouds = wire.talker.create_publisher(PointCloud2, TOPIC, 5)
    wire.joints = wire.talker.create_publisher(JointState, "/joint_states", 50)
    before = monitor._worker.processed[TOPIC]
    wire.until(lambda: monitor._worker.processed[TOPIC] > before + 2, send)


def test_who_comes_late_gets_the_model_and_its_transforms(wire, monitor, result):
    wire.run(PublisherNode(parameter_overrides=[Parameter("result", value=str(result))]))
    wire.until(lambda: wire.nodes[-1]._model is not None)
    late = rclpy.create_node("late")
    wire.executor.add_node(late)
    heard = {}
    for topic in ("/robot_description", "/robot_description_semantic", "/reconstruction/completed"):
        late.create_subscription(
            String, topic, lambda message, topic=topic: heard.update({topic: message.data}), LATCHED
        )
    late.create_subscription(TFMessage, "/tf_static", lambda m: heard.update(tf=m), LATCHED)
    wire.until(lambda: len(heard) == 4)
    assert heard["/robot_description"].startswith("<robot")
    wire.executor.remove_node(late)
    late.destroy_node()


@pytest.mark.parametrize("to", [5.0, 1e6])
def test_a_simulated_clock_that_jumps_leaves_the_monitor_watching(wire, result, tmp_path, to):
    given = {"history": str(tmp_path / "models"), "result": str(result), "cameras": [TOPIC]}
    given |= {"use_sim_time": True}
    node = wire.run(
        MonitorNode(parameter_overrides=[Parameter(k, value=v) for k, v in given.items()])
    )
    wire.place()
    clock = wire.talker.create_publisher(Clock, "/clock", 5)
    now = 1000.0

    def send():
        nonlocal now
        now += 0.1
        clock.publish(Clock(clock=time_message(now)))
        wire.joints.publish(joint_state(HERE, now))
        wire.clouds.publish(cloud_from_points(POINTS, None, now, "lens"))

    wire.until(lambda: node._worker.processed[TOPIC] > 3, send)
    now, before = to, node._worker.processed[TOPIC]
    wire.until(lambda: node._worker.processed[TOPIC] > before + 3, send)
    assert node._readings.latest[0] == pytest.approx(now, abs=60.0)
    assert node.get_clock().now().nanoseconds * 1e-9 == pytest.approx(now, abs=60.0)


SWING_UP_LIMITS = {
    f"limits.{name}": value
    for name, value in (
        ("lower", -1.0),
        ("upper", 1.0),
        ("velocity", 1.0),
        ("effort", 1.0),
        ("effort_rate", 1.0),
    )
}
# By node: the parameters that it needs, and where all are written.
NODES = {
    MonitorNode: ({"cameras": [TOPIC]}, "monitor"),
    CaptureNode: (PARAMETERS, "capture"),
    PublisherNode: ({}, "publisher"),
    RenderingNode: ({"model": "no/result"}, "rendering"),
    ReconstructionNode: ({}, "reconstruction"),
    SliderNode: ({}, "slider"),
    SwingUpNode: (SWING_UP_LIMITS, "swing_up"),
    MechanismCellNode: ({}, "mechanism_cell"),
}
WRONG = (True, 7, 1.5, "x", ["x"], [1, 2], [True], [1.5], math.nan, "")


@pytest.mark.parametrize("kind", NODES, ids=lambda kind: kind.__name__)
def test_a_parameter_of_a_wrong_type_is_named_and_nothing_runs(ros, tmp_path, monkeypatch, kind):
    needed, file = NODES[kind]
    (written,) = yaml.safe_load((CONFIG / f"{file}.yaml").read_text()).values()
    monkeypatch.chdir(tmp_path)
    refused = 0
    for parameter, given in {**written["ros__parameters"], "use_sim_time": False}.items():
        for value in WRONG:
            if not may_be(value, given):
                given_all = overrides({**needed, parameter: value})
                with pytest.raises(InputError, match=rf"\b{parameter}\b"):
                    made(partial(kind, parameter_overrides=given_all)).destroy_node()
                refused += 1
    assert refused > 3 * len(written["ros__parameters"])


def may_be(value, given):
    """Whether a value of that type may be accepted in place of the written one."""
    if isinstance(given, list):
        return isinstance(value, list) or given == []
    if isinstance(given, float):
        return isinstance(value, int | float) and not isinstance(value, bool)
    return type(value) is type(given)


def test_another_node_of_the_same_name_is_reported(ros, capfd):
    first, second = (rclpy.create_node("publisher") for _ in range(2))
    executor = SingleThreadedExecutor()
    executor.add_node(first)
    report_namesakes(first, period=0.05)
    end = time.monotonic() + 60
    errors = ""
    while "another node is named /publisher" not in errors:
        assert time.monotonic() < end
        executor.spin_once(timeout_sec=0.05)
        errors += capfd.readouterr().err
    executor.shutdown()
    for node in (first, second):
        node.destroy_node()
