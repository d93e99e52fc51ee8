"""A capture from its start to its end, by each way to command and to move."""

import signal
from pathlib import Path
from typing import ClassVar

import numpy as np
import pytest
from capture_rig import ACTION, assert_silent, events, until_moving
from diagnostic_msgs.msg import DiagnosticStatus
from std_msgs.msg import Empty

from autourdf_ros.data.load import load_recording
from autourdf_ros.data.validate import validate
from autourdf_ros.estimation.motion.streaming import LiveEstimate
from autourdf_ros.ros.capture import capture_runner

pytestmark = pytest.mark.timeout(300)


def test_what_is_missing_is_said(cell):
    cell.start_capture(autostart=True)
    cell.until_said("nothing publishes /joint_states")
    cell.until_said("nothing publishes /camera_0/points")
    cell.until_said("no controller subscribes to /joint_trajectory_controller/joint_trajectory")
    response = cell.call("start")
    assert not response.success and "cannot start: nothing publishes" in response.message


def test_a_node_that_is_not_ready_warns_with_what_start_answers(cell):
    cell.start_capture()
    cell.until_said("cannot start: nothing publishes /joint_states")
    assert cell.call("start").message in cell.levels
    assert cell.levels[cell.answer] == DiagnosticStatus.WARN


def test_a_capture_completes_and_its_recording_loads(cell, robot):
    cell.start_capture_process(autostart=True)
    cell.until(lambda: cell.completed)
    recording = load_recording(cell.completed[0])
    validate(recording)
    assert [len(sequence.frames) for sequence in recording.sequences] == [3, 3]
    assert recording.fixed_frame == "base_link"
    for sequence in recording.sequences:
        first = sequence.frames[0].joint_positions
        assert first == pytest.approx({"pan": 0.2, "tilt": -0.1}, abs=2e-3)
        for before, after in zip(sequence.frames, sequence.frames[1:], strict=False):
            assert after.stamp > before.stamp
            steps = [
                abs(after.joint_positions[joint] - before.joint_positions[joint])
                for joint in ("pan", "tilt")
            ]
            # A joint rests, or moves by 7 to 14 degrees; they do not all rest.
            assert all(step < 0.005 or 0.115 < step < 0.25 for step in steps)
            assert max(steps) > 0.115
    for frame in recording.frames:
        assert 500 < len(frame.points) <= 2000
        assert frame.points[:, 2].min() > 0.005
        assert np.abs(frame.points[:, :2]).max() < 0.5
        # The fixed box of 0.3 x 0.3 x 0.2 m must stand where it stands in the base frame.
        low = frame.points[frame.points[:, 2] < 0.15]
        np.testing.assert_allclose(low[:, :2].max(axis=0), 0.15, atol=0.01)


def test_a_stop_on_the_way_back_leaves_a_complete_recording(cell, robot):
    cell.start_capture(sequences=1, frames=3, speed=0.2)
    cell.start()
    cell.until(lambda: cell.completed)
    assert cell.call("stop").success
    cell.until_said("the recording is complete, ~/home brings the robot back")
    assert len(load_recording(cell.completed[0]).frames) == 3
    assert max(abs(one - two) for one, two in zip(cell.here(), [0.2, -0.1], strict=True)) > 0.01
    answer = cell.call("resume_recording")
    assert not answer.success
    assert cell.call("home").success
    cell.until_said("arrived")
    assert cell.here() == pytest.approx([0.2, -0.1], abs=2e-3)
    assert events(Path(cell.completed[0]))[-1]["event"] == "completed"


def test_one_joint_can_move_at_a_time(cell, robot):
    cell.start_capture(excitation="one_joint", sequences=1)
    cell.start()
    cell.until(lambda: cell.completed)
    frames = load_recording(cell.completed[0]).frames
    positions = np.array([[f.joint_positions["pan"], f.joint_positions["tilt"]] for f in frames])
    moved = np.abs(np.diff(positions, axis=0)) > 0.05
    assert sorted(moved.tolist()) == [[False, True], [True, False]]


class Teacher:
    """Answers at once, that no model is known yet, in place of a process with the engine."""

    asked: ClassVar[list] = []

    def __init__(self, recording, fixed_frame):
        Teacher.asked.append((recording, fixed_frame))

    def ask(self, frames):
        Teacher.asked.append(frames)

    def answer(self):
        return LiveEstimate(Teacher.asked[-1], None, "too few", None, 0)

    def obstacle(self, waypoints):
        return None

    def close(self):
        Teacher.asked.append("close")


def test_informative_targets_learn_from_what_is_recorded(cell, robot, monkeypatch):
    monkeypatch.setattr(capture_runner, "LearningProcess", Teacher)
    cell.start_capture(excitation="informative", sequences=1, frames=2)
    cell.start()
    cell.until_said("complete")
    assert Teacher.asked == [(Path(cell.completed[0]), "base_link"), 1, 2, "close"]
    learnt = [e for e in events(Path(cell.completed[0])) if e["event"] == "learnt"]
    assert [(event["frames"], event["axis_std"]) for event in learnt] == [(1, None), (2, None)]


