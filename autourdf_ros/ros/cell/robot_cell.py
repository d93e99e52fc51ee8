"""A robot cell on ROS topics: readings, cameras, commands, and the watches over them."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass

from rclpy.node import Node
from sensor_msgs.msg import JointState

from autourdf_ros.commanding.controller_answer import Answer
from autourdf_ros.commanding.trajectory import Trajectory
from autourdf_ros.commanding.watching.watches import Watches
from autourdf_ros.data.joint_history import CLOCK_SET_BACK, JointHistory
from autourdf_ros.data.recording.frame_recorder import SerializedView
from autourdf_ros.errors import InputError
from autourdf_ros.ros.cell.cameras import Cameras
from autourdf_ros.ros.cell.commander import Commander
from autourdf_ros.ros.cell.controller_activity import ControllerActivity
from autourdf_ros.ros.common.conversions import clock_time, joint_efforts, joint_positions, seconds
from autourdf_ros.ros.common.matched_subscription import MatchedSubscription

_MOST_SEEN = 1000  # names of joints; any node may publish any number of them


@dataclass(frozen=True)
class CellJoints:
    """The joints of a cell, and the topic that reports where they are.

    Attributes:
        commanded: names of the joints that the cell moves.
        unmoved: names of joints that it does not command, but whose readings it needs.
        topic: of the JointState messages of all of them.
    """

    commanded: tuple[str, ...]
    unmoved: tuple[str, ...] = ()
    topic: str = "joint_states"


class RobotCell:
    """Joint readings, cameras and commands of `commanding.session.cell.Cell`.

    Subclasses define what becomes of a view. Callbacks run on the executor's thread, a session on
    its own.

    Attributes:
        history: readings of the joints that are commanded.
    """

    def __init__(
        self,
        node: Node,
        joints: CellJoints,
        cameras: Cameras,
        commander: Commander,
        activity: ControllerActivity,
        watches: Watches,
    ) -> None:
        self.history = JointHistory(joints.commanded)
        self._unmoved = JointHistory(joints.unmoved, length=2)
        self._node = node
        self._cameras = cameras
        self._commander = commander
        self._activity = activity
        self._readings = watches.readings
        self._efforts = watches.efforts
        self._jumps = watches.jumps
        self._latest = -math.inf  # s, of the node's clock
        self._seen: set[str] = set()
        self._joint_states = MatchedSubscription(
            node, JointState, joints.topic, self._receive_joint_state, depth=50
        )
        self._subscriptions = [self._joint_states, *cameras.subscriptions]
        self._stop_reason: str | None = None
        self._connecting = node.create_timer(0.2, self._connect)

    def missing(self) -> list[str]:
        """Return what is missing before the robot may move, each in a few words."""
        now = time.monotonic()
        problems = self._unread(now)
        effort = None if problems else self._efforts.missing(now)
        problems += [effort] if effort else []
        problems += self.missing_clouds()
        if not self._commander.connected():
            problems.append(f"no controller {self._commander.duty}")
        inactive = self._activity.problem()
        return [*problems, inactive] if inactive else problems

    def missing_clouds(self) -> list[str]:
        """Return why the cameras give no view, each in a few words."""
        problems = self._cameras.problems()
        if not problems and self._cameras.since(0.0) is None:
            problems.append(self._cameras.missing(0.0))
        return problems or [_measuring(topic) for topic in self._cameras.unknown]

    def ready(self) -> None:
        """Forget the reason of the last stop."""
        self._stop_reason = None
        self._latest = -math.inf
        self._efforts.reset()

    def unmoved_positions(self) -> dict[str, float]:
        """Return positions of joints that are not commanded. Raise InputError where unknown."""
        newest = self._unmoved.latest
        if newest is None and self._unmoved.joints:
            raise InputError(
                f"{self._joint_states.topic} has no {', '.join(self._unmoved.joints)}, which the "
                "model has"
            )
        return newest[1] if newest else {}

    def _unread(self, now: float) -> list[str]:
        """Return why joints are not read, in a few words."""
        silent = self._readings.silent(now)
        if not silent:
            return [_measuring(self._joint_states.topic)] if self._readings.unknown else []
        if self._joint_states.age >= silent[-1].age:
            return [self._joint_states.problem()]
        names = sorted(silence.joint for silence in silent)
        return [
            f"{self._joint_states.topic} has no {', '.join(names)}; "
            f"it has {', '.join(sorted(self._seen))}"
        ]

    def stop(self, reason: str) -> None:
        """Make `fault` report a reason until the next `ready`."""
        self._stop_reason = self._stop_reason or reason

    def now(self) -> float:
        """Return the time of the node's clock (s)."""
        return clock_time(self._node)

    def wait(self, seconds: float) -> None:
        """Sleep (s)."""
        time.sleep(seconds)

    def send(self, trajectory: Trajectory) -> None:
        """Send a trajectory to the controller."""
        self._commander.send(trajectory)

    def answer(self) -> Answer:
        """Return the controller's report about the trajectory sent last."""
        return self._commander.answer()

    def fault(self) -> str | None:
        """Return why the robot has to stop, or None."""
        self._watch_clock()
        if self._stop_reason is not None:
            return self._stop_reason
        now = time.monotonic()
        for silence in self._readings.silent(now):
            return (
                f"{self._joint_states.topic} is stale: no reading of {silence.joint} for "
                f"{silence.age:.2f} s (accepted are {silence.limit:.2f} s)"
            )
        effort = self._efforts.fault(now)
        if effort is not None:
            return effort
        for problem in self._cameras.problems():
            return f"camera fails: {problem}"
        if not self._commander.connected():
            return f"the controller is gone: nothing {self._commander.duty}"
        return self._activity.problem()

    def view(self, since: float) -> SerializedView | None:
        """Return clouds of all cameras stamped after `since` (s), or None."""
        return self._cameras.since(since)

    def missing_views(self, since: float) -> str:
        """Return which clouds are missing, and why."""
        return self._cameras.missing(since)

    def _watch_clock(self) -> None:
        """Stop where the node's clock, which times a motion and may be simulated, is set back."""
        now, latest = self.now(), self._latest
        self._latest = now
        if now < latest - CLOCK_SET_BACK:
            self.stop(f"the node's clock was set back by {latest - now:.1f} s")

    def _connect(self) -> None:
        connected = [subscription.connect() for subscription in self._subscriptions]
        if all(connected):
            self._connecting.cancel()

    def _receive_joint_state(self, message: JointState) -> None:
        stamp = seconds(message.header.stamp) or self.now()
        if len(self._seen) < _MOST_SEEN:
            self._seen.update(message.name)
        arrival = time.monotonic()
        self._efforts.add(joint_efforts(message), arrival)
        positions = joint_positions(message)
        self._readings.add([name for name in positions if math.isfinite(positions[name])], arrival)
        set_back = self.history.add(stamp, positions)
        if set_back:
            self.stop(f"the clock of {self._joint_states.topic} was set back by {set_back:.1f} s")
        jumped = self._jumps.add(stamp, positions)
        if jumped is not None:
            names = ", ".join(sorted(self._joint_states.publishers))
            self.stop(f"{jumped}; {self._joint_states.topic} is published by {names}")
        self._unmoved.add(stamp, positions)


def _measuring(topic: str) -> str:
    return f"how often {topic} comes is still being measured"
