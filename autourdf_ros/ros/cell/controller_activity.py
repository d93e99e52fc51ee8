"""Checks whether the controller is reported as inactive.

An inactive controller of ros2_control still subscribes to its topic, and does nothing. Its
controller_manager reports the state of all controllers on /diagnostics, once a second.
"""

from __future__ import annotations

from diagnostic_msgs.msg import DiagnosticArray
from rclpy.node import Node

_STATUS = "Controllers Activity"  # after the name of the controller_manager
_ACTIVE = "active"


class ControllerActivity:
    """The state of one controller, as /diagnostics reports it."""

    def __init__(self, node: Node, topic: str) -> None:
        """Subscribe; topic is the command topic below the controller: /NAME/joint_trajectory."""
        self._name = topic.strip("/").rpartition("/")[0].rpartition("/")[2]
        self._state = _ACTIVE
        node.create_subscription(DiagnosticArray, "/diagnostics", self._receive, 10)

    def problem(self) -> str | None:
        """Return why it follows no command, or None where it is not reported as inactive."""
        if self._state == _ACTIVE:
            return None
        return f"the controller {self._name} is {self._state}, not active, as /diagnostics reports"

    def _receive(self, message: DiagnosticArray) -> None:
        for status in message.status:
            if not status.name.endswith(_STATUS):
                continue
            for pair in status.values:
                if pair.key == self._name:
                    self._state = pair.value
