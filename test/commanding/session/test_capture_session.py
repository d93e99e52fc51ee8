"""A session on a robot in virtual time: what no real process can do reliably."""

from concurrent.futures import Future
from dataclasses import dataclass, replace

import numpy as np
import pytest
from motor_driven_arm import arm, motor

from autourdf_ros.commanding.controller_answer import UNREPORTED, Answer, State
from autourdf_ros.commanding.screening.forbidden import Forbidden
from autourdf_ros.commanding.screening.path_screen import NOTHING, PathScreen
from autourdf_ros.commanding.session.capture_session import CaptureSession
from autourdf_ros.commanding.session.control import Control
from autourdf_ros.commanding.session.interruptions import MotionStopped
from autourdf_ros.commanding.session.planning import plan
from autourdf_ros.commanding.session.settings import SessionSettings
from autourdf_ros.data.joint_history import JointHistory
from autourdf_ros.data.rejection import Rejection
from autourdf_ros.errors import InputError
from autourdf_ros.estimation.motion.streaming import LiveEstimate
from autourdf_ros.model.limits.motion_limits import JointLimits

LIMITS = {
    "pan": JointLimits(-2.0, 2.0, 1.0, 3.0),
    "finger": JointLimits(0.0, 0.04, 0.1, 1.0),
}
SETTINGS = SessionSettings(sequences=2, frames=4, speed=1.0, move_share=1.0, view_timeout=2.0)


@dataclass
class Clouds:
    stamp: float


class VirtualCell:
    """A robot that follows exactly, a camera at 10 Hz, and time that passes when waited for."""

    def __init__(self):
        self.time = 100.0
        self.history = JointHistory(tuple(LIMITS))
        self.position = np.array([0.5, 0.01])
        self.trajectories = []
        self.frames = []
        self.sequences = []
        self.notes = []
        self.problem = None
        self.refuse = lambda trajectory: False
        self.disturb = lambda time, position: position
        self.camera = lambda time: True
        self.reject = lambda view: None
        self.began, self.active, self.clouds = 0.0, None, 0.0

    def now(self):
        return self.time

    def wait(self, seconds):
        self.time += seconds
        if self.active is not None:
            self.position = self.active.at(self.time - self.began)
        seen = self.disturb(self.time, self.position)
        self.history.add(self.time, dict(zip(LIMITS, seen, strict=True)))
        if self.camera(self.time):
            self.clouds = np.floor(self.time * 10) / 10

    def send(self, trajectory):
        self.trajectories.append(trajectory)
        if not self.refuse(trajectory):
            self.left = self.position.copy()
            self.began, self.active = self.time, trajectory

    def answer(self):
        return UNREPORTED

    def fault(self):
        return self.problem and self.problem(self.time)

    def view(self, since):
        return Clouds(self.clouds) if self.clouds >= since else None

    def missing_views(self, since):
        return "/camera is dark"

    def start_sequence(self, name):
        self.sequences.append(name)

    def record(self, view, joints):
        outcome = Future()
        outcome.set_result(self.reject(view))
        if outcome.result() is None:
            self.frames.append((view.stamp, dict(joints), self.position.copy()))
        return outcome

    def note(self, event, **details):
        self.notes.append(event)


def run(cell, settings=SETTINGS, control=None, path_screen=NOTHING, learner=None):
    statuses = []
    CaptureSession(cell, LIMITS, settings, statuses.append, control, path_screen, learner).run()
    return statuses


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
    with pytest.raises(MotionStopped, match="did not come to rest within 5 s"):
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
    # Every one was another view, and the robot was not moved meanwhile.
    assert len(set(rejected)) == 6 and len(cell.trajectories) == 8
    assert "taking the frame again" in [status.phase for status in statuses]


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


def test_a_start_outside_the_limits_is_refused_before_anything_moves():
    cell = VirtualCell()
    cell.position = np.array([2.1, 0.01])
    with pytest.raises(InputError, match=r"joint pan stands at 2\.1000; accepted is -2\.0 \.\. 2"):
        run(cell)
    assert not cell.trajectories
    with pytest.raises(InputError, match="joint pan"):
        plan({"pan": 2.1, "finger": 0.0}, LIMITS, SETTINGS)


def test_an_error_in_recording_stops_the_robot():
    cell = VirtualCell()

    def problem(_):
        return "recording failed: disk full" if len(cell.frames) == 2 else None

    cell.problem = problem
    with pytest.raises(MotionStopped, match="disk full"):
        run(cell)
    assert len(cell.frames) == 2


