"""The status of the capture on /diagnostics."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from diagnostic_msgs.msg import DiagnosticStatus
from rclpy.node import Node

from autourdf_ros.commanding.session.status import Status
from autourdf_ros.data.recording.recording_worker import RecordingCounts
from autourdf_ros.ros.cell.camera import CameraCounts
from autourdf_ros.ros.common.diagnostics import Diagnostics


class CaptureDiagnostics:
    """Publishes the progress of a session, and what prevents it from going on."""

    def __init__(self, node: Node, allow_motion: bool, robot: str) -> None:
        self._allow_motion = allow_motion
        self._diagnostics = Diagnostics(node, robot)

    def publish(
        self,
        status: Status,
        problem: str,
        recording: Path | None,
        speed: float,
        counts: tuple[Mapping[str, CameraCounts], RecordingCounts],
    ) -> None:
        """Publish the status.

        Args:
            status: of the session.
            problem: an error where it begins with "stopped", otherwise a warning; empty: none,
                but that the box may cut the robot off.
            recording: folder of the recording, or None.
            speed: share of the velocity limits in use.
            counts: of the clouds, by topic and in the recording.
        """
        level, message = DiagnosticStatus.OK, status.phase
        problem = problem or cut_off(counts[1])
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
            "refused by screening": status.screened,
            "last refusal": status.refusal,
            "recording": recording or "",
            "allow_motion": self._allow_motion,
            "speed": speed,
            "frames cut off": counts[1].cut_frames,
            "rejected frames": sum(status.rejections.values()),
            **{f"rejected for {reason}": count for reason, count in status.rejections.items()},
            **_about_clouds(*counts),
        }
        self._diagnostics.publish("capture", level, message, values)


def cut_off(counts: RecordingCounts) -> str:
    """Return a warning that the box cuts the robot off; empty where it does not."""
    if not counts.cut:
        return ""
    return f"{counts.cut}: widen the box, or its links there may be lost in the model"


def _about_clouds(
    cameras: Mapping[str, CameraCounts], recording: RecordingCounts
) -> dict[str, object]:
    values: dict[str, object] = {
        "cleaning (s)": f"{recording.clean_s:.3f}",
        "writing (s)": f"{recording.write_s:.3f}",
    }
    for topic, counts in cameras.items():
        values |= {
            f"{topic} received": counts.received,
            f"{topic} replaced by newer": counts.replaced,
            f"{topic} lost": counts.lost,
            f"{topic} latency (s)": f"{counts.latency:.3f}",
            f"{topic} points without depth": recording.unmeasured.get(topic, 0),
        }
    return values
