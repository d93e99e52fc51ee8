"""The monitor node as a process, before a robot whose zero slips, over DDS."""

import json
import shutil
import sys
import threading
import time
from concurrent.futures import Future
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import rclpy
import yaml
from diagnostic_msgs.msg import DiagnosticStatus
from geometry_msgs.msg import TransformStamped
from live import LATCHED, Observer, node_process, trigger
from rclpy.parameter import Parameter
from rclpy.qos import qos_profile_sensor_data
from sensor_msgs.msg import PointCloud2
from std_msgs.msg import String
from std_srvs.srv import Trigger
from tf2_ros import StaticTransformBroadcaster
from visualization_msgs.msg import Marker, MarkerArray

from autourdf_ros.errors import InputError
from autourdf_ros.model.result_files import DOCUMENT
from autourdf_ros.monitoring.change import Change
from autourdf_ros.monitoring.continual.model_history import ModelHistory
from autourdf_ros.monitoring.observation_report import LinkState, Report
from autourdf_ros.monitoring.observing.watched_model import load_watched_model
from autourdf_ros.monitoring.repairing.refined_axes import LEAST_OBSERVATIONS, RefinedAxes
from autourdf_ros.ros.cell.camera import PlacedCloud
from autourdf_ros.ros.common import conversions
from autourdf_ros.ros.monitor.monitor_node import MonitorNode
from autourdf_ros.ros.monitor.watching_worker import WatchingWorker
from autourdf_ros.simulation.cameras.pinhole_camera import Camera

sys.path.insert(0, str(Path(__file__).parents[2] / "monitoring"))
from repaired_arm import (
    CAMERAS,
    COARSE_LENS,
    compared,
    depth_points,
    observations,
    slipped,
    work,
    written_arm,
)

TOPICS = {name: f"/{name}/points" for name in CAMERAS}
NO_DEFAULTS = {"forbidden", "keep_out", "minimum_height", "image_topics"}


class MovingArm(Observer):
    """An arm that moves to and fro before its cameras, as a model says that it stands."""

    def __init__(self, model):
        super().__init__("arm")
        self.model, self.rng = model, np.random.default_rng(0)
        self.published, self.markers = [], []
        node = self.node
        self.clouds = {
            name: node.create_publisher(PointCloud2, topic, qos_profile_sensor_data)
            for name, topic in TOPICS.items()
        }
        self.broadcaster = StaticTransformBroadcaster(node)
        transforms = []
        for name, pose in CAMERAS.items():
            placed = TransformStamped(
                child_frame_id=f"{name}_optical", transform=conversions.transform_message(pose)
            )
            placed.header.frame_id = "base_link"
            transforms.append(placed)
        self.broadcaster.sendTransform(transforms)
        node.create_subscription(
            String, "/models", lambda message: self.published.append(message.data), LATCHED
        )
        node.create_subscription(MarkerArray, "/monitor/markers", self._on_markers, LATCHED)
        node.create_timer(0.05, self.move)
        self.steps = 0

    def _on_markers(self, message):
        self.markers = message.markers

    def move(self):
        """Publish joint states, and now and then clouds."""
        now = self.node.get_clock().now().nanoseconds * 1e-9
        readings = work(now)
        self.joint_states.publish(conversions.joint_state(readings, now))
        self.steps += 1
        if self.steps % 4:
            return
        for name, pose in CAMERAS.items():
            points = depth_points(self.model, readings, Camera(COARSE_LENS, pose), self.rng)
            cloud = conversions.cloud_from_points(points, None, now, f"{name}_optical")
            self.clouds[name].publish(cloud)

    def keys(self, name):
        """Of all values of the newest status of that name."""
        status = next(s for s in reversed(self.diagnostics) if s.name == name)
        return {item.key for item in status.values}

    def values(self):
        """Of the newest status of the node itself."""
        status = next(s for s in reversed(self.diagnostics) if s.name == "monitor")
        return {item.key: item.value for item in status.values}


@pytest.fixture(scope="module")
def result(tmp_path_factory):
    return written_arm(tmp_path_factory.mktemp("results") / "arm")


