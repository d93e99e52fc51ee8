"""A session on a robot in virtual time: targets, refusals, ways back, visits."""

from dataclasses import replace

import numpy as np
import pytest
from virtual_cell import LIMITS, SETTINGS, VirtualCell, run

from autourdf_ros.commanding.screening.forbidden import Forbidden
from autourdf_ros.commanding.screening.path_screen import NOTHING, PathScreen
from autourdf_ros.commanding.session.capture_session import CaptureSession
from autourdf_ros.commanding.session.interruptions import MotionStopped
from autourdf_ros.commanding.session.planning import plan
from autourdf_ros.errors import InputError


def test_every_frame_is_taken_at_rest_and_every_sequence_returns():
    cell = VirtualCell()
    statuses = run(cell)
    assert cell.sequences == ["0000", "0001"] and len(cell.frames) == 8
    for _, joints, position in cell.frames:
        assert list(joints.values()) == pytest.approx(position, abs=1e-9)
    first, second = cell.frames[0][1], cell.frames[4][1]
    assert first == pytest.approx(second, abs=1e-9)
    assert cell.position == pytest.approx([0.5, 0.01], abs=1e-9)
    assert (statuses[-1].phase, statuses[-1].frame, statuses[-1].frames) == ("complete", 8, 8)
    travelled = np.ptp([list(joints.values()) for _, joints, _ in cell.frames], axis=0)
    assert travelled[0] > 0.4 and travelled[1] > 0.005


def test_a_recording_is_complete_before_the_robot_returns_from_its_last_frame():
    cell, seen = VirtualCell(), []

    def recorded():
        seen.append((len(cell.frames), len(cell.trajectories), cell.position.copy()))

    CaptureSession(cell, LIMITS, SETTINGS, lambda status: None).run(recorded)
    ((frames, sent, where),) = seen
    assert (frames, sent) == (8, len(cell.trajectories) - 1)
    assert np.abs(where - cell.frames[0][2]).max() > 0.05
    assert cell.position == pytest.approx(cell.frames[0][2], abs=1e-9)


def test_the_plan_is_what_happens():
    cell = VirtualCell()
    cell.wait(0.01)
    moves = plan(cell.history.latest[1], LIMITS, SETTINGS).moves
    run(cell)
    assert len(moves) == len(cell.trajectories)
    for planned, sent in zip(moves, cell.trajectories, strict=True):
        np.testing.assert_allclose(planned.positions, sent.positions, atol=1e-9)


def test_one_joint_moves_alone_and_then_both():
    cell = VirtualCell()
    settings = replace(SETTINGS, excitation="one_joint")
    cell.wait(0.01)
    moves = plan(cell.history.latest[1], LIMITS, settings).moves
    run(cell, settings)
    assert len(moves) == len(cell.trajectories)
    for sequence in (cell.frames[:4], cell.frames[4:]):
        positions = np.array([list(joints.values()) for _, joints, _ in sequence])
        moved = np.abs(np.diff(positions, axis=0)) > 1e-6
        assert sorted(moved[:2].tolist()) == [[False, True], [True, False]]
        assert moved[2].all()


def test_refused_targets_are_replaced_by_others_and_noted():
    cell = VirtualCell()
    refused = []

    def refuse(trajectory):
        doomed = trajectory.duration > 0.2 and len(refused) < 3
        if doomed:
            refused.append(trajectory.positions[-1].tolist())
        return doomed

    cell.refuse = refuse
    statuses = run(cell)
    assert len(cell.frames) == 8 and statuses[-1].refusals == 3
    assert cell.notes == ["target_refused"] * 3
    assert len({tuple(goal) for goal in refused}) == 3
    sent = [tuple(t.positions[-1]) for t in cell.trajectories]
    for goal in refused:
        assert sent.count(tuple(goal)) == 1


def test_a_controller_that_refuses_everything_is_given_up():
    cell = VirtualCell()
    cell.refuse = lambda trajectory: True
    with pytest.raises(MotionStopped, match="refused 5 targets in a row"):
        run(cell)
    assert len(cell.frames) == 1


