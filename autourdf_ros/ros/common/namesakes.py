"""Nodes of the same name, which ROS permits: each receives what is meant for the other."""

from __future__ import annotations

from weakref import WeakSet

from rclpy.node import Node

_REPORTING: WeakSet[Node] = WeakSet()


def namesakes(node: Node) -> int:
    """Return the number of other nodes of this name; a killed node counts for some time."""
    own = node.get_name(), node.get_namespace()
    return node.get_node_names_and_namespaces().count(own) - 1


def report_namesakes(node: Node, period: float = 2.0) -> None:
    """Warn whenever another node of the same name has come; check every `period` (s).

    Further calls for the same node do nothing.
    """
    if node in _REPORTING:
        return
    _REPORTING.add(node)
    known = 0

    def check() -> None:
        nonlocal known
        before, known = known, namesakes(node)
        if known > before:
            node.get_logger().warning(
                f"another node is named {node.get_fully_qualified_name()}: services and parameters "
                "reach either; accepted is one, give the other another name (-r __node:=NAME)"
            )

    node.create_timer(period, check)
