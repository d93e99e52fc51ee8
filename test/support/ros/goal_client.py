"""A client of an action, as any other node would be."""

import time

from rclpy.action import ActionClient

DISCOVERY = 1.0  # s


class GoalClient:
    """Sends one goal at a time, and keeps its feedback."""

    def __init__(self, node, action, name, until):
        """until: waits for a condition."""
        self.feedback = []
        self._action, self._until = action, until
        self._client = ActionClient(node, action, name)
        self._known = False

    def send(self, **fields):
        """The handle of a new goal, accepted or not."""
        self.feedback.clear()
        self._until(self._client.server_is_ready)
        if not self._known:
            # A server drops the answer to a client that it discovers later than 0.1 s after the
            # request; a goal that is sent again may be refused since the first is worked on.
            time.sleep(DISCOVERY)
            self._known = True
        future = self._client.send_goal_async(
            self._action.Goal(**fields),
            feedback_callback=lambda message: self.feedback.append(message.feedback),
        )
        self._until(future.done)
        return future.result()

    def result(self, handle):
        """Status and result of a goal, once it has ended."""
        future = handle.get_result_async()
        self._until(future.done)
        return future.result().status, future.result().result

    def cancel(self, handle):
        """Cancel a goal, and return its status and result."""
        self._until(handle.cancel_goal_async().done)
        return self.result(handle)

    def close(self):
        """rclpy leaves that to the garbage collector."""
        self._client.destroy()
