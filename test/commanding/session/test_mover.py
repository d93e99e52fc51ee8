"""Motions of a session in virtual time: faults, answers of the controller, pauses, speed."""

import numpy as np
import pytest
from virtual_cell import AnsweringCell, PausedCell, VirtualCell, run

from autourdf_ros.commanding.controller_answer import State
from autourdf_ros.commanding.session.control import Control
from autourdf_ros.commanding.session.interruptions import MotionStopped


def test_a_fault_in_the_middle_of_a_move_brings_it_to_rest_smoothly():
    cell = VirtualCell()

    def problem(time):
        moving = len(cell.trajectories) == 2 and time > cell.began + 0.2
        return "somebody is in the cell" if moving else None

    cell.problem = problem
    with pytest.raises(MotionStopped, match="somebody is in the cell"):
        run(cell)
    move, halt = cell.trajectories[-2:]
    assert len(cell.trajectories) == 3
    np.testing.assert_allclose(halt.positions[0], cell.left, atol=1e-9)
    np.testing.assert_allclose(halt.positions[-1], cell.position, atol=1e-9)
    assert halt.velocities[0].any() and not halt.velocities[-1].any()
    assert halt.duration < 0.5
    assert abs(halt.goal["pan"] - move.positions[0, 0]) < abs(np.ptp(move.positions[:, 0]))


def test_a_robot_that_does_not_stop_when_commanded_to_is_reported():
    cell = VirtualCell()
    cell.problem = lambda time: "stop" if len(cell.trajectories) == 2 else None
    cell.refuse = lambda trajectory: len(cell.trajectories) > 2
    cell.disturb = lambda time, position: (
        position + 0.1 * (time - cell.began) if len(cell.trajectories) > 2 else position
    )
    with pytest.raises(MotionStopped, match="stop; AND THE ROBOT STILL MOVES"):
        run(cell)


def test_a_controller_that_answers_completes_a_session():
    cell = AnsweringCell()
    statuses = run(cell)
    assert len(cell.frames) == 8 and statuses[-1].refusals == 0


@pytest.mark.slow
def test_a_move_is_over_when_the_controller_says_so_and_not_before():
    cell = AnsweringCell()
    cell.report = lambda trajectory, elapsed: (
        State.DONE if elapsed >= trajectory.duration + 1.0 else State.ACCEPTED
    )
    sent = []
    send = cell.send
    cell.send = lambda trajectory: (sent.append(cell.time), send(trajectory))
    run(cell)
    pairs = zip(sent, sent[1:], cell.trajectories, strict=False)
    assert all(later - earlier >= move.duration + 1.0 for earlier, later, move in pairs)


def test_a_controller_that_never_says_that_it_is_done_stops_the_session():
    cell = AnsweringCell()
    cell.report = lambda trajectory, elapsed: State.ACCEPTED
    with pytest.raises(MotionStopped, match="did not say within 10 s that the motion is done"):
        run(cell)
    assert len(cell.frames) == 1


def test_a_motion_that_is_broken_off_stops_the_session_where_the_robot_is():
    cell = AnsweringCell()

    def report(trajectory, elapsed):
        if len(cell.trajectories) == 1 and elapsed > 0.3:
            cell.active = None
            return State.BROKEN_OFF
        return State.ACCEPTED

    cell.report = report
    with pytest.raises(MotionStopped, match="broke off a motion: tilted"):
        run(cell)
    move, halt = cell.trajectories
    np.testing.assert_allclose(halt.positions[0], move.at(0.3), atol=0.02)


def test_a_goal_that_is_never_answered_stops_the_session_and_no_other_is_tried():
    cell = AnsweringCell()
    cell.refuse = lambda trajectory: True
    cell.report = lambda trajectory, elapsed: State.UNANSWERED
    with pytest.raises(MotionStopped, match="it has not answered whether it takes the motion"):
        run(cell)
    assert len(cell.trajectories) == 2  # the move and the halt


def test_a_refusal_that_is_reported_needs_no_halt():
    cell = AnsweringCell()
    cell.refuse = lambda trajectory: True
    cell.report = lambda trajectory, elapsed: State.REFUSED
    with pytest.raises(MotionStopped, match="refused 5 targets in a row"):
        run(cell)
    assert len(cell.trajectories) == 5


@pytest.mark.slow
@pytest.mark.parametrize("command", [1, 4])
def test_a_pause_brings_the_robot_to_rest_and_then_the_way_goes_on(command):
    cell, undisturbed = PausedCell(command), VirtualCell()
    run(undisturbed)
    statuses = run(cell, control=cell.control)
    assert "paused" in [status.phase for status in statuses]
    move, halt, rest = cell.trajectories[command - 1 : command + 2]
    np.testing.assert_allclose(halt.positions[0], move.at(0.2), atol=0.02)
    assert halt.duration < 0.5 and np.ptp(halt.positions, axis=0).max() < 0.1
    # Nothing is sent while it is paused; then the rest of the way to the same goal.
    assert cell.sent[command + 1] >= cell.pause_at + 2.0
    assert rest.goal == move.goal
    np.testing.assert_allclose(rest.positions[0], halt.positions[-1], atol=1e-3)
    for (_, ours, _), (_, theirs, _) in zip(cell.frames, undisturbed.frames, strict=True):
        assert ours == pytest.approx(theirs, abs=1e-6)


@pytest.mark.slow
def test_a_way_back_that_is_paused_still_passes_the_waypoints_to_come():
    cell = PausedCell(4, after=1.5)  # the sweep through the four places of the first sequence
    places = []
    undisturbed = VirtualCell()
    run(undisturbed)
    places = [list(joints.values()) for _, joints, _ in undisturbed.frames[:4]]
    run(cell, control=cell.control)
    rest = cell.trajectories[5]
    passed = [bool((np.abs(rest.positions - place).max(axis=1) < 1e-6).any()) for place in places]
    assert passed[0] and not passed[3]
    # The last place before the pause is behind it, and none of those ahead is left out.
    assert passed == sorted(passed, reverse=True)


def test_a_fault_ends_a_pause():
    cell = PausedCell(1)
    cell.problem = lambda time: "fire" if cell.pause_at and time > cell.pause_at + 1.0 else None
    with pytest.raises(MotionStopped, match="fire"):
        run(cell, control=cell.control)
    assert len(cell.trajectories) == 2


def test_a_controller_that_refuses_to_go_on_after_a_pause_stops_the_session():
    cell = PausedCell(1)
    cell.refuse = lambda trajectory: len(cell.trajectories) == 3
    with pytest.raises(MotionStopped, match="refuses to go on after a pause"):
        run(cell, control=cell.control)


def test_a_pause_while_a_frame_is_taken_holds_back_the_next_move():
    cell = VirtualCell()
    control = Control(1.0, paused=True)
    wait = cell.wait

    def waiting(seconds):
        wait(seconds)
        if cell.time > 105.0:
            control.paused = False
        assert control.paused is False or not cell.trajectories

    cell.wait = waiting
    run(cell, control=control)
    assert len(cell.frames) == 8


@pytest.mark.slow
def test_the_speed_may_change_between_motions():
    cell = VirtualCell()
    control = Control(1.0)
    send = cell.send

    def sending(trajectory):
        send(trajectory)
        control.speed = 0.25

    cell.send = sending
    run(cell, control=control)
    undisturbed = VirtualCell()
    run(undisturbed)
    ratios = [
        slow.duration / fast.duration
        for slow, fast in zip(cell.trajectories, undisturbed.trajectories, strict=True)
    ]
    assert ratios == pytest.approx([1.0] + [4.0] * (len(ratios) - 1))
