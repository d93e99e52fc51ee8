"""What a human may ask of the capture node."""

import math
import time

import numpy as np
import pytest
from capture_rig import ACTION, assert_silent, markers_of, until_moving
from rclpy.parameter import Parameter

from autourdf_ros.data.load import load_recording

pytestmark = pytest.mark.timeout(300)


@pytest.mark.parametrize("interface", ["joint_trajectory", "follow_joint_trajectory"])
def test_a_pause_holds_the_robot_until_it_may_go_on(cell, robot, interface):
    cell.start_capture(command_interface=interface, speed=0.1, sequences=1)
    assert not cell.call("pause").success and not cell.call("resume").success
    cell.start()
    until_moving(cell, robot)
    assert cell.call("pause").success
    cell.until_said("paused")
    assert len(robot.commands) == 2
    assert_silent(robot, 1.0)
    cell.capture.set_parameters([Parameter("speed", value=1.0)])
    assert cell.call("resume").success
    cell.until(lambda: cell.completed)
    assert robot.commands[2] == robot.commands[0]
    assert len(load_recording(cell.completed[0]).frames) == 3


def test_a_paused_session_can_be_stopped(cell, robot):
    cell.start_capture(speed=0.1)
    cell.start()
    until_moving(cell, robot)
    assert cell.call("pause").success
    cell.until_said("paused")
    assert cell.call("stop").success
    cell.until_said("stopped: ~/stop was called")
    assert len(robot.commands) == 2


def test_stop_replaces_the_goal_by_a_halt(cell, robot):
    cell.start_capture(**ACTION, speed=0.1)
    cell.start()
    until_moving(cell, robot)
    assert cell.call("stop").success
    cell.until_said("stopped: ~/stop was called")
    cell.until(lambda: len(robot.commands) == 2)
    assert robot.commands[0] != robot.commands[1]
    assert_silent(robot)


def test_a_halt_that_is_rejected_cancels_the_goal(cell, robot):
    cell.start_capture(**ACTION, speed=0.1)
    cell.start()
    until_moving(cell, robot)
    robot.do("reject")
    assert cell.call("stop").success
    cell.until(lambda: "hold" in robot.commands)
    assert robot.commands[1:] == ["rejected", "hold"]
    cell.until_closed()
    assert not any("STILL MOVES" in message for message, _ in cell.diagnostics)


def test_home_is_gone_to_at_the_given_speed(cell, robot):
    cell.start_capture(home=[0.5, 0.0], speed=0.2)
    while not cell.call("home").success:
        assert "cannot go home" in cell.answer
        time.sleep(0.1)
    began = time.monotonic()
    cell.until_said("arrived")
    # 0.3 rad at most at 0.4 rad/s, by a quintic whose peak is 15/8 of the mean.
    assert time.monotonic() - began > 0.3 / 0.4 * 15 / 8
    assert robot.commands == ["command 0.5000 0.0000"]
    assert not cell.recordings()
    cell.until_closed()
    cell.start()


def test_home_moves_nothing_without_permission_or_position(cell, robot):
    cell.start_capture(allow_motion=False, home=[0.5, 0.0])
    cell.until(lambda: not cell.capture._cell.missing())
    assert cell.call("home").success and "nothing moves" in cell.answer
    cell.until(lambda: cell.plans)
    assert list(cell.plans[0].points[-1].positions) == [0.5, 0.0]
    cell.stop_capture()
    cell.start_capture()
    assert not cell.call("home").success and "parameter home is empty" in cell.answer
    assert robot.commands == []


def test_only_a_sane_speed_is_taken_while_the_node_runs(cell):
    cell.start_capture()
    results = cell.capture.set_parameters(
        [Parameter("speed", value=value) for value in (0.0, 1.5, math.nan, "fast", True, 0.5, 1)]
    )
    assert [result.successful for result in results] == [False] * 5 + [True, True]
    assert "accepted is a number from 0.01 to 1" in results[0].reason
    cell.until(lambda: cell.diagnostics and cell.diagnostics[-1][1]["speed"] == "1.0")
    assert not cell.capture.set_parameters([Parameter("frames", value=9)])[0].successful


def test_without_permission_nothing_is_commanded(cell, robot):
    cell.start_capture(allow_motion=False, autostart=True)
    cell.until(lambda: cell.plans)
    cell.until_said("allow_motion is false, nothing moves")
    # What was asked for was done; the table has the same duration.
    assert cell.call("start").success and "6 moves in" in cell.answer
    assert_silent(robot)
    assert robot.commands == [] and cell.recordings() == []
    assert cell.plans[0].joint_names == ["pan", "tilt"]
    positions = np.array([point.positions for point in cell.plans[0].points])
    assert np.ptp(positions, axis=0).min() > 0.06 and np.abs(positions).max() <= 1.0
    _, text = markers_of(cell)
    assert text.header.frame_id == "base_link"
    assert cell.answer.partition("shows ")[2] in text.text


def test_the_first_start_waits_until_it_can_begin(cell, robot):
    cell.start_capture(allow_motion=False, start_timeout=60.0)
    assert cell.call("start").success and "nothing moves" in cell.answer


def test_home_may_be_set_and_is_where_the_recording_began(cell, robot):
    cell.start_capture(sequences=1, frames=2)
    wrong = [Parameter("home", value=[0.5]), Parameter("home", value=[0.5, 9.0])]
    results = cell.capture.set_parameters(wrong)
    assert [result.successful for result in results] == [False, False]
    assert "accepted is one for each of joints" in results[0].reason
    cell.start()
    cell.until(lambda: cell.completed)
    cell.until_closed()
    assert cell.capture._adjustable.home == {}
    began = cell.capture._runner.began
    assert began == pytest.approx({"pan": 0.2, "tilt": -0.1}, abs=2e-3)
    assert cell.call("home").success
    cell.until_said("arrived")
    cell.until_closed()
    assert cell.capture.set_parameters([Parameter("home", value=[0.5, 0.0])])[0].successful
    assert cell.call("home").success
    cell.until(lambda: robot.commands[-1] == "command 0.5000 0.0000")


def test_a_stopped_recording_is_gone_on_with(cell, robot):
    cell.start_capture(speed=0.3)
    assert not cell.call("resume_recording").success and "nothing to resume" in cell.answer
    cell.start()
    cell.until_frame(4)  # of the second sequence
    assert cell.call("stop").success
    cell.until_said("next: nothing to change; ~/resume_recording goes on")
    cell.until_closed()
    while not cell.call("resume_recording").success:
        assert "cannot start" in cell.answer
    assert "recording 1 more sequences" in cell.answer
    cell.until(lambda: cell.completed)
    (recording,) = cell.recordings()
    lengths = [len(sequence.frames) for sequence in load_recording(recording).sequences]
    assert lengths[0] == lengths[-1] == 3
