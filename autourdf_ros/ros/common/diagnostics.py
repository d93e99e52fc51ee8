"""The status of a node on /diagnostics."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from rclpy.node import Node

from autourdf_ros.ros.common.conversions import diagnostic


class Diagnostics:
    """Publishes statuses on /diagnostics.

    Attributes:
        hardware: name of the robot that they are about; empty: this machine.
    """

    def __init__(self, node: Node, hardware: str = "") -> None:
        self.hardware = hardware
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
        self.publish_all([diagnostic(name, level, message, values, self.hardware)])

    def publish_all(self, statuses: Sequence[DiagnosticStatus]) -> None:
        """Publish several statuses, named within the node's namespace.

        Those of a managed node that is not active say so instead.
        """
        namespace = self._node.get_namespace().strip("/")
        refusal = getattr(self._node, "refusal", "")
        for status in statuses:
            if refusal:
                status.level, status.message = DiagnosticStatus.WARN, refusal
            status.name = "/".join(filter(None, [namespace, status.name]))
        array = DiagnosticArray(status=[*statuses])
        array.header.stamp = self._node.get_clock().now().to_msg()
        self._publisher.publish(array)
