"""A monitor node that reports a change once a file is there: `MODULE FILE` and ROS arguments."""

import sys
from pathlib import Path

from autourdf_ros.monitoring import watch_session
from autourdf_ros.monitoring.change import Change, Quantity
from autourdf_ros.monitoring.observation_report import Report

SLIPPED = Change(
    "joint_zero", "tilt", (Quantity("offset", 0.04, 0.002, "rad"),), 20.0, "it slipped"
)
LEARNT = 30  # clouds, at 10 Hz: some seconds


class ScriptedMonitor:
    """Learns from a few clouds, then reports `changes`."""

    changes: tuple[Change, ...] = ()
    loosely: tuple[str, ...] = ()
    file: Path | None = None

    def __init__(self, *_):
        self.seen, self.settled = 0, False

    def update(self, observation):
        self.seen += 1
        if ScriptedMonitor.file is not None and ScriptedMonitor.file.exists():
            ScriptedMonitor.changes = (SLIPPED,)
        return Report(observation.stamp, self.seen > LEARNT, {}, ScriptedMonitor.changes)


def main():
    from autourdf_ros.ros.common.run_node import run_node
    from autourdf_ros.ros.monitor.monitor_node import MonitorNode

    ScriptedMonitor.file = Path(sys.argv.pop(1))
    watch_session.Monitor = ScriptedMonitor
    return run_node(MonitorNode, "monitor")


if __name__ == "__main__":
    sys.exit(main())
