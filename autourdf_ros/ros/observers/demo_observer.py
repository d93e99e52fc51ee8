"""Prints the events on the demo's domain: one JSON object a line on standard output."""

from __future__ import annotations

import json
from functools import partial

import rclpy
from diagnostic_msgs.msg import DiagnosticArray
from rclpy.executors import ExternalShutdownException
from rclpy.node import Node
from std_msgs.msg import String

from autourdf_ros.ros.common.quality import LATCHED


class DemoObserver(Node):
    """Receives diagnostics and completions."""

    def __init__(self) -> None:
        """Subscribe."""
        super().__init__("demo_observer")
        self.create_subscription(DiagnosticArray, "/diagnostics", self._on_diagnostics, 50)
        for name in ("capture", "reconstruction"):
            topic = f"/{name}/completed"
            self.create_subscription(String, topic, partial(self._on_completed, name), LATCHED)

    def _on_diagnostics(self, message: DiagnosticArray) -> None:
        for status in message.status:
            _print_event(
                event="diagnostics",
                name=status.name,
                level=int.from_bytes(status.level, "little"),
                message=status.message,
                values={item.key: item.value for item in status.values},
            )

    def _on_completed(self, name: str, message: String) -> None:
        _print_event(event="completed", name=name, path=message.data)


def _print_event(**event: object) -> None:
    print(json.dumps(event), flush=True)


def main() -> None:
    """Print events until interrupted."""
    rclpy.init()
    node = DemoObserver()
    try:
        rclpy.spin(node)
    except (KeyboardInterrupt, ExternalShutdownException):
        pass
    finally:
        node.destroy_node()
        rclpy.try_shutdown()


if __name__ == "__main__":
    main()
