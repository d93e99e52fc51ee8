"""The action of the capture node, with a client, a robot and cameras that are other nodes."""

import pytest
from action_msgs.msg import GoalStatus
from autourdf_msgs.action import Capture
from capture_rig import assert_silent, until_moving
from goal_client import GoalClient

from autourdf_ros.data.load import load_recording

pytestmark = pytest.mark.timeout(300)


@pytest.fixture
def goals(cell):
    client = GoalClient(cell.node, Capture, "/capture/capture", cell.until)
    yield client
    cell.spun(client.close)


# Before the first test that starts the robot.
def test_a_goal_that_waits_says_for_what_and_can_be_cancelled(cell, goals):
    cell.start_capture(start_timeout=600.0)
    handle = goals.send()
    cell.until(lambda: goals.feedback)
    assert goals.feedback[0].stage == "waiting"
    assert "nothing publishes /joint_states" in goals.feedback[0].message
    status, result = goals.cancel(handle)
    assert status == GoalStatus.STATUS_CANCELED
    assert (result.verdict, result.recording) == ("refused", "")
    assert result.message == "cannot start: the goal was cancelled"
    # The next one is not refused for it.
    assert goals.send().accepted
    assert cell.call("stop").success


def test_a_goal_without_what_it_needs_is_refused_with_the_reason(cell, goals):
    cell.start_capture()
    status, result = goals.result(goals.send())
    assert status == GoalStatus.STATUS_ABORTED and result.verdict == "refused"
    assert result.message.startswith("cannot start: nothing publishes /joint_states")
    assert list(result.reasons) == [result.message]
    _, result = goals.result(goals.send(resume=True))
    assert result.message.startswith("nothing to resume: no recording was stopped")


def test_a_goal_ends_with_its_recording(cell, robot, goals):
    cell.start_capture(sequences=1, frames=3, start_timeout=60.0)
    handle = goals.send()
    until_moving(cell, robot)
    assert not goals.send().accepted
    assert cell.call("start").message == "already capturing"
    feedback = goals.feedback
    status, result = goals.result(handle)
    assert status == GoalStatus.STATUS_SUCCEEDED and result.success, result.message
    assert (result.verdict, result.frames, list(result.reasons)) == ("complete", 3, [])
    assert len(load_recording(result.recording).frames) == 3
    assert cell.completed == [result.recording]
    shares = [one.progress for one in feedback]
    assert shares == sorted(shares) and 0.0 < shares[-1] <= 1.0
    # A frame of the simulated cell may take less time than passes between two reports.
    stages = {one.stage for one in feedback}
    assert "moving" in stages and len(stages) > 1
    assert {one.frames for one in feedback if one.stage != "waiting"} == {3}
    known = [one.seconds_to_go for one in feedback if one.frame]
    assert known and all(0.0 <= value < 120.0 for value in known)


def test_a_cancelled_goal_stops_the_robot_and_another_one_goes_on(cell, robot, goals):
    cell.start_capture(sequences=1, frames=2, speed=0.1, start_timeout=60.0)
    handle = goals.send()
    until_moving(cell, robot)
    status, result = goals.cancel(handle)
    assert status == GoalStatus.STATUS_CANCELED and result.verdict == "stopped"
    assert result.message.startswith("stopped: the goal was cancelled; next: nothing to change")
    assert len(robot.commands) == 2 and robot.commands[0] != robot.commands[1]
    assert_silent(robot)
    assert len(load_recording(result.recording).frames) == result.frames == 1
    robot.do("reset")  # a sequence begins where the one before did
    goes_on = goals.send(resume=True)
    status, resumed = goals.result(goes_on)
    assert status == GoalStatus.STATUS_SUCCEEDED, resumed.message
    assert resumed.recording == result.recording and resumed.frames == 2


def test_a_plan_is_a_success_only_where_it_was_asked_for(cell, robot, goals):
    cell.start_capture(allow_motion=False, start_timeout=60.0)
    status, result = goals.result(goals.send())
    assert status == GoalStatus.STATUS_ABORTED and not result.success
    assert result.message.startswith("allow_motion is false, nothing moves: ~/plan shows 6 moves")
    status, asked = goals.result(goals.send(dry_run=True))
    assert status == GoalStatus.STATUS_SUCCEEDED
    assert asked.message.startswith("dry_run, nothing moves")
    assert result.verdict == asked.verdict == "planned"
    assert_silent(robot)
    assert robot.commands == [] and cell.recordings() == []


def test_a_node_that_ends_stops_the_robot_and_answers(cell, robot, goals):
    cell.start_capture(speed=0.1, start_timeout=60.0)
    handle = goals.send()
    result = handle.get_result_async()
    until_moving(cell, robot)
    cell.until(cell.capture.end)
    cell.until(result.done)
    assert result.result().status == GoalStatus.STATUS_ABORTED
    assert "the capture node is shutting down" in result.result().result.message
    assert len(robot.commands) == 2
