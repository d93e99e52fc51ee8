"""What shows the load on the wrist: wrenches of a sensor, or efforts of the joints."""

from __future__ import annotations

from pathlib import Path
from typing import Protocol

from sensor_msgs.msg import JointState

from autourdf_ros.data.wrenches.wrench_recording import WrenchRecording


class LoadSource(Protocol):
    """Records of a load. Callbacks run on the executor's thread, all else on the session's.

    Attributes:
        frame: of the wrenches; empty until it is known.
        latest: stamp (s) of the newest record that is complete.
    """

    frame: str
    latest: float

    def connect(self) -> bool:
        """Subscribe where that is possible; return whether nothing is left to subscribe to."""

    def receive_joint_state(self, message: JointState, stamp: float) -> None:
        """Take the joints' readings; stamp in s."""

    def missing(self) -> list[str]:
        """Return why nothing can be recorded, each in a few words."""

    def ready(self) -> None:
        """Forget faults of earlier records."""

    def fault(self) -> str | None:
        """Return why the robot has to stop, or None."""

    def begin(self, path: Path) -> None:
        """Write all records from now on to a new file. Raise InputError where that fails."""

    def end(self) -> int:
        """End the file, if there is one, with everything written; return the number of records."""

    def read(self, path: Path) -> WrenchRecording:
        """Return what a file shows of the load. Raise InputError where it shows nothing."""
