"""The ROS probes of `autourdf doctor`: an echo, a round trip, a list of the topics."""

from __future__ import annotations

import json
import sys
import time

import numpy as np
import rclpy
from rclpy.node import Node
from rclpy.qos import QoSProfile, ReliabilityPolicy
from rclpy.utilities import get_rmw_implementation_identifier
from sensor_msgs.msg import PointCloud2
from sensor_msgs_py import point_cloud2
from std_msgs.msg import Header

POINTS = 640 * 480
TIMEOUT_S = 30.0
DISCOVERY_S = 3.0
RELIABLE = QoSProfile(depth=1, reliability=ReliabilityPolicy.RELIABLE)


def echo(node: Node) -> None:
    """Send every cloud back, until killed."""
    publisher = node.create_publisher(PointCloud2, "autourdf_doctor/back", RELIABLE)
    node.create_subscription(PointCloud2, "autourdf_doctor/there", publisher.publish, RELIABLE)
    rclpy.spin(node)


def round_trip(node: Node) -> None:
    """Send a cloud until it comes back unchanged; print size, time and middleware as JSON."""
    points = np.random.default_rng().random((POINTS, 3), dtype=np.float32)
    cloud = point_cloud2.create_cloud_xyz32(Header(frame_id="doctor"), points)
    received: list[float] = []

    def compare(answer: PointCloud2) -> None:
        if answer.data == cloud.data:
            received.append(time.monotonic())

    node.create_subscription(PointCloud2, "autourdf_doctor/back", compare, RELIABLE)
    publisher = node.create_publisher(PointCloud2, "autourdf_doctor/there", RELIABLE)
    deadline = time.monotonic() + TIMEOUT_S
    while not received and time.monotonic() < deadline:
        sent = time.monotonic()
        publisher.publish(cloud)
        while not received and time.monotonic() < sent + 1.0:
            rclpy.spin_once(node, timeout_sec=0.1)
    if not received:
        sys.exit(f"nothing came back within {TIMEOUT_S:g} s")
    answer = {
        "megabytes": len(cloud.data) / 1e6,
        "seconds": received[0] - sent,
        "implementation": get_rmw_implementation_identifier(),
    }
    print(json.dumps(answer))


def topics(node: Node) -> None:
    """Print the type of every topic of other nodes, as JSON."""
    deadline = time.monotonic() + DISCOVERY_S
    while time.monotonic() < deadline:
        rclpy.spin_once(node, timeout_sec=0.1)
    own = {name for name, _ in node.get_publisher_names_and_types_by_node(node.get_name(), "/")}
    print(
        json.dumps(
            {
                name: kinds[0]
                for name, kinds in node.get_topic_names_and_types()
                if name not in own or len(node.get_publishers_info_by_topic(name)) > 1
            }
        )
    )


def main() -> None:
    """Run the probe named by the argument."""
    probes = {"echo": echo, "round-trip": round_trip, "topics": topics}
    rclpy.init()
    probes[sys.argv[1]](rclpy.create_node("autourdf_doctor", enable_rosout=False))


if __name__ == "__main__":
    main()