def test_an_informative_recording_can_be_gone_on_with(cell, robot):
    cell.start_capture(excitation="informative", sequences=1, frames=2)
    cell.start()
    cell.until_said("complete")
    recording = Path(cell.completed[0])
    cell.stop_capture()
    cell.start_capture(
        excitation="informative", sequences=1, frames=3, resume=str(recording), seed=1
    )
    cell.start()
    cell.until(lambda: len(cell.completed) == 2)
    sequences = load_recording(recording).sequences
    assert [len(sequence.frames) for sequence in sequences] == [2, 3]
    # What was recorded before counts as well.
    learnt = [event["frames"] for event in events(recording) if event["event"] == "learnt"]
    assert learnt == [1, 2, 3, 4, 5]


def test_positions_can_be_streamed(cell, robot):
    cell.start_capture(command_interface="forward_position", sequences=1)
    cell.start()
    cell.until_said("complete")
    assert [len(s.frames) for s in load_recording(cell.completed[0]).sequences] == [3]
    steps = [float(line.split()[1]) for line in robot.commands if line.startswith("position")]
    # 2 rad/s at 100 Hz are 0.02 rad; a late timer may make up for one period.
    assert len(steps) > 50 and max(steps) < 0.045


def test_goals_of_the_action_are_followed(cell, robot):
    cell.start_capture(**ACTION, sequences=1)
    cell.start()
    cell.until_said("complete")
    (sequence,) = load_recording(cell.completed[0]).sequences
    assert len(sequence.frames) == 3
    # Two steps and the way back, each sent once.
    assert len(robot.commands) == 3 and len(set(robot.commands)) == 3
    goals = [[float(value) for value in line.split()[1:]] for line in robot.commands]
    for goal, frame in zip(goals, sequence.frames[1:], strict=False):
        assert list(frame.joint_positions.values()) == pytest.approx(goal, abs=2e-3)
    assert goals[-1] == pytest.approx([0.2, -0.1], abs=2e-3)


def test_rejected_goals_are_replaced_by_others_a_few_times(cell, robot):
    robot.do("reject")
    cell.start_capture(**ACTION, max_refusals=3)
    cell.start()
    cell.until_said("refused 3 targets in a row")
    assert_silent(robot)
    # Nothing was followed, so there is nothing to stop.
    assert robot.commands == ["rejected"] * 3
    cell.until_closed()
    (recording,) = cell.recordings()
    refused = [e["target"] for e in events(recording) if e["event"] == "target_refused"]
    assert len({tuple(target.values()) for target in refused}) == 3


def test_a_controller_that_refuses_is_asked_a_few_other_targets_and_then_left_alone(cell, robot):
    robot.do("refuse")
    cell.start_capture(max_refusals=3)
    cell.start()
    cell.until_said("refused 3 targets in a row")
    cell.until(lambda: len(robot.commands) == 6)
    targets, holds = robot.commands[::2], robot.commands[1::2]
    assert len(targets) == 3 and len(set(targets)) == 3 and len(holds) == 3
    for hold in holds:
        assert [float(v) for v in hold.split()[1:]] == pytest.approx([0.2, -0.1], abs=5e-3)
    cell.until_closed()
    (recording,) = cell.recordings()
    assert [event["event"] for event in events(recording)].count("target_refused") == 3


def test_stop_brings_the_robot_to_rest_and_keeps_the_frames(cell, robot):
    cell.start_capture(speed=0.1)
    cell.start()
    until_moving(cell, robot)
    planned = robot.commands[-1]
    assert cell.call("stop").success
    cell.until_said("stopped: ~/stop was called")
    cell.until(lambda: len(robot.commands) == 2)
    assert robot.commands[-1] != planned
    assert_silent(robot)
    cell.until_closed()
    assert not cell.completed
    (recording,) = cell.recordings()
    assert len(load_recording(recording).frames) >= 1
    assert "~/stop was called" in events(recording)[-1]["reason"]
    cell.start()
    cell.until(lambda: len(cell.recordings()) == 2)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP], ids=["asked", "terminal"])
def test_a_termination_stops_the_robot_and_ends_the_recording(cell, robot, number):
    capture = cell.start_capture_process(speed=0.1)
    cell.start()
    until_moving(cell, robot)
    capture.send_signal(number)
    assert capture.wait(90) == 0
    cell.until(lambda: len(robot.commands) == 2)
    assert "shutting down" in events(cell.recordings()[0])[-1]["reason"]


@pytest.mark.parametrize("interface", [{}, ACTION], ids=["topic", "action"])
def test_a_callback_that_fails_stops_the_robot_and_ends_the_recording(cell, robot, interface):
    capture = cell.start_capture_process("failing_capture", speed=0.1, **interface)
    fail = cell.node.create_publisher(Empty, "/fail", 1)
    cell.start()
    until_moving(cell, robot)
    cell.until(lambda: fail.get_subscription_count())
    fail.publish(Empty())
    assert capture.wait(90) == 1
    cell.until(lambda: len(robot.commands) == 2)
    assert "shutting down" in events(cell.recordings()[0])[-1]["reason"]
    output = capture.stdout.read()
    assert "ends by RuntimeError: nobody has thought of this" in output
    assert "Traceback" in output
