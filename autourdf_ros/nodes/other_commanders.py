"""Whether somebody else may command the same controller."""

from __future__ import annotations

from rclpy.node import Node

from autourdf_ros.nodes.commander import INTERFACES

_GOALS = "/_action/send_goal"


class OtherCommanders:
    """Counts who publishes on the controller's topics, or calls its action, but for this node."""

    def __init__(self, node: Node, interface: str, topic: str) -> None:
        """topic: or action, by which this node commands it as `interface` says."""
        self._node = node
        self._own = node.resolve_topic_name(topic)
        controller = self._own.rpartition("/")[0]
        names = {
            kind: f"{controller}/{path.rpartition('/')[2]}" for kind, path in INTERFACES.items()
        }
        self._names = names | {interface: self._own}

    def problem(self) -> str | None:
        """Who else may command it, or None."""
        for kind, name in self._names.items():
            if kind == "follow_joint_trajectory":
                count = self._node.count_clients(name + _GOALS)
            else:
                count = self._node.count_publishers(name)
            if count > (name == self._own):
                return f"somebody else may command the robot by {name}: end that first"
        return None