@pytest.mark.timeout(900)  # a repair takes its time on a busy machine
def test_a_slipped_zero_is_reported_repaired_and_taken_back(result, tmp_path):
    model = load_watched_model(result)
    history = tmp_path / "models"
    parameters = {
        "history": history,
        "result": result,
        "cameras": "[" + ", ".join(TOPICS.values()) + "]",
        "published_topic": "/models",
        "learning": 5.0,
    }
    rclpy.init()
    watching = MovingArm(model)
    try:
        with node_process("monitor_node", parameters=parameters) as process:
            repair, refine, rollback = (
                watching.node.create_client(Trigger, f"/monitor/{name}")
                for name in ("repair", "refine", "rollback")
            )
            watching.status("monitor", "learning", 120)
            assert watching.published == [str(history / "0001")]
            answer = trigger(repair, watching.until, "already")
            assert not answer.success and "no change is reported" in answer.message
            watching.status("monitor", "watching", 120)
            # Nothing is reported of a healthy robot for some more clouds.
            before = watching.steps
            watching.until(lambda: watching.steps > before + 60, 120)
            assert not [s for s in watching.diagnostics if "zero slipped" in s.message]
            # Observations of this work are gathered, too few yet.
            watching.until(lambda: int(watching.values()["gathered looks"]) > 0, 120)
            assert watching.values()["drift"] == "none"
            answer = trigger(refine, watching.until, "already")
            assert not answer.success and "too few observations" in answer.message

            watching.model = slipped(model, np.radians(3.0))
            watching.status("monitor", "beyond joint arm/lift is displaced", 120)
            assert watching.values()["change 1"] == "joint_zero arm/lift"
            answer = trigger(refine, watching.until, "already")
            assert not answer.success and "while a change is reported" in answer.message
            # A camera's statistic is there from its first judgement, a residual where it sees it.
            left = {f"/left/points: {name}" for name in ("residual (mm)", "coverage")}
            watching.until(lambda: watching.keys("monitor: link_2") >= left, 120)
            watching.until(lambda: any(m.ns == "parts" for m in watching.markers))
            assert watching.markers[0].action == Marker.DELETEALL
            # It needs some observations since the change.
            before = watching.steps
            watching.until(lambda: watching.steps > before + 60, 120)

            answer = trigger(repair, watching.until, "already")
            assert answer.success and answer.message == "repairing joint_zero arm/lift"
            watching.until(lambda: len(watching.published) > 1, 120)
            assert watching.published[-1] == str(history / "0002")
            document = json.loads((history / "0002" / DOCUMENT).read_text())
            (record,) = document["repairs"]
            offset = np.degrees(record["parameters"][0]["value"])
            assert offset == pytest.approx(3.0, abs=0.4)
            watching.status("monitor", "watching", 120)

            answer = trigger(rollback, watching.until, ("already", str(history)))
            assert answer.success
            watching.until(lambda: watching.published[-1] == str(history / "0001"))
            assert ModelHistory(history).current() == history / "0001"
            assert (history / "0002").exists()
            assert process.poll() is None
    finally:
        watching.close()
        rclpy.try_shutdown()


def made(**values):
    """The node in this process; ended by the caller."""
    return MonitorNode(
        parameter_overrides=[Parameter(name, value=value) for name, value in values.items()]
    )


@pytest.fixture
def ros():
    rclpy.init()
    yield
    rclpy.try_shutdown()


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({}, "parameter cameras is empty"),
        ({"cameras": ["/a", "a"]}, "parameter cameras names /a twice"),
        ({"cameras": ["/a"], "policy": "always"}, "parameter policy is 'always'; accepted is one"),
        ({"cameras": ["/a"], "camera": "/b"}, "parameter camera is unknown; accepted are those of"),
        ({"cameras": ["/a"]}, "holds no model"),
        ({"cameras": ["/a"], "result": "/nowhere"}, "/nowhere: is no result folder"),
    ],
)
def test_what_cannot_be_used_is_named(ros, values, message, tmp_path):
    with pytest.raises(InputError, match=message):
        made(history=str(tmp_path / "models"), **values)


def status_of(node):
    """Return the node's own status."""
    sent = []
    node._diagnostics = SimpleNamespace(publish_all=sent.append)
    node._publish_status()
    status = sent[0][0]
    return status, {item.key: item.value for item in status.values}


def test_what_is_not_watched_is_never_reported_as_well(ros, result, tmp_path, monkeypatch):
    node = made(history=str(tmp_path / "models"), result=str(result), cameras=["/a"])
    try:
        (camera,) = node._cameras
        monkeypatch.setattr(camera, "problem", lambda: "")
        monkeypatch.setattr(WatchingWorker, "unjudged", lambda *_: 6.0)
        node._readings.add(2.0, dict.fromkeys(node._readings.joints, 0.0))
        status, values = status_of(node)
        assert status.level == DiagnosticStatus.ERROR
        assert values["problems"] == "no joint states on /joint_states yet"
        node._joint_states._arrival = time.monotonic()
        camera._placed = PlacedCloud(1000.0, b"", np.eye(4))
        _, values = status_of(node)
        assert (
            "no cloud of /a was judged for 6.0 s: the newest cloud is of 1000.000 s"
            in (values["problems"])
        )
        # A reported change hides nothing.
        change = Change("joint_zero", "arm/lift", (), 20.0, "seen")
        node._worker.session.report = Report(1.0, True, {}, (change,))
        status, values = status_of(node)
        assert status.message == "seen" and "was judged for" in values["problems"]
        # Nor does one whose cause is not decided yet.
        node._worker.session.report = Report(1.0, True, {}, (), "something changed near link arm")
        status, values = status_of(node)
        assert status.level == DiagnosticStatus.WARN and "near link arm" in status.message
        assert values["watched loosely"] == "nothing"
    finally:
        node.close()
        node.destroy_node()


