"""The demo's external observer against descriptions that other processes publish."""

import json
import subprocess
import sys
from contextlib import contextmanager

URDF = """<robot name="{name}">
  <link name="base_link"/>
  <link name="arm"><visual><geometry><mesh filename="file://{mesh}"/></geometry></visual></link>
  <joint name="turn" type="revolute"><parent link="base_link"/><child link="arm"/>
    <axis xyz="0 0 1"/><limit lower="-1" upper="1" effort="1" velocity="1"/></joint>
</robot>"""

PUBLISH = """
import sys, rclpy
from geometry_msgs.msg import TransformStamped
from rclpy.qos import DurabilityPolicy, QoSProfile
from std_msgs.msg import String
from tf2_ros import StaticTransformBroadcaster
rclpy.init()
node = rclpy.create_node("publisher_of_the_test")
latched = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
publisher = node.create_publisher(String, "/robot_description", latched)
publisher.publish(String(data=sys.argv[1]))
broadcaster = StaticTransformBroadcaster(node)
if sys.argv[2:]:
    message = TransformStamped(child_frame_id=sys.argv[2])
    message.header.frame_id = "base_link"
    message.transform.rotation.w = 1.0
    broadcaster.sendTransform(message)
print("ready", flush=True)
rclpy.spin(node)
"""


@contextmanager
def publisher(*arguments):
    """Publish a description, and the transform of a link if one is named."""
    command = [sys.executable, "-c", PUBLISH, *arguments]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        try:
            assert process.stdout.readline() == b"ready\n"
            yield
        finally:
            process.kill()


def observer(timeout, *more, given=""):
    """What the external observer prints, where this is given to it."""
    module = "autourdf_ros.ros.observers.external_observer"
    command = [sys.executable, "-m", module, "--timeout", str(timeout), *more]
    return subprocess.run(
        command, input=given, capture_output=True, text=True, timeout=90, check=True
    ).stdout


def observe(timeout):
    """What the external observer reports."""
    return json.loads(observer(timeout))


def test_a_right_description_is_found_right(tmp_path):
    mesh = tmp_path / "arm.obj"
    mesh.write_text("")
    with publisher(URDF.format(name="right", mesh=mesh), "arm"):
        seen = observe(60)
    assert seen["robot"] == "right"
    assert seen["links"] == ["base_link", "arm"]
    assert seen["joints"] == ["turn"]
    assert seen["missing"] == seen["missing_meshes"] == []


def test_what_is_missing_is_named(tmp_path):
    mesh = str(tmp_path / "nothing.obj")
    with publisher(URDF.format(name="poor", mesh=mesh), "leg"):
        seen = observe(12)
    assert seen["missing"] == ["arm"]
    assert seen["missing_meshes"] == [mesh]


def test_a_description_that_does_not_parse_is_reported():
    with publisher("<robot"):
        assert "does not parse" in observe(60)["error"]


def test_silence_is_reported():
    assert "no message on" in observe(2)["error"]


def test_it_listens_when_it_is_asked_to(tmp_path):
    mesh = tmp_path / "arm.obj"
    mesh.write_text("")
    with publisher(URDF.format(name="right", mesh=mesh), "arm"):
        seen = json.loads(observer(60, "--wait", given="\n"))
    assert seen["robot"] == "right" and not seen["missing"]


def test_it_ends_where_nobody_waits_for_it_any_more():
    assert observer(60, "--wait") == ""
