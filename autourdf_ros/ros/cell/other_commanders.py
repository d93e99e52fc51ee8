"""Checks whether another node may command the same controller."""

from __future__ import annotations

from rclpy.node import Node

from autourdf_ros.ros.cell.commander import INTERFACES

_GOALS = "/_action/send_goal"


class OtherCommanders:
    """Counts publishers and action clients that may command the robot, except for this node.

    It checks the topics and actions of the node's controller, and the defaults of all interfaces.
    """

    def __init__(self, node: Node, interface: str, topic: str) -> None:
        """Create it; topic is the topic or action by which this node commands the interface."""
        self._node = node
        self._own = node.resolve_topic_name(topic)
        controller = self._own.rpartition("/")[0]
        self._topics, self._actions = set[str](), set[str]()
        for kind, path in INTERFACES.items():
            names = {path, f"{controller}/{path.rpartition('/')[2]}"}
            names |= {self._own} if kind == interface else set()
            action = kind == "follow_joint_trajectory"
            (self._actions if action else self._topics).update(names)

    def problem(self) -> str | None:
        """Return by what another node may command the robot, in words, or None."""
        counts = {name: self._node.count_publishers(name) for name in self._topics}
        counts |= {name: self._node.count_clients(name + _GOALS) for name in self._actions}
        for name, count in counts.items():
            if count > (name == self._own):
                return f"somebody else may command the robot by {name}: end that first"
        return None
