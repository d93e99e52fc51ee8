"""Drives the lifecycle of a node over DDS, as a manager or `ros2 lifecycle` does."""

import time

from lifecycle_msgs.msg import Transition
from lifecycle_msgs.srv import ChangeState, GetState
from live import RESEND, call

GOALS = {
    "configure": "inactive",
    "activate": "active",
    "deactivate": "inactive",
    "cleanup": "unconfigured",
    "shutdown": "finalized",
}


class LifecycleClient:
    """Of one node; `until` waits for a condition while the client's node spins."""

    def __init__(self, node, name, until):
        self._until = until
        self._change = node.create_client(ChangeState, f"/{name}/change_state")
        self._state = node.create_client(GetState, f"/{name}/get_state")

    def state(self):
        return call(self._state, GetState.Request(), self._until).current_state.label

    def begin(self, label):
        """The future of the answer to a transition that is asked for."""
        self._until(self._change.service_is_ready)
        return self._change.call_async(ChangeState.Request(transition=Transition(label=label)))

    def change(self, label):
        """Whether the transition succeeds; an answer that is lost is found by the state."""
        future, asked = self.begin(label), time.monotonic()
        self._until(lambda: future.done() or time.monotonic() > asked + RESEND)
        if not future.done() and self.state() == GOALS[label]:
            return True
        self._until(future.done)
        return future.result().success

    def to(self, *labels):
        """Do transitions that have to succeed."""
        for label in labels:
            assert self.change(label), label
