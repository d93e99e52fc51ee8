"""A session in virtual time that learns a model."""

from dataclasses import replace

import pytest
from motor_driven_arm import arm, motor
from virtual_cell import LIMITS, SETTINGS, VirtualCell, run

from autourdf_ros.commanding.session.interruptions import MotionStopped
from autourdf_ros.estimation.motion.streaming import LiveEstimate

INFORMATIVE = replace(SETTINGS, excitation="informative")


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
