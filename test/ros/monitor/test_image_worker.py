"""The monitor node watches by colour images: real messages to a node in another process."""

import json
import time

import numpy as np
import pytest
import rclpy
from diagnostic_msgs.msg import DiagnosticStatus
from geometry_msgs.msg import TransformStamped
from live import Observer, node_process
from made_once import copy_of
from quick_splats import QUICK, write_quick_splats
from rclpy.parameter import Parameter
from sample_results import write_small_arm
from sensor_msgs.msg import CameraInfo, Image
from synthetic_robot import MOTORS
from tf2_ros import StaticTransformBroadcaster

from autourdf_ros.data.images.posed_camera import PinholeCamera, look_at
from autourdf_ros.model.result_files import DOCUMENT
from autourdf_ros.ros.common.conversions import (
    image_message,
    joint_state,
    time_message,
    transform_message,
)
from autourdf_ros.ros.monitor.monitor_node import MonitorNode
from autourdf_ros.workflows.appearance.drawn_robot import DrawnRobot

POSE = look_at(np.array([0.9, 0.9, 0.8]), np.array([0.15, 0.0, 0.25]))
LENS = PinholeCamera(160, 120, (140.0, 140.0), (79.5, 59.5), POSE)
WALL = np.random.default_rng(0).uniform(70, 130, (120, 160, 3))
NAME = "monitor: colour"


@pytest.fixture(scope="module")
def splats(tmp_path_factory):
    folder = copy_of(QUICK, write_quick_splats, tmp_path_factory.mktemp("results") / "splats")
    # The images of this test are drawn by the splats themselves, which predict them well.
    document = json.loads((folder / DOCUMENT).read_text())
    document["images"]["link_psnr"] = dict.fromkeys(document["images"]["link_psnr"], 30.0)
    (folder / DOCUMENT).write_text(json.dumps(document))
    return folder


class ColoredArm(Observer):
    """An arm that moves slowly before a wall; a camera sees it as its splats say."""

    def __init__(self, folder):
        super().__init__("arm")
        self.drawn, self.rng = DrawnRobot(folder), np.random.default_rng(0)
        self.off, self.late, self.image_sent, self.size = {}, 0.0, True, (120, 160)
        node = self.node
        self.images = node.create_publisher(Image, "/eye/image", 5)
        self.infos = node.create_publisher(CameraInfo, "/eye/camera_info", 5)
        self.broadcaster = StaticTransformBroadcaster(node)
        placed = TransformStamped(child_frame_id="lens", transform=transform_message(POSE))
        placed.header.frame_id = "base_link"
        self.broadcaster.sendTransform(placed)
        node.create_timer(0.05, self.move)
        self.steps = 0

    def move(self):
        now = self.node.get_clock().now().nanoseconds * 1e-9
        readings = dict.fromkeys(MOTORS, 0.1)
        readings["shoulder-pan"] = 0.3 + 0.4 * np.sin(0.4 * now)
        readings["arm/lift"] = -0.2 + 0.25 * np.sin(0.6 * now)
        self.joint_states.publish(joint_state(readings, now))
        self.steps += 1
        if self.steps % 4 == 0 and self.image_sent:
            self.see(readings, now - self.late)

    def see(self, readings, stamp):
        """Publish an image and its CameraInfo."""
        info = CameraInfo(width=160, height=120, distortion_model="plumb_bob")
        info.header.frame_id = "lens"
        info.header.stamp = time_message(stamp)
        (fx, fy), (cx, cy) = LENS.focal, LENS.principal
        info.k = [fx, 0.0, cx, 0.0, fy, cy, 0.0, 0.0, 1.0]
        self.infos.publish(info)
        true = {name: value + self.off.get(name, 0.0) for name, value in readings.items()}
        seen = self.drawn.draw(true, LENS)
        color = seen.color + (1 - seen.mask[..., None]) * WALL
        color = (color + self.rng.normal(0, 2, color.shape)).clip(0, 255).astype(np.uint8)
        height, width = self.size
        self.images.publish(image_message(color[:height, :width].copy(), "rgb8", info.header))


@pytest.mark.timeout(600)
def test_a_fault_in_colour_alone_is_a_warning_and_stale_once_images_stop(splats, tmp_path):
    parameters = {
        "history": tmp_path / "models",
        "result": splats,
        "cameras": "[/nobody/points]",
        "image_topics": "[/eye/image]",
        "image_period": 0.2,
        "learning": 8.0,
    }
    rclpy.init()
    arm = ColoredArm(splats)
    try:
        with node_process("monitor_node", parameters=parameters) as process:
            learning = arm.status(NAME, "learning how the robot looks", 120)
            assert learning.level == DiagnosticStatus.OK
            healthy = arm.status(NAME, "images show the robot as its splats predict it", 120)
            values = {item.key: item.value for item in healthy.values}
            assert values["problems"] == "none" and values["names"] == "none"
            assert float(values["link_2: residual beside the learnt"]) < 1.3
            assert "nan" not in " ".join(values.values())

            arm.size = (100, 160)
            status = arm.status(NAME, "as its CameraInfo", 120)
            assert status.level == DiagnosticStatus.ERROR
            arm.size = (120, 160)
            arm.status(NAME, "images show the robot as its splats predict it", 120)

            arm.off = {"arm/lift": 0.12}
            found = arm.status(NAME, "which explains", 240)
            while found.level != DiagnosticStatus.WARN:  # it is judged once more
                assert "judged once more" in found.message
                found = arm.status(NAME, "which explains", 240)
            (joint,) = [item.value for item in found.values if item.key == "names"]
            assert joint == "arm_lift"
            # The clouds' own status says it in the same words: no cloud says anything.
            alone = arm.status("monitor", "by colour images alone", 120)
            assert alone.level == DiagnosticStatus.WARN and "which explains" in alone.message

            arm.image_sent = False
            stale = arm.status(NAME, "before: ", 120)
            assert stale.level == DiagnosticStatus.STALE and "which explains" in stale.message
            problem = arm.status("monitor", "nothing publishes /nobody/points", 60)
            assert problem.level == DiagnosticStatus.ERROR
            assert process.poll() is None
    finally:
        arm.close()
        rclpy.try_shutdown()


@pytest.fixture
def ros():
    rclpy.init()
    yield
    rclpy.try_shutdown()


def node_of(result, history, **values):
    given = {"history": str(history), "result": str(result), "cameras": ["/a"], **values}
    return MonitorNode(parameter_overrides=[Parameter(k, value=v) for k, v in given.items()])


def color_status(node):
    """Return the status of the colour watch."""
    sent = []
    node._diagnostics = type("Sent", (), {"publish_all": lambda _, one: sent.append(one)})()
    node._publish_status()
    return next(one for one in sent[0] if one.name == NAME)


def until(condition):
    end = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.02)


def test_a_result_without_splats_is_named(ros, tmp_path):
    result = write_small_arm(tmp_path / "arm")
    node = node_of(result, tmp_path / "models", image_topics=["/eye/image"])
    try:
        until(lambda: node._colors._model_problem)
        status = color_status(node)
        assert status.level == DiagnosticStatus.ERROR
        assert "has no splats; accepted is a folder that 'autourdf splat' added" in status.message
    finally:
        node.close()
        node.destroy_node()
