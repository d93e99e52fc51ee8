"""The capture node, of which a callback fails when something comes on /fail: ROS arguments."""

import sys

from std_msgs.msg import Empty

from autourdf_ros.ros.capture.capture_node import CaptureNode
from autourdf_ros.ros.common.run_node import run_node


class FailingCapture(CaptureNode):
    """Fails as code does that is wrong."""

    def __init__(self):
        super().__init__()
        self.create_subscription(Empty, "/fail", self._on_fail, 1)

    def _on_fail(self, _):
        raise RuntimeError("nobody has thought of this")


if __name__ == "__main__":
    sys.exit(run_node(FailingCapture, "capture"))