ABOVE = PathScreen([Forbidden("above", {"pan": (0.6, 2.0)})])


def test_targets_that_the_screening_refuses_are_replaced_and_never_sent():
    cell = VirtualCell()
    statuses = run(cell, path_screen=ABOVE)
    assert len(cell.frames) == 8 and max(t.positions[:, 0].max() for t in cell.trajectories) < 0.6
    last = statuses[-1]
    assert last.refusals == last.screened == len(cell.notes) > 0
    assert "'above' (pan 0.6 .. 2)" in last.refusal


def test_the_plan_redraws_what_the_screening_refuses_as_the_session_does():
    cell = VirtualCell()
    cell.wait(0.01)
    planned = plan(cell.history.latest[1], LIMITS, SETTINGS, ABOVE)
    run(cell, path_screen=ABOVE)
    assert len(planned.refused) == len(cell.notes)
    assert all("'above'" in reason for _, reason in planned.refused)
    for move, sent in zip(planned.moves, cell.trajectories, strict=True):
        np.testing.assert_allclose(move.positions, sent.positions, atol=1e-9)


def test_a_robot_that_finds_no_way_is_given_up():
    narrow = [("below", (-2.0, 0.45)), ("above", (0.55, 2.0))]
    walls = PathScreen([Forbidden(name, {"pan": ends}) for name, ends in narrow])
    cell = VirtualCell()
    with pytest.raises(MotionStopped, match="100 targets in a row were refused, the last because"):
        run(cell, path_screen=walls)
    assert not cell.trajectories and len(cell.frames) == 1


def test_a_robot_that_stands_in_what_is_forbidden_does_not_begin():
    cell = VirtualCell()
    here = PathScreen([Forbidden("here", {"pan": (0.4, 0.6)})])
    with pytest.raises(InputError, match="stands where it may not move: it meets the forbidden"):
        run(cell, path_screen=here)
    assert not cell.trajectories


def test_the_way_home_is_screened():
    cell = VirtualCell()
    session = CaptureSession(cell, LIMITS, SETTINGS, lambda status: None, path_screen=ABOVE)
    with pytest.raises(MotionStopped, match="the screening refuses the motion: it meets the"):
        session.travel({"pan": 0.7, "finger": 0.01})
    assert not cell.trajectories


def test_a_way_back_into_something_new_is_not_gone():
    cell = VirtualCell()
    screen = PathScreen()
    moves = []

    def reason(waypoints):
        moves.append(waypoints)
        return "somebody put a box there" if len(waypoints) > 2 else None

    screen.reason = reason
    with pytest.raises(MotionStopped, match="screening refuses the way back to the start: some"):
        run(cell, path_screen=screen)
    assert len(cell.trajectories) == 3


def test_a_way_back_that_is_refused_stops():
    cell = VirtualCell()
    cell.refuse = lambda trajectory: trajectory.goal["pan"] == 0.5 and trajectory.duration > 0.5
    with pytest.raises(MotionStopped, match="refuses the way back"):
        run(cell)
    assert len(cell.frames) == 4


def test_a_way_back_that_is_refused_in_one_sweep_is_gone_leg_by_leg():
    cell = VirtualCell()
    refused = []

    def refuse(trajectory):
        sweeps = trajectory.goal["pan"] == 0.5 and not refused
        if sweeps:
            refused.append(len(cell.trajectories))
        return sweeps

    cell.refuse = refuse
    run(cell)
    assert len(cell.frames) == 8 and cell.notes == ["target_refused"]
    ends = [tuple(trajectory.positions[-1]) for trajectory in cell.trajectories]
    # The controller's stop of the refused sweep comes in between.
    legs = ends[refused[0] + 1 : refused[0] + 4]
    np.testing.assert_allclose(legs, [ends[1], ends[0], [0.5, 0.01]], atol=1e-9)


