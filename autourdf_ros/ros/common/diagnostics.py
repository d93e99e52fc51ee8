"""The status of a node on /diagnostics."""

from __future__ import annotations

from collections.abc import Mapping

from diagnostic_msgs.msg import DiagnosticArray
from rclpy.node import Node

from autourdf_ros.ros.common.conversions import diagnostic


class Diagnostics:
    """Publishes one status at a time on /diagnostics."""

    def __init__(self, node: Node) -> None:
        self._node = node
        self._publisher = node.create_publisher(DiagnosticArray, "/diagnostics", 10)

    def publish(self, name: str, level: bytes, message: str, values: Mapping[str, object]) -> None:
        """Publish a status.

        Args:
            name: of what is reported.
            level: DiagnosticStatus.OK, WARN, ERROR or STALE.
            message: one line.
            values: by key, as they are printed.
        """
        array = DiagnosticArray(status=[diagnostic(name, level, message, values)])
        array.header.stamp = self._node.get_clock().now().to_msg()
        self._publisher.publish(array)
