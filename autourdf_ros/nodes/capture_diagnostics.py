"""What a capture says of itself on /diagnostics."""

from __future__ import annotations

from pathlib import Path

from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from rclpy.node import Node

from autourdf_ros.motion.status import Status
from autourdf_ros.nodes.conversions import diagnostic


class CaptureDiagnostics:
    """Publishes where the session is, and what keeps it from going on."""

    def __init__(self, node: Node, allow_motion: bool) -> None:
        self._node = node
        self._allow_motion = allow_motion
        self._publisher = node.create_publisher(DiagnosticArray, "/diagnostics", 10)

    def publish(self, status: Status, problem: str, recording: Path | None, speed: float) -> None:
        """Tell it. problem: an error where it begins with "stopped", otherwise a warning."""
        level, message = DiagnosticStatus.OK, status.phase
        if problem:
            stopped = problem.startswith("stopped")
            level = DiagnosticStatus.ERROR if stopped else DiagnosticStatus.WARN
            message = problem
        values = {
            "phase": status.phase,
            "sequence": status.sequence,
            "frame": status.frame,
            "frames": status.frames,
            "progress": f"{status.frame / status.frames:.2f}",
            "refused targets": status.refusals,
            "recording": recording or "",
            "allow_motion": self._allow_motion,
            "speed": speed,
        }
        array = DiagnosticArray(status=[diagnostic("capture", level, message, values)])
        array.header.stamp = self._node.get_clock().now().to_msg()
        self._publisher.publish(array)
