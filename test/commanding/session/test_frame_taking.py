"""Frames of a session in virtual time: standstill, rejected views, slow and dark cameras."""

from concurrent.futures import Future
from dataclasses import replace

import numpy as np
import pytest
from virtual_cell import SETTINGS, Clouds, VirtualCell, run

from autourdf_ros.commanding.session.interruptions import MotionStopped
from autourdf_ros.data.rejection import Rejection


def test_a_robot_that_trembles_is_not_recorded():
    cell = VirtualCell()
    cell.disturb = lambda time, position: position + 0.01 * np.sin(12 * time)
    with pytest.raises(MotionStopped, match="does not stand still"):
        run(cell)
    assert not cell.frames and not cell.trajectories


def test_a_robot_that_sways_after_a_move_is_given_time_but_not_for_ever():
    cell = VirtualCell()
    swaying = np.array([0.01, 0.0])
    cell.disturb = lambda time, position: (
        position + swaying * np.sin(12 * time) * bool(cell.trajectories)
    )
    with pytest.raises(MotionStopped, match="did not come to rest within 10 s"):
        run(cell)
    assert len(cell.frames) == 1


def test_motion_while_a_view_is_taken_discards_the_view():
    cell = VirtualCell()
    bumped = []

    def disturb(time, position):
        bump = 100.45 < time < 100.9
        bumped.append(bump)
        return position + (0.05 * np.sin(20 * (time - 100.45)) if bump else 0.0)

    cell.disturb = disturb
    cell.camera = lambda time: time > 100.6
    statuses = run(cell)
    assert any(bumped) and cell.frames[0][0] > 100.9
    assert statuses[-1].rejections["motion"] == cell.notes.count("frame_rejected") > 0


def test_motion_that_does_not_end_is_reported_with_its_speed():
    cell = VirtualCell()
    cell.disturb = lambda time, position: position + np.array([0.05 * max(time - 100.4, 0), 0])
    cell.camera = lambda time: time > 100.8
    with pytest.raises(MotionStopped, match=r"within 2 s: .*joint pan moved at 0\.0[3-5]\d rad/s"):
        run(cell)
    assert not cell.frames


def test_a_rejected_frame_is_taken_again_and_counted():
    cell = VirtualCell()
    rejected = []

    def reject(view):
        if 2 <= len(cell.frames) < 4 and len(rejected) < 3 * (len(cell.frames) - 1):
            rejected.append(view.stamp)
            return Rejection("coverage", "/left sees 3 cm²; accepted is 50")
        return None

    cell.reject = reject
    statuses = run(cell)
    assert len(cell.frames) == 8 and statuses[-1].rejections == {"coverage": 6}
    assert cell.notes == ["frame_rejected"] * 6
    # Every one was another view. From the last of a sequence the robot had not moved on.
    assert len(set(rejected)) == 6 and len(cell.trajectories) == 8 + 2
    assert "taking the frame again" in [status.phase for status in statuses]


def test_frames_are_made_while_the_robot_moves_on():
    def duration(making):
        cell = VirtualCell()
        cell.making = making
        began = cell.time
        assert run(cell)[-1].frame == 8 == len(cell.frames)
        return cell.time - began

    # Only the first of all, and the last of each sequence, are waited for.
    assert duration(0.3) < duration(0.0) + 3 * 0.3 + 0.1
    assert duration(3.0) > duration(0.0) + 6 * 2.0


def test_nothing_moves_before_the_first_frame_is_made():
    cell = VirtualCell()
    cell.making = 0.3
    cell.reject = lambda view: Rejection("points", "3 points; accepted is 100")
    with pytest.raises(MotionStopped, match="in 4 tries: 3 points"):
        run(cell)
    assert not cell.trajectories