def test_a_failed_repair_is_reported_and_the_robot_watched_on(ros, result, tmp_path):
    node = made(history=str(tmp_path / "models"), result=str(result), cameras=["/a"])
    try:
        node._task = Future()
        node._doing = "repairing"
        node._task.set_exception(np.linalg.LinAlgError("singular"))
        node._on_poll()
        assert status_of(node)[1]["repair"] == "repairing failed: LinAlgError: singular"
        assert node._task is None and node._worker.submit(lambda: 1).result(60) == 1
    finally:
        node.close()
        node.destroy_node()


@pytest.mark.timeout(900)  # it refines twice
def test_a_refined_model_is_published(ros, result, tmp_path, monkeypatch):
    history = ModelHistory(tmp_path / "models")
    history.add(result)
    node = made(history=str(history.root), cameras=list(TOPICS.values()), policy="auto")
    try:
        session = node._worker.session
        model, seen = session.model, []
        # Each once: what is held out must not have been fitted, too.
        for number, one in enumerate(observations(model, 2 * LEAST_OBSERVATIONS, 5)):
            topic = TOPICS[one.camera]
            seen.append(replace(one, camera=topic, stamp=number // 2 * 5.0))
        for comparison in compared(model, seen):
            session.daily.add(comparison)
        answers = [node._on_refine(None, Trigger.Response()) for _ in range(2)]
        assert [one.success for one in answers] == [True, False]
        assert [one.message for one in answers] == ["refining all axes", "already refining"]
        node._task.result(400)
        node._on_poll()
        # The model is right: nothing explains more.
        assert "not kept: " in status_of(node)[1]["repair"]
        assert "all axes re-estimated from" in status_of(node)[1]["repair"]
        # By itself, when it would get much surer; a model that passes is current.
        monkeypatch.setattr(RefinedAxes, "accepted", True)
        session.daily.ready = True
        node._on_poll()
        node._task.result(400)
        node._on_poll()
        second = history.root / "0002"
        assert history.current() == node._worker.session.folder == second
        assert status_of(node)[1]["repair"].endswith(f"current is {second}")
        assert status_of(node)[1]["gathered looks"] == "0" and node._task is None
    finally:
        node.close()
        node.destroy_node()


def test_a_rollback_is_one_task_at_a_time(ros, result, tmp_path):
    history = ModelHistory(tmp_path / "models")
    first, second = history.add(result), history.add(result)
    node = made(history=str(history.root), cameras=["/a"])
    try:
        held = threading.Event()
        before = node._worker.submit(held.wait)
        answer = node._on_rollback(None, Trigger.Response())
        # Nothing was changed where the worker is busy.
        assert not answer.success and answer.message == "busy; call again"
        assert history.current() == second
        held.set()
        before.result(60)
        answer = node._on_rollback(None, Trigger.Response())
        assert answer.success and answer.message == f"going back to {first}"
        assert not node._on_rollback(None, Trigger.Response()).success
        node._task.result(60)
        node._on_poll()
        assert history.current() == node._worker.session.folder == first
        assert status_of(node)[1]["repair"] == f"went back to {first}"
        answer = node._on_rollback(None, Trigger.Response())
        assert not answer.success and "no model came before" in answer.message
    finally:
        node.close()
        node.destroy_node()


def test_links_of_a_camera_are_those_of_its_latest_report(ros, result, tmp_path):
    node = made(history=str(tmp_path / "models"), result=str(result), cameras=["/a", "/b"])
    try:
        state = LinkState(0.001, 5, 1.0, 1.0)
        for links in ([("/a", "link_1"), ("/a", "link_2")], [("/b", "link_1")], [("/a", "link_2")]):
            node._worker.session.report = Report(1.0, True, dict.fromkeys(links, state), ())
            node._publish_status()
        assert set(node._links) == {("/a", "link_2"), ("/b", "link_1")}
    finally:
        node.close()
        node.destroy_node()


def test_a_result_that_is_not_watched_is_reported(ros, result, tmp_path, capfd):
    history = ModelHistory(tmp_path / "models")
    first = history.add(result)
    other = shutil.copytree(result, tmp_path / "other")
    document = json.loads((other / DOCUMENT).read_text())
    (other / DOCUMENT).write_text(json.dumps(document | {"name": "other"}))
    for given, warned in ((result, False), (other, True)):
        node = made(history=str(history.root), result=str(given), cameras=["/a"])
        node.close()
        node.destroy_node()
        assert (
            f"{history.root} holds other models: {first} is watched" in capfd.readouterr().err
        ) == warned


def test_every_parameter_stands_in_the_yaml(ros, result, tmp_path):
    (content,) = yaml.safe_load(Path("config/monitor.yaml").read_text()).values()
    given = content["ros__parameters"] | {
        "history": str(tmp_path / "models"),
        "result": str(result),
    }
    node = made(**given)
    try:
        declared = {
            name: node.get_parameter(name).value
            for name in node._parameters
            if name not in ("use_sim_time", "start_type_description_service")
        }
        # Boxes, heights and configurations that are forbidden have no defaults.
        assert {name for name, value in declared.items() if value is None} == NO_DEFAULTS
        assert {n: v for n, v in declared.items() if n not in NO_DEFAULTS} == given
        assert all(node.describe_parameter(name).description for name in declared)
    finally:
        node.close()
        node.destroy_node()
