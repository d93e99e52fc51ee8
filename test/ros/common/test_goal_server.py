"""One goal at a time, from its acceptance to its result, in whatever order callbacks come."""

import pytest
import rclpy
from autourdf_msgs.action import Reconstruct
from rclpy.action import CancelResponse, GoalResponse

from autourdf_ros.ros.common.goal_server import CANCELLED, GoalServer

RESULT, FAILED = Reconstruct.Result(success=True), Reconstruct.Result()


class Handle:
    """A goal handle that notes what is done with it."""

    def __init__(self, cancelled=False):
        self.request, self.is_cancel_requested = Reconstruct.Goal(), cancelled
        self.done, self.feedback = [], []

    def execute(self):
        """rclpy begins later, when it comes to that."""

    def publish_feedback(self, feedback):
        self.feedback.append(feedback.stage)

    def succeed(self):
        self.done.append("succeeded")

    def abort(self):
        self.done.append("aborted")

    def canceled(self):
        self.done.append("cancelled")


class Work:
    """What a goal begins."""

    def __init__(self):
        self.stopped, self.busy, self.answer = [], "", None

    def begin(self, goal, cancelled):
        return self.answer


@pytest.fixture
def work():
    return Work()


@pytest.fixture
def server(work):
    rclpy.init()
    node = rclpy.create_node("owner")
    made = GoalServer(
        node, Reconstruct, "~/work", work.begin, work.stopped.append, lambda: work.busy
    )
    yield made
    made.destroy()
    node.destroy_node()
    rclpy.shutdown()


def begun(server, handle):
    """The coroutine of an accepted goal, run until it waits; None where it has ended."""
    server._on_accepted(handle)
    return run(server._execute(handle))


def run(coroutine):
    try:
        coroutine.send(None)
    except StopIteration:
        return None
    return coroutine


def test_it_reports_from_its_begin_on_and_nothing_twice(server):
    handle = Handle()
    server.report(Reconstruct.Feedback(stage="idle"))
    server._on_accepted(handle)
    server.report(Reconstruct.Feedback(stage="idle"))
    coroutine = run(server._execute(handle))
    for stage in ("one", "one", "two"):
        server.report(Reconstruct.Feedback(stage=stage))
    assert handle.feedback == ["one", "two"]
    server.conclude(RESULT)
    assert run(coroutine) is None and handle.done == ["succeeded"]
    server.report(Reconstruct.Feedback(stage="three"))
    assert handle.feedback == ["one", "two"]


def test_a_second_goal_is_rejected_from_the_acceptance_of_the_first_on(server, work):
    assert server._on_goal(None) == GoalResponse.ACCEPT
    server._on_accepted(Handle())
    assert server._on_goal(None) == GoalResponse.REJECT


def test_what_services_have_begun_rejects_goals(server, work):
    work.busy = "already moving"
    assert server._on_goal(None) == GoalResponse.REJECT


def test_a_goal_that_begins_nothing_ends_at_once(server, work):
    work.answer, handle = FAILED, Handle()
    server.conclude(RESULT)  # of what a service had begun
    assert begun(server, handle) is None and handle.done == ["aborted"]
    assert not server.working and not server.pending


def test_a_goal_cancelled_before_it_begins_is_stopped(server, work):
    handle = Handle(cancelled=True)
    coroutine = begun(server, handle)
    assert work.stopped == [CANCELLED]
    server.conclude(FAILED)
    assert run(coroutine) is None and handle.done == ["cancelled"]


def test_a_cancel_stops_the_work(server, work):
    begun(server, Handle())
    assert server._on_cancel(None) == CancelResponse.ACCEPT and work.stopped == [CANCELLED]


def test_work_that_fails_to_begin_frees_the_server(server, work, monkeypatch):
    def fail(*_):
        raise RuntimeError("no disk")

    monkeypatch.setattr(server, "_begin", fail)
    server._on_accepted(Handle())
    with pytest.raises(RuntimeError, match="no disk"):
        run(server._execute(Handle()))
    assert not server.working
