"""A robot cell in virtual time, which does what no real process does reliably."""

from concurrent.futures import Future
from dataclasses import dataclass

import numpy as np

from autourdf_ros.commanding.controller_answer import UNREPORTED, Answer, State
from autourdf_ros.commanding.screening.path_screen import NOTHING
from autourdf_ros.commanding.session.capture_session import CaptureSession
from autourdf_ros.commanding.session.control import Control
from autourdf_ros.commanding.session.settings import SessionSettings
from autourdf_ros.data.joint_history import JointHistory
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
        self.making = 0.0  # s, that a frame takes to be made of a view
        self.made = []
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
        while self.made and self.made[0][0] <= self.time:
            self._make(*self.made.pop(0)[1:])

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
        view = view, dict(joints), self.position.copy()
        if self.making:
            self.made.append((self.time + self.making, outcome, *view))
        else:
            self._make(outcome, *view)
        return outcome

    def _make(self, outcome, view, joints, position):
        rejection = self.reject(view)
        if rejection is None:
            self.frames.append((view.stamp, joints, position))
        outcome.set_result(rejection)

    def note(self, event, **details):
        self.notes.append(event)


def run(cell, settings=SETTINGS, control=None, path_screen=NOTHING, learner=None):
    statuses = []
    CaptureSession(cell, LIMITS, settings, statuses.append, control, path_screen, learner).run()
    return statuses


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
