"""Drives the lifecycle of a node over DDS, as a manager or `ros2 lifecycle` does."""

import time

from lifecycle_msgs.msg import Transition
from lifecycle_msgs.srv import ChangeState, GetState
from live import call

GOALS = {
    "configure": "inactive",
    "activate": "active",
    "deactivate": "inactive",
    "cleanup": "unconfigured",
    "shutdown": "finalized",
}

ANSWER = 5.0  # s; a transition may take longer
TRIES = 12
AT_ONCE = ("configure", "activate", "cleanup")
"""Transitions that have ended before the node answers anything else; the others wait."""


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
        """Whether the transition succeeds; an answer that is lost is found by the state.

        A node that has just ended is known for a while: what answers first is its successor, and a
        request to the wrong one is repeated.
        """
        before = self.state()
        futures = [self.begin(label)]
        for _ in range(TRIES):
            if self._answered(futures):
                return next(one.result().success for one in futures if one.done())
            now = self.state()
            if now == GOALS[label]:
                return True
            if label in AT_ONCE and now == before:
                futures.append(self.begin(label))
        raise AssertionError(f"no answer to {label}; the node is {self.state()}")

    def _answered(self, futures):
        asked = time.monotonic()
        self._until(lambda: any(one.done() for one in futures) or time.monotonic() > asked + ANSWER)
        return any(one.done() for one in futures)

    def to(self, *labels):
        """Do transitions that have to succeed."""
        for label in labels:
            assert self.change(label), f"{label}: {self.state()}"