class AnsweringCell(VirtualCell):
    """A cell whose controller reports what becomes of a trajectory."""

    def __init__(self):
        super().__init__()
        self.report = lambda trajectory, elapsed: (
            State.DONE if elapsed >= trajectory.duration else State.ACCEPTED
        )

    def answer(self):
        if not self.trajectories:
            return UNREPORTED
        return Answer(self.report(self.trajectories[-1], self.time - self.began), "tilted")


def test_a_controller_that_answers_completes_a_session():
    cell = AnsweringCell()
    statuses = run(cell)
    assert len(cell.frames) == 8 and statuses[-1].refusals == 0


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
    with pytest.raises(MotionStopped, match="did not say within 5 s that the motion is done"):
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


class PausedCell(VirtualCell):
    """A human pauses `after` seconds into the command of a number, for two seconds."""

    def __init__(self, command, after=0.2):
        super().__init__()
        self.control = Control(1.0)
        self.command, self.after = command, after
        self.pause_at = self.resume_at = None

    def wait(self, seconds):
        super().wait(seconds)
        if self.pause_at is None and len(self.trajectories) == self.command:
            if self.time > self.began + self.after:
                self.pause_at, self.resume_at = self.time, self.time + 2.0
                self.control.paused = True
        elif self.resume_at is not None and self.time > self.resume_at:
            self.control.paused, self.resume_at = False, None

    def send(self, trajectory):
        super().send(trajectory)
        self.sent = [*getattr(self, "sent", []), self.time]


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


class Teacher:
    """A learner that knows nothing at first, and then enough."""

    def __init__(self, knows):
        self.knows, self.asked, self.waited = knows, [], 0

    def obstacle(self, waypoints):
        return None

    def ask(self, frames):
        self.asked.append(frames)

    def answer(self):
        self.waited += 1
        if self.waited % 3:
            return None
        known = arm([motor(name) for name in LIMITS]) if len(self.asked) >= self.knows else None
        return LiveEstimate(self.asked[-1], known, "", None, 0)


INFORMATIVE = replace(SETTINGS, excitation="informative")


def test_informative_targets_end_the_session_once_they_know_enough():
    cell, teacher = VirtualCell(), Teacher(knows=3)
    settings = replace(INFORMATIVE, target_axis_std=1.0, target_line_std=1.0)
    statuses = run(cell, settings, learner=teacher)
    assert teacher.asked == [1, 2, 3] and len(cell.frames) == 3
    assert "learning" in [status.phase for status in statuses]
    assert statuses[-1].phase == "complete"
    assert cell.position == pytest.approx([0.5, 0.01], abs=1e-9)
    assert cell.notes == ["learnt"] * 3


def test_informative_targets_that_never_know_enough_end_as_others_do():
    cell, teacher = VirtualCell(), Teacher(knows=99)
    run(cell, INFORMATIVE, learner=teacher)
    assert teacher.asked == list(range(1, 9)) and len(cell.frames) == 8


def test_a_stop_is_obeyed_while_a_model_is_learnt():
    cell = VirtualCell()
    teacher = Teacher(knows=1)
    teacher.answer = lambda: None
    cell.problem = lambda time: "~/stop was called" if teacher.asked else None
    with pytest.raises(MotionStopped, match="stop was called"):
        run(cell, INFORMATIVE, learner=teacher)
    assert not cell.trajectories


def test_what_the_learnt_model_would_run_into_is_never_sent():
    cell, teacher = VirtualCell(), Teacher(knows=99)
    seen = []

    def obstacle(waypoints):
        start, target = waypoints
        assert list(start.values()) == pytest.approx(cell.position, abs=1e-9)
        seen.append((target, "links 'a' and 'b' touch" if len(seen) % 2 == 0 else None))
        return seen[-1][1]

    teacher.obstacle = obstacle
    statuses = run(cell, INFORMATIVE, learner=teacher)
    free = [tuple(target.values()) for target, reason in seen if reason is None]
    sent = [tuple(trajectory.positions[-1]) for trajectory in cell.trajectories]
    # Those that are free, and the way back of both sequences, which the robot came.
    assert len(sent) == len(free) + 2 and set(map(tuple, free)) <= set(sent)
    assert len(cell.frames) == 8 and statuses[-1].screened == len(seen) - len(free) > 0
    assert statuses[-1].refusal == "by the model learnt so far, links 'a' and 'b' touch"


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
