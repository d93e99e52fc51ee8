"""Broadcasters and listener over real DDS, in two processes."""

import subprocess
import sys
import time
from collections.abc import Iterator

import pytest
import rclpy
import tf2_ros
from rclpy.node import Node
from rclpy.qos import DurabilityPolicy
from rclpy.time import Time

BROADCASTER = """
import rclpy, tf2_ros
from geometry_msgs.msg import TransformStamped

rclpy.init()
node = rclpy.create_node("broadcaster")
static = tf2_ros.StaticTransformBroadcaster(node)
moving = tf2_ros.TransformBroadcaster(node)

def transform(parent, child, x):
    message = TransformStamped()
    message.header.frame_id = parent
    message.header.stamp = node.get_clock().now().to_msg()
    message.child_frame_id = child
    message.transform.translation.x = x
    return message

static.sendTransform(transform("world", "base", 1.0))
static.sendTransform([transform("flange", "tool", 4.0)])
# As documented, the first transform of a static frame stays.
static.sendTransform(transform("world", "base", 100.0))
node.create_timer(0.05, lambda: moving.sendTransform(transform("base", "flange", 2.0)))
rclpy.spin(node)
"""


@pytest.fixture
def node() -> Iterator[Node]:
    process = subprocess.Popen([sys.executable, "-c", BROADCASTER], stderr=subprocess.DEVNULL)
    rclpy.init()
    node = rclpy.create_node("listener")
    yield node
    node.destroy_node()
    rclpy.shutdown()
    process.kill()
    process.wait()


def test_a_late_listener_gets_static_and_moving_frames(node: Node) -> None:
    buffer = tf2_ros.Buffer()
    listener = tf2_ros.TransformListener(buffer, node)
    deadline = time.monotonic() + 30
    while not buffer.can_transform("world", "tool", Time()) and time.monotonic() < deadline:
        rclpy.spin_once(node, timeout_sec=0.1)
    found = buffer.lookup_transform("world", "tool", Time())
    assert found.transform.translation.x == pytest.approx(7.0)
    (publisher,) = node.get_publishers_info_by_topic("/tf_static")
    assert publisher.qos_profile.durability == DurabilityPolicy.TRANSIENT_LOCAL
    listener.unregister()
    assert node.count_subscribers("/tf_static") == 0
