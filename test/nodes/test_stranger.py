"""The demo's stranger against descriptions that other processes publish."""

import json
import subprocess
import sys

import pytest

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
rclpy.spin(node)
"""


def look(timeout, *arguments):
    """What the stranger says while a publisher with these arguments runs."""
    publisher = subprocess.Popen([sys.executable, "-c", PUBLISH, *arguments]) if arguments else None
    command = [sys.executable, "-m", "autourdf_ros.nodes.stranger", "--timeout", str(timeout)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)
    finally:
        if publisher is not None:
            publisher.kill()
            publisher.wait()
    return json.loads(done.stdout)


def test_a_right_description_is_found_right(tmp_path):
    mesh = tmp_path / "arm.obj"
    mesh.write_text("")
    seen = look(30, URDF.format(name="right", mesh=mesh), "arm")
    assert seen["robot"] == "right"
    assert seen["links"] == ["base_link", "arm"]
    assert seen["joints"] == ["turn"]
    assert seen["missing"] == seen["missing_meshes"] == []


def test_what_is_missing_is_named(tmp_path):
    mesh = str(tmp_path / "nothing.obj")
    seen = look(4, URDF.format(name="poor", mesh=mesh), "leg")
    assert seen["missing"] == ["arm"]
    assert seen["missing_meshes"] == [mesh]


@pytest.mark.parametrize(
    ("arguments", "complaint"), [((), "no message on"), (("<robot",), "does not parse")]
)
def test_a_useless_description_is_told(arguments, complaint):
    assert complaint in look(4, *arguments)["error"]
