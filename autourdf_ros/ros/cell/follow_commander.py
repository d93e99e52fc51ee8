"""Trajectories as goals of the action follow_joint_trajectory, which reports the outcome."""

from __future__ import annotations

import threading
from typing import Any

from action_msgs.msg import GoalStatus
from control_msgs.action import FollowJointTrajectory
from rclpy.action import ActionClient
from rclpy.action.client import ClientGoalHandle
from rclpy.node import Node
from rclpy.task import Future

from autourdf_ros.commanding.controller_answer import UNREPORTED, Answer, State
from autourdf_ros.commanding.trajectory import Trajectory
from autourdf_ros.ros.common.conversions import trajectory_message

_STATUS = {GoalStatus.STATUS_ABORTED: "aborted", GoalStatus.STATUS_CANCELED: "cancelled"}
_ERRORS = {
    getattr(FollowJointTrajectory.Result, name): name
    for name in (
        "SUCCESSFUL",
        "INVALID_GOAL",
        "INVALID_JOINTS",
        "OLD_HEADER_TIMESTAMP",
        "PATH_TOLERANCE_VIOLATED",
        "GOAL_TOLERANCE_VIOLATED",
    )
}
_REJECTED = "the controller rejected the goal, for which its log may have the reason"


class FollowJointTrajectoryCommander:
    """Sends goals, each once; a new goal replaces the one that is followed.

    The controller's own configuration sets the tolerances. Where a controller refuses a goal while
    it follows another, that one is cancelled, since only a stop replaces a motion.

    Attributes:
        duty: what a controller does that receives the goals.
    """

    def __init__(self, node: Node, name: str) -> None:
        self._client: ActionClient[Any, Any, Any] = ActionClient(node, FollowJointTrajectory, name)
        self.duty = f"offers the action {node.resolve_service_name(name)}"
        self._lock = threading.Lock()
        self._waiting: Trajectory | None = None
        self._count = 0  # of trajectories sent
        self._answer = UNREPORTED
        self._running: ClientGoalHandle[Any, Any, Any] | None = None
        # ActionClient may miss the answer to a goal that is sent outside the executor's thread.
        self._wake = node.create_guard_condition(self._send_waiting)

    def send(self, trajectory: Trajectory) -> None:
        """Send a goal, in place of one that was not sent yet."""
        with self._lock:
            self._waiting = trajectory
            self._count += 1
            self._answer = Answer(State.UNANSWERED)
        self._wake.trigger()

    def connected(self) -> bool:
        """Return whether a controller offers the action."""
        return bool(self._client.server_is_ready())

    def answer(self) -> Answer:
        """Return the controller's report about the newest goal."""
        with self._lock:
            return self._answer

    def _send_waiting(self) -> None:
        with self._lock:
            trajectory, self._waiting = self._waiting, None
            number = self._count
        if trajectory is None:
            return
        if not self.connected():
            # It must not reach a controller that comes back later.
            self._set_answer(number, Answer(State.REFUSED, f"nothing {self.duty}"))
            return
        goal = FollowJointTrajectory.Goal(trajectory=trajectory_message(trajectory))
        future = self._client.send_goal_async(goal)
        future.add_done_callback(lambda done: self._on_response(number, done))

    def _on_response(self, number: int, future: Future[ClientGoalHandle[Any, Any, Any]]) -> None:
        handle = future.result()
        if handle is None:
            self._set_answer(number, Answer(State.BROKEN_OFF, "the request was cancelled"))
            return
        if not handle.accepted:
            self._set_answer(number, Answer(State.REFUSED, _REJECTED))
            if self._running is not None:
                self._running.cancel_goal_async()
            return
        self._running = handle
        self._set_answer(number, Answer(State.ACCEPTED))
        result = handle.get_result_async()
        result.add_done_callback(lambda done: self._on_result(number, handle, done))

    def _on_result(
        self, number: int, handle: ClientGoalHandle[Any, Any, Any], future: Future[Any]
    ) -> None:
        if self._running is handle:
            self._running = None
        response = future.result()
        if response is None:
            self._set_answer(number, Answer(State.BROKEN_OFF, "the request was cancelled"))
            return
        code = response.result.error_code
        if response.status == GoalStatus.STATUS_SUCCEEDED and not code:
            self._set_answer(number, Answer(State.DONE))
        else:
            self._set_answer(number, Answer(State.BROKEN_OFF, _reason(response)))

    def _set_answer(self, number: int, answer: Answer) -> None:
        with self._lock:
            if number == self._count:
                self._answer = answer


def _reason(response: Any) -> str:
    """Return a text such as "aborted: PATH_TOLERANCE_VIOLATED (elbow is 0.2 rad off)"."""
    result = response.result
    status = _STATUS.get(response.status, f"status {response.status}")
    error = _ERRORS.get(result.error_code, f"error code {result.error_code}")
    return f"{status}: {error}" + (f" ({result.error_string})" if result.error_string else "")