def test_a_start_outside_the_limits_is_refused_before_anything_moves():
    cell = VirtualCell()
    cell.position = np.array([2.1, 0.01])
    with pytest.raises(InputError, match=r"joint pan stands at 2\.1000; accepted is -2\.0 \.\. 2"):
        run(cell)
    assert not cell.trajectories
    with pytest.raises(InputError, match="joint pan"):
        plan({"pan": 2.1, "finger": 0.0}, LIMITS, SETTINGS)


def test_travelling_records_nothing_and_ends_where_it_should():
    cell = VirtualCell()
    home = {"pan": -0.5, "finger": 0.03}
    statuses = []
    CaptureSession(cell, LIMITS, SETTINGS, statuses.append).travel(home)
    assert cell.position == pytest.approx([-0.5, 0.03]) and len(cell.trajectories) == 1
    assert not cell.frames and not cell.sequences and statuses[-1].phase == "arrived"
    velocities = np.abs(cell.trajectories[0].velocities).max(axis=0)
    assert (velocities <= [1.0, 0.1]).all() and velocities.max() > 0.099


def test_travelling_is_refused_beyond_the_limits_and_when_the_controller_refuses():
    cell = VirtualCell()
    with pytest.raises(InputError, match="command takes pan to"):
        CaptureSession(cell, LIMITS, SETTINGS, print).travel({"pan": 2.5, "finger": 0.03})
    assert not cell.trajectories
    cell.refuse = lambda trajectory: True
    with pytest.raises(MotionStopped, match="the controller refuses the motion"):
        CaptureSession(cell, LIMITS, SETTINGS, print).travel({"pan": 1.0, "finger": 0.03})


THERE = [{"pan": 0.8, "finger": 0.02}, {"pan": 0.6, "finger": 0.0}]


def visit(cell, start=None, path_screen=NOTHING):
    statuses = []
    session = CaptureSession(cell, LIMITS, SETTINGS, statuses.append, path_screen=path_screen)
    session.visit(start or {"pan": 0.5, "finger": 0.01}, THERE)
    return statuses


def test_a_visit_takes_views_at_the_start_and_every_target_and_returns():
    cell = VirtualCell()
    assert visit(cell)[-1].phase == "complete"
    stood = [position for _, _, position in cell.frames]
    assert stood == pytest.approx(np.array([[0.5, 0.01], [0.8, 0.02], [0.6, 0.0]]), abs=1e-9)
    assert cell.position == pytest.approx([0.5, 0.01], abs=1e-9)
    assert len(cell.trajectories) == 3 and not cell.sequences


def test_a_refused_visit_ends_and_nothing_is_sent_again():
    cell = VirtualCell()
    cell.refuse = lambda trajectory: len(cell.trajectories) == 2
    with pytest.raises(MotionStopped, match="the controller refuses the motion: the robot did not"):
        visit(cell)
    # The refused one, and what holds the robot where it is.
    assert len(cell.trajectories) == 3 and len(cell.frames) == 2
    assert cell.position == pytest.approx([0.8, 0.02], abs=1e-6)


def test_a_visit_through_what_is_forbidden_is_not_begun():
    cell = VirtualCell()
    screen = PathScreen([Forbidden("right", {"pan": (0.7, 0.9)})])
    with pytest.raises(MotionStopped, match="the screening refuses the motion: it meets the forb"):
        visit(cell, path_screen=screen)
    assert not cell.trajectories and len(cell.frames) == 1


def test_a_fault_stops_a_visit():
    cell = VirtualCell()
    cell.problem = lambda time: "camera fails" if len(cell.frames) == 2 else None
    with pytest.raises(MotionStopped, match="camera fails"):
        visit(cell)
    assert len(cell.frames) == 2


def test_a_robot_that_was_moved_meanwhile_makes_no_visit():
    cell = VirtualCell()
    with pytest.raises(MotionStopped, match=r"joint pan stands at 0\.500, no longer at 0\.300"):
        visit(cell, {"pan": 0.3, "finger": 0.01})
    assert not cell.trajectories and not cell.frames
