"""A capture session: move a little, wait until the robot stands still, take a view, repeat.

A frame is made of a view while the robot moves on; only the first one is there before the first
motion. Where a view is rejected, the robot goes back and another one is taken there.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import pairwise

from autourdf_ros.commanding.learning.learning_process import Learner
from autourdf_ros.commanding.screening.path_screen import NOTHING, PathScreen
from autourdf_ros.commanding.session.cell import Cell
from autourdf_ros.commanding.session.control import Control
from autourdf_ros.commanding.session.frame_taking import FrameTaking
from autourdf_ros.commanding.session.interruptions import MotionStopped, Refusal
from autourdf_ros.commanding.session.mover import Mover
from autourdf_ros.commanding.session.planning import DRAWS, check_start, excitation_of
from autourdf_ros.commanding.session.settings import SessionSettings
from autourdf_ros.commanding.session.standstill import POLL, Standstill
from autourdf_ros.commanding.session.status import Status
from autourdf_ros.commanding.targets.excitation import Excitation, LearningExcitation
from autourdf_ros.commanding.trajectory import Positions
from autourdf_ros.data.rejection import Rejection
from autourdf_ros.model.limits.motion_limits import Limits


class CaptureSession:
    """Runs one capture to its end, or stops the robot and raises."""

    def __init__(
        self,
        cell: Cell,
        limits: Limits,
        settings: SessionSettings,
        report: Callable[[Status], None],
        control: Control | None = None,
        path_screen: PathScreen = NOTHING,
        learner: Learner | None = None,
    ) -> None:
        """Create a session.

        Args:
            cell: the robot, its cameras and its recording.
            limits: of the joints that move.
            settings: what the session does.
            report: receives every change of the status.
            control: what a human may change meanwhile; without it the speed is the settings'.
            path_screen: checks every motion before it is sent.
            learner: gives informative targets the model found so far, and the obstacles by that
                model; without it these targets are random.
        """
        self._cell = cell
        self._limits = limits
        self._settings = settings
        self._report = report
        self._status = Status("waiting", frames=settings.sequences * settings.frames)
        self._standstill = Standstill(cell, settings)
        self._path_screen = path_screen
        self._learner = learner
        control = control or Control(settings.speed)
        self._mover = Mover(cell, limits, settings, control, path_screen, self._on_pause)
        self._frame_taking = FrameTaking(cell, settings, self._rejected)
        self._phase = self._status.phase

    def run(self, recorded: Callable[[], None] = lambda: None) -> None:
        """Record all sequences, or fewer where informative targets have reached their precision.

        Args:
            recorded: is called once the last frame is recorded, before the robot returns from it.

        Raises:
            MotionStopped: the robot was stopped, because it did not follow or did not come to rest,
                too many targets were refused, or the cell reported a fault. Any other error stops
                the robot as well.
        """
        self._guard(lambda: self._run(recorded))

    def travel(self, target: Positions) -> None:
        """Go straight to a position in joint space and record nothing. Raise as `run` does."""
        self._guard(lambda: self._travel(target))

    def visit(self, start: Positions, targets: Sequence[Positions]) -> None:
        """Take a view at `start`, where the robot stands, and at every target; return the same way.

        A refused motion ends the visit, and no other motion is sent.

        Raises:
            MotionStopped: as `run` does, also where the robot does not stand at `start`.
        """
        self._guard(lambda: self._visit(start, targets))

    def _guard(self, work: Callable[[], None]) -> None:
        """Do the work, and stop the robot when it fails."""
        try:
            work()
        except MotionStopped as stopped:
            braking = self._mover.stop(stopped.measured)
            self._set_phase("stopping")
            if braking is not None and not self._standstill.comes_to_rest(braking):
                raise MotionStopped(
                    f"{stopped}; AND THE ROBOT STILL MOVES: use its emergency stop"
                ) from stopped
            raise
        except BaseException:
            self._mover.stop()
            raise

    def _run(self, recorded: Callable[[], None]) -> None:
        settings = self._settings
        targets = excitation_of(self._limits, settings)
        start = self._begin()
        for sequence in range(settings.sequences):
            self._set_phase("starting", sequence=sequence)
            self._cell.start_sequence(f"{settings.first + sequence:04d}")
            targets.start_sequence()
            path: list[Positions] = [start]
            self._capture()
            if sequence == 0:
                self._confirm()  # it shows whether cameras and box are set up: before any motion
            enough = self._learn(targets)
            while len(path) < settings.frames and not enough:
                path.append(self._advance(path[-1], targets))
                self._confirm(path[-2:])
                self._capture()
                enough = self._learn(targets)
            self._confirm()
            last = enough or sequence + 1 == settings.sequences
            if last:
                recorded()
            self._go_back(path)
            if last:
                break
        self._set_phase("complete")

    def _travel(self, target: Positions) -> None:
        start = self._begin()
        self._set_phase("travelling")
        self._go([start, target])
        self._set_phase("arrived")

    def _visit(self, start: Positions, targets: Sequence[Positions]) -> None:
        path: list[Positions] = [self._begin()]
        for name, value in start.items():
            if abs(path[0][name] - value) > self._settings.tolerance:
                raise MotionStopped(
                    f"joint {name} stands at {path[0][name]:.3f}, no longer at {value:.3f}, from "
                    "where it was to go: somebody moved it"
                )
        self._capture()
        for target in targets:
            self._set_phase("moving")
            self._go([path[-1], target])
            path.append(target)
            self._confirm(path[-2:])
            self._capture()
        self._confirm()
        self._set_phase("returning to the start")
        self._go(path[::-1])
        self._set_phase("complete")

    def _begin(self) -> Positions:
        """Return where the robot stands, if it may move from there."""
        self._set_phase("waiting for the robot to stand still")
        start = self._standstill.position()
        check_start(start, self._limits, self._path_screen)
        return start

    def _go(self, path: Sequence[Positions]) -> None:
        refusal = self._mover.move(path) if path else None
        if refusal is not None:
            raise MotionStopped(f"the {refusal.by} refuses the motion: {refusal.reason}")

    def _advance(self, current: Positions, targets: Excitation) -> Positions:
        """Move to a new target. A refused one is never sent again: another is drawn."""
        refused = 0
        for drawn in range(1, DRAWS + 1):
            target = targets.next(current)
            refusal = self._move(current, target)
            if refusal is None:
                return target
            self._refused(target, refusal)
            refused += refusal.by == "controller"
            if refused == self._settings.max_refusals:
                raise MotionStopped(
                    f"the controller refused {refused} targets in a row: check whether "
                    "it is active, in a protective stop, or the robot close to an obstacle"
                )
            targets.turn(drawn)
        raise MotionStopped(
            f"{DRAWS} targets in a row were refused, the last because {self._status.refusal}"
        )

    def _move(self, current: Positions, target: Positions) -> Refusal | None:
        """Move to a target, if the model learnt so far shows no obstacle."""
        obstacle = self._learner.obstacle([current, target]) if self._learner else None
        if obstacle is not None:
            return Refusal("screening", f"by the model learnt so far, {obstacle}")
        self._set_phase("moving")
        return self._mover.move([current, target])

    def _go_back(self, path: Sequence[Positions]) -> None:
        """Return along the path on which the robot came.

        The robot returns in one motion through all waypoints. Where the controller refuses that, it
        returns leg by leg; the controller has accepted each leg in the other direction.
        """
        self._set_phase("returning to the start")
        refusal = self._mover.move(path[::-1])
        if refusal is None:
            return
        self._refused(path[0], refusal)
        if refusal.by == "controller":
            refusal = self._go_back_by_legs(path)
        if refusal is not None:
            raise MotionStopped(
                f"the {refusal.by} refuses the way back to the start: {refusal.reason}"
            )

    def _go_back_by_legs(self, path: Sequence[Positions]) -> Refusal | None:
        for here, there in pairwise(path[::-1]):
            refusal = self._mover.move([here, there]) if here != there else None
            if refusal is not None:
                self._refused(there, refusal)
                return refusal
        return None

    def _capture(self) -> None:
        self._set_phase("taking a frame")
        self._frame_taking.take()

    def _confirm(self, way: Sequence[Positions] = ()) -> None:
        """Wait until the view taken last is a frame on disk; where it was rejected, take another.

        way: from where that view was taken to where the robot stands; empty: it stands there.
        """
        if not self._frame_taking.pending:
            return
        if not self._frame_taking.accepted():
            if way:
                self._set_phase("going back for a rejected frame")
            self._go(way[::-1])
            self._frame_taking.retake()
            self._go(way)
        self._status = replace(self._status, frame=self._status.frame + 1)
        self._set_phase("frame taken")

    def _rejected(self, rejection: Rejection) -> None:
        counts = Counter(self._status.rejections) + Counter([rejection.reason])
        self._status = replace(self._status, rejections=dict(counts), rejection=rejection.text)
        self._set_phase("taking the frame again")
        self._cell.note("frame_rejected", reason=rejection.reason, text=rejection.text)

    def _learn(self, targets: Excitation) -> bool:
        """Give informative targets the latest estimate; return whether it is precise enough.

        The robot stands still meanwhile.
        """
        if self._learner is None or not isinstance(targets, LearningExcitation):
            return False
        self._confirm()
        self._set_phase("learning")
        self._learner.ask(self._status.frame)
        while (estimate := self._learner.answer()) is None:
            self._standstill.check_fault()
            self._cell.wait(POLL)
        targets.learn(estimate)
        known = {"axis_std": estimate.axis_std, "line_std": estimate.line_std}
        self._cell.note(
            "learnt",
            frames=estimate.frames,
            enough=targets.finished,
            reason=estimate.reason,
            **{name: std if math.isfinite(std) else None for name, std in known.items()},
        )
        return targets.finished

    def _on_pause(self, paused: bool) -> None:
        if paused:
            self._phase = self._status.phase
        self._set_phase("paused" if paused else self._phase)

    def _refused(self, target: Positions, refusal: Refusal) -> None:
        self._status = replace(
            self._status,
            refusals=self._status.refusals + 1,
            screened=self._status.screened + (refusal.by == "screening"),
            refusal=refusal.reason,
        )
        self._set_phase("target refused")
        self._cell.note("target_refused", target=dict(target), by=refusal.by, reason=refusal.reason)

    def _set_phase(self, phase: str, sequence: int | None = None) -> None:
        sequence = self._status.sequence if sequence is None else sequence
        self._status = replace(self._status, phase=phase, sequence=sequence)
        self._report(self._status)
