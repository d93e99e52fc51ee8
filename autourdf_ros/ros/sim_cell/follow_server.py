"""The action of a joint_trajectory_controller, follow_joint_trajectory, for a simulated robot."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeAlias

from control_msgs.action import FollowJointTrajectory
from rclpy.action import ActionServer, CancelResponse, GoalResponse
from rclpy.action.server import ServerGoalHandle
from rclpy.callback_groups import CallbackGroup
from rclpy.node import Node
from trajectory_msgs.msg import JointTrajectory

from autourdf_ros.ros.common.conversions import clock_time, seconds

if TYPE_CHECKING:  # rclpy of some distributions has no generic goal handles
    Handle: TypeAlias = ServerGoalHandle[Any, Any, Any]
    Conclusion: TypeAlias = Callable[[Handle], FollowJointTrajectory.Result]

_PERIOD = 0.02  # s between two checks whether a goal is reached


class FollowServer:
    """Passes goals on, and reports their outcome."""

    def __init__(
        self,
        node: Node,
        follow: Callable[[JointTrajectory], bool],
        standing: Callable[[], bool],
        hold: Callable[[], None],
        group: CallbackGroup | None = None,
    ) -> None:
        """Offer the action.

        Args:
            node: the owner.
            follow: starts a trajectory, and returns whether the controller takes it.
            standing: returns whether the motors rest at the end of the last command.
            hold: stops the motors.
            group: of all callbacks; it must run one at a time. None: the node's own.
        """
        self._node, self._follow, self._standing, self._hold = node, follow, standing, hold
        self._active: Handle | None = None
        self._end = 0.0
        self._server = ActionServer(
            node,
            FollowJointTrajectory,
            "/joint_trajectory_controller/follow_joint_trajectory",
            execute_callback=self._succeed,
            goal_callback=self._on_goal,
            handle_accepted_callback=self._on_accepted,
            cancel_callback=lambda _: CancelResponse.ACCEPT,
            callback_group=group,
        )
        self._timer = node.create_timer(_PERIOD, self._check, callback_group=group)
        self._timer.cancel()  # runs while a goal does

    def abort(self, code: int, reason: str) -> None:
        """Abort the active goal, if any, with a code of FollowJointTrajectory.Result."""
        result = FollowJointTrajectory.Result(error_code=code, error_string=reason)

        def conclude(handle: Handle) -> FollowJointTrajectory.Result:
            handle.abort()
            return result

        self._conclude(conclude)

    def preempt(self) -> None:
        """Abort the active goal, since another command came."""
        self.abort(FollowJointTrajectory.Result.INVALID_GOAL, "another command came")

    def destroy(self) -> None:
        """Withdraw the action."""
        self._timer.cancel()
        self._active = None
        self._server.destroy()

    def _on_goal(self, goal: FollowJointTrajectory.Goal) -> GoalResponse:
        return GoalResponse.ACCEPT if self._follow(goal.trajectory) else GoalResponse.REJECT

    def _on_accepted(self, handle: Handle) -> None:
        self.preempt()
        self._active = handle
        points = handle.request.trajectory.points
        self._end = clock_time(self._node) + seconds(points[-1].time_from_start)
        self._timer.reset()

    def _check(self) -> None:
        if self._active is None:
            self._timer.cancel()
        elif self._active.is_cancel_requested:
            self._hold()
            self._conclude(self._cancel)
        elif clock_time(self._node) >= self._end and self._standing():
            self._conclude(self._succeed)

    def _conclude(self, conclude: Conclusion) -> None:
        """Report how the goal ended.

        The goal is "executed" only now: a callback that waited for the end would block a thread of
        the executor until then.
        """
        active, self._active = self._active, None
        if active is not None:
            active.execute(conclude)

    @staticmethod
    def _succeed(handle: Handle) -> FollowJointTrajectory.Result:
        handle.succeed()
        return FollowJointTrajectory.Result()

    @staticmethod
    def _cancel(handle: Handle) -> FollowJointTrajectory.Result:
        handle.canceled()
        return FollowJointTrajectory.Result()