@pytest.mark.parametrize("number", [0, 2, 3, 4, 5, 7])
def test_a_robot_that_moved_on_goes_back_for_a_frame_that_is_rejected(number):
    cell, undisturbed = VirtualCell(), VirtualCell()
    run(undisturbed)
    rejected = []

    def reject(view):
        if len(cell.frames) == number and len(rejected) < 2:
            rejected.append(view.stamp)
            return Rejection("coverage", "/left sees 3 cm²; accepted is 50")
        return None

    cell.reject, cell.making = reject, 0.3
    statuses = run(cell)
    assert statuses[-1].frame == 8 and statuses[-1].rejections == {"coverage": 2}
    # The frames are those of a session where nothing is rejected, in the same order.
    for (_, joints, stood), (_, _, expected) in zip(cell.frames, undisturbed.frames, strict=True):
        assert stood == pytest.approx(expected, abs=1e-9)
        assert list(joints.values()) == pytest.approx(stood, abs=1e-9)
    # Where the robot had not moved on, at the very start and at a sequence's end, it stays.
    goes_back = number not in (0, 3, 7)
    assert len(cell.trajectories) == 8 + 2 * goes_back
    assert ("going back for a rejected frame" in [s.phase for s in statuses]) == goes_back


def test_a_way_back_to_a_rejected_frame_that_is_refused_stops_the_robot():
    cell = VirtualCell()
    cell.making = 0.3
    cell.reject = lambda view: Rejection("points", "3 points") if len(cell.frames) == 2 else None
    cell.refuse = lambda trajectory: len(cell.trajectories) == 4
    with pytest.raises(MotionStopped, match="the controller refuses the motion"):
        run(cell)
    assert len(cell.frames) == 2


def test_a_frame_that_cannot_be_taken_stops_the_session_saying_why():
    cell = VirtualCell()
    cell.reject = lambda view: (
        Rejection("points", "3 points; accepted is 100") if cell.frames else None
    )
    with pytest.raises(MotionStopped, match="in 4 tries: 3 points; accepted is 100"):
        run(cell)
    assert len(cell.frames) == 1 and cell.notes == ["frame_rejected"] * 4
    cell.notes.clear()
    with pytest.raises(MotionStopped, match="in 1 tries"):
        run(cell, replace(SETTINGS, retakes=0))


def test_a_fault_while_a_frame_is_recorded_stops_the_session():
    cell = VirtualCell()
    cell.record = lambda view, joints: Future()
    cell.problem = lambda time: "somebody is in the cell" if time > 101 else None
    with pytest.raises(MotionStopped, match="somebody is in the cell"):
        run(cell)


def test_a_slow_camera_shows_the_robot_where_it_stood_when_the_clouds_were_taken():
    cell = VirtualCell()
    places = {}

    def camera(time):
        places[round(time, 2)] = cell.position.copy()
        cell.clouds = np.floor((time - 0.45) * 10) / 10  # what arrives now was seen earlier
        return False

    cell.camera = camera
    run(cell)
    assert len(cell.frames) == 8
    for stamp, joints, _ in cell.frames:
        assert list(joints.values()) == pytest.approx(places[round(stamp, 2)], abs=1e-9)


def test_clouds_ahead_of_slow_readings_wait_for_them():
    cell = VirtualCell()
    add, queue = cell.history.add, []

    def late(stamp, positions):
        queue.append((stamp, positions))
        while queue[0][0] < stamp - 0.25:
            add(*queue.pop(0))

    cell.history.add = late
    cell.camera = lambda time: True
    run(cell)
    assert len(cell.frames) == 8


def test_clouds_that_come_while_it_is_asked_what_is_missing_are_not_given_up():
    cell = VirtualCell()
    asked = []
    view = cell.view
    cell.view = lambda since: view(since) if asked else None

    def missing(since):
        asked.append(since)
        return ""

    cell.missing_views = missing
    run(cell)
    assert len(asked) == 1 and len(cell.frames) == 8


def test_clouds_of_another_clock_are_reported():
    cell = VirtualCell()
    cell.view = lambda since: Clouds(cell.time + 3600.0)
    with pytest.raises(MotionStopped, match=r"stamped 359\d\.\d+ s after .* do the clocks agree"):
        run(cell)


def test_a_dark_camera_is_named():
    cell = VirtualCell()
    cell.camera = lambda time: time < 100.1
    with pytest.raises(MotionStopped, match=r"within 2 s: /camera is dark"):
        run(cell)


def test_an_error_in_recording_stops_the_robot():
    cell = VirtualCell()

    def problem(_):
        return "recording failed: disk full" if len(cell.frames) == 2 else None

    cell.problem = problem
    with pytest.raises(MotionStopped, match="disk full"):
        run(cell)
    assert len(cell.frames) == 2
