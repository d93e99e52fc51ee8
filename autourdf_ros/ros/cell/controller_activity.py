"""Whether the controller is active, as far as anybody tells.

An inactive controller of ros2_control still subscribes to its topic, and does nothing. Its
controller_manager tells the state of all controllers on /diagnostics, once a second.
"""

from __future__ import annotations

from diagnostic_msgs.msg import DiagnosticArray
from rclpy.node import Node

_STATUS = "Controllers Activity"  # after the name of the controller_manager
_ACTIVE = "active"


class ControllerActivity:
    """Listens to what is said of one controller.

    topic: by which it is commanded, below its own name, such as /NAME/joint_trajectory.
    """

    def __init__(self, node: Node, topic: str) -> None:
        self._name = topic.strip("/").rpartition("/")[0].rpartition("/")[2]
        self._state = _ACTIVE
        node.create_subscription(DiagnosticArray, "/diagnostics", self._receive, 10)

    def problem(self) -> str | None:
        """Why it would follow no command, or None where nobody says that it would not."""
        if self._state == _ACTIVE:
            return None
        return f"the controller {self._name} is {self._state}, not active, as /diagnostics tells"

    def _receive(self, message: DiagnosticArray) -> None:
        for status in message.status:
            if not status.name.endswith(_STATUS):
                continue
            for pair in status.values:
                if pair.key == self._name:
                    self._state = pair.value
