"""A capture session: move a little, wait until the robot stands still, look, and again."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, Protocol

from autourdf_ros.errors import AutourdfError, InputError
from autourdf_ros.motion.answer import Answer, State
from autourdf_ros.motion.control import Control
from autourdf_ros.motion.excitation import Excitation, ExcitationName
from autourdf_ros.motion.following import FollowingMonitor
from autourdf_ros.motion.joint_history import JointHistory
from autourdf_ros.motion.limits import Limits
from autourdf_ros.motion.one_joint import OneJointTargets
from autourdf_ros.motion.screening import screen
from autourdf_ros.motion.targets import RandomTargets
from autourdf_ros.motion.trajectory import Positions, Trajectory, stopping, through

_POLL = 0.01
_SETTLING = 1.5


class MotionStopped(AutourdfError):
    """The robot is to be stopped; a human decides what happens next.

    measured: where it is, if that is not where it was commanded to be.
    """

    def __init__(self, reason: str, measured: Positions | None = None) -> None:
        super().__init__(reason)
        self.measured = measured


class _Paused(Exception):
    """The robot came to rest on its way; these waypoints were still before it."""

    def __init__(self, remaining: Sequence[Positions]) -> None:
        super().__init__("paused")
        self.remaining = remaining


@dataclass(frozen=True)
class SessionSettings:
    """What a session does.

    sequences, frames: number of sequences, and of frames in each. speed: in (0, 1], share of the
    velocity limits. step_min, step_max: step of a joint between frames (rad). excitation: which
    joints move (`RandomTargets`, `OneJointTargets`); move_share: of the joints that move in a
    random step. still_velocity: below it a joint stands still (rad/s or
    m/s), over still_window (s); it must within still_timeout (s) after a move. view_timeout:
    longest wait for the clouds of a still robot (s). tolerance, lag: see `FollowingMonitor`.
    max_refusals: refused targets in a row before giving up.
    """

    sequences: int = 2
    frames: int = 10
    speed: float = 0.25
    step_min: float = math.radians(7)
    step_max: float = math.radians(14)
    excitation: ExcitationName = "random"
    move_share: float = 0.5
    still_velocity: float = 0.02
    still_window: float = 0.25
    still_timeout: float = 5.0
    view_timeout: float = 5.0
    tolerance: float = 0.05
    lag: float = 0.5
    max_refusals: int = 5
    seed: int = 0


class View(Protocol):
    """Clouds of all cameras, taken while the robot stood still."""

    @property
    def stamp(self) -> float:
        """Seconds; of the newest of the clouds."""


class Cell(Protocol):
    """What a session needs of the robot cell. Times are seconds of the clock of the stamps."""

    history: JointHistory

    def now(self) -> float:
        """Tell the time."""

    def wait(self, seconds: float) -> None:
        """Let time pass."""

    def send(self, trajectory: Trajectory) -> None:
        """Let the robot follow a trajectory from now on, in place of any other."""

    def answer(self) -> Answer:
        """What the controller says of the trajectory sent last."""

    def fault(self) -> str | None:
        """Why the robot has to stop (silent sensors, a request), or None."""

    def view(self, since: float) -> View | None:
        """Return clouds stamped after `since`, once every camera has one."""

    def missing_views(self, since: float) -> str:
        """Which cameras have none, and why, in a sentence."""

    def start_sequence(self, name: str) -> None:
        """Record what follows as a sequence."""

    def record(self, view: Any, joints: Positions) -> None:
        """Record a frame."""

    def note(self, event: str, **details: object) -> None:
        """Record that something happened."""


@dataclass(frozen=True)
class Status:
    """Where a session is. frame: of all frames of all sequences; refusals: so far."""

    phase: str
    sequence: int = 0
    frame: int = 0
    frames: int = 0
    refusals: int = 0


class CaptureSession:
    """Runs one capture to its end, or stops the robot and raises."""

    def __init__(
        self,
        cell: Cell,
        limits: Limits,
        settings: SessionSettings,
        report: Callable[[Status], None],
        control: Control | None = None,
    ) -> None:
        """control: what a human may change meanwhile; without it the speed is the settings'."""
        self._cell = cell
        self._control = control or Control(settings.speed)
        self._limits = limits
        self._settings = settings
        self._report = report
        self._status = Status("waiting", frames=settings.sequences * settings.frames)
        self._moving: tuple[float, Trajectory] | None = None

    def run(self) -> None:
        """Record all sequences.

        Raises MotionStopped after having stopped the robot when it does not follow, does not come
        to rest, refuses too many targets, or the cell reports a fault; any other error stops the
        robot as well.
        """
        self._guard(self._run)

    def travel(self, target: Positions) -> None:
        """Go straight to a position in joint space, and record nothing. Raises as `run` does."""
        self._guard(lambda: self._travel(target))

    def _guard(self, work: Callable[[], None]) -> None:
        """Work, and stop the robot when it fails."""
        try:
            work()
        except MotionStopped as stopped:
            braking = self._stop(stopped.measured)
            self._tell("stopping")
            if braking is not None and not self._comes_to_rest(braking):
                raise MotionStopped(
                    f"{stopped}; AND THE ROBOT STILL MOVES: use its emergency stop"
                ) from stopped
            raise
        except BaseException:
            self._stop()
            raise

    def _run(self) -> None:
        settings = self._settings
        targets = excitation_of(self._limits, settings)
        self._tell("waiting for the robot to stand still")
        start = self._rest_position()
        check_start(start, self._limits)
        for sequence in range(settings.sequences):
            self._tell("starting", sequence=sequence)
            self._cell.start_sequence(f"{sequence:04d}")
            targets.start_sequence()
            path: list[Positions] = [start]
            self._capture()
            for _ in range(settings.frames - 1):
                path.append(self._advance(path[-1], targets))
                self._capture()
            self._go_back(path)
        self._tell("complete")

    def _travel(self, target: Positions) -> None:
        self._tell("waiting for the robot to stand still")
        start = self._rest_position()
        check_start(start, self._limits)
        self._tell("travelling")
        if not self._move([start, target]):
            raise MotionStopped("the controller refuses the motion")
        self._tell("arrived")

    def _advance(self, current: Positions, targets: Excitation) -> Positions:
        """Move to a new target. A refused one is never sent again: another is drawn."""
        for refusals in range(1, self._settings.max_refusals + 1):
            target = targets.next(current)
            self._tell("moving")
            if self._move([current, target]):
                return target
            self._refused(target)
            targets.turn(refusals)
        raise MotionStopped(
            f"the controller refused {self._settings.max_refusals} targets in a row: look whether "
            "it is active, in a protective stop, or the robot close to an obstacle"
        )

    def _go_back(self, path: Sequence[Positions]) -> None:
        """Return along the path on which the robot came.

        In one sweep, which rounds its corners; where the controller refuses that, leg by leg, each
        of which it has already let the robot go the other way.
        """
        self._tell("returning to the start")
        if self._move(path[::-1]):
            return
        self._refused(path[0])
        for here, there in pairwise(path[::-1]):
            if here != there and not self._move([here, there]):
                self._refused(there)
                raise MotionStopped("the controller refuses the way back to the start")

    def _move(self, waypoints: Sequence[Positions]) -> bool:
        """Move and come to rest; False where the controller refused and the robot stayed.

        A pause interrupts it; then it goes on to the waypoints that were still to come.
        """
        paused = False
        while True:
            self._wait_while_paused()
            try:
                arrived = self._follow(waypoints)
            except _Paused as pause:
                waypoints, paused = [self._rest_position(), *pause.remaining], True
                continue
            if paused and not arrived:
                raise MotionStopped("the controller refuses to go on after a pause")
            return arrived

    def _wait_while_paused(self) -> None:
        if not self._control.paused:
            return
        phase = self._status.phase
        self._tell("paused")
        while self._control.paused:
            self._check_fault()
            self._cell.wait(_POLL)
        self._tell(phase)

    def _follow(self, waypoints: Sequence[Positions]) -> bool:
        """As `_move`, but raises _Paused once the robot was told to come to rest."""
        settings, cell, speed = self._settings, self._cell, self._control.speed
        trajectory = through(waypoints, self._limits, speed)
        self._check_fault()
        screen(trajectory, self._limits, self._newest()[1], settings.tolerance)
        monitor = FollowingMonitor(trajectory, self._limits, settings.tolerance, settings.lag)
        began = cell.now()
        cell.send(trajectory)
        self._moving = began, trajectory
        while True:
            cell.wait(_POLL)
            self._check_fault()
            stamp, measured = self._newest()
            elapsed = cell.now() - began
            answer = cell.answer()
            if answer.state is State.REFUSED:
                self._moving = None
                self._rest_position()
                return False
            if answer.state is State.BROKEN_OFF:
                raise MotionStopped(f"the controller broke off a motion: {answer.reason}", measured)
            deviation = monitor.check(elapsed, measured, began + elapsed - stamp)
            if deviation is not None and deviation.refused and answer.state is State.UNTOLD:
                self._stop(measured)
                self._rest_position()
                return False
            if deviation is not None:
                raise MotionStopped(
                    f"joint {deviation.joint} does not follow: commanded "
                    f"{deviation.commanded:.3f}, measured {deviation.measured:.3f}"
                    f"{_silence(answer)}",
                    measured,
                )
            if elapsed < trajectory.duration:
                if self._control.paused:
                    self._stop()
                    raise _Paused(_ahead(waypoints, self._limits, speed, elapsed))
                continue
            still = monitor.arrived(measured) and self._still_since(began + trajectory.duration)
            if still and answer.over:
                self._moving = None
                return True
            if elapsed > trajectory.duration + settings.still_timeout and still:
                raise MotionStopped(
                    f"the controller did not say within {settings.still_timeout:g} s that the "
                    f"motion is done{_silence(answer)}"
                )
            if elapsed > trajectory.duration + settings.still_timeout:
                raise MotionStopped(
                    f"the robot did not come to rest within {settings.still_timeout:g} s "
                    f"(slower than {settings.still_velocity:g} rad/s)"
                )

    def _rest_position(self) -> dict[str, float]:
        """Mean position once the robot stands still."""
        began = self._cell.now()
        while True:
            self._check_fault()
            since = self._still_since(began)
            newest = self._cell.history.latest
            if since is not None and newest is not None:
                return self._cell.history.mean(since, newest[0])
            if self._cell.now() > began + self._settings.still_timeout:
                raise MotionStopped(
                    "the robot does not stand still, though nothing was commanded to it"
                )
            self._cell.wait(_POLL)

    def _still_since(self, earliest: float) -> float | None:
        """Begin of the last window in which the robot stood still, if it is after `earliest`."""
        newest = self._cell.history.latest
        if newest is None:
            return None
        since = newest[0] - self._settings.still_window
        calm = since >= earliest and self._cell.history.still(
            since, newest[0], self._settings.still_velocity
        )
        return since if calm else None

    def _capture(self) -> None:
        """Record the clouds of a robot that stood still from before them until after them."""
        settings, cell = self._settings, self._cell
        self._tell("looking")
        began = cell.now()
        newest = cell.history.latest
        since = (newest[0] if newest else began) - settings.still_window
        while True:
            self._check_fault()
            view = cell.view(since)
            newest = cell.history.latest
            if view is not None and newest is not None and newest[0] >= view.stamp:
                if cell.history.still(since, view.stamp, settings.still_velocity):
                    break
                since = newest[0]
            if cell.now() > began + settings.view_timeout:
                raise MotionStopped(
                    f"no clouds of the still robot within {settings.view_timeout:g} s: "
                    f"{cell.missing_views(since)}"
                )
            cell.wait(_POLL)
        cell.record(view, cell.history.mean(since, view.stamp))
        self._status = replace(self._status, frame=self._status.frame + 1)
        self._tell("looked")

    def _stop(self, measured: Positions | None = None) -> float | None:
        """Come to rest at once: from `measured`, or from where the robot should be by now.

        Returns how long that takes (s), or None where it was not moving.
        """
        if self._moving is None:
            return None
        began, trajectory = self._moving
        self._moving = None
        elapsed = self._cell.now() - began
        if measured is None:
            position = dict(zip(trajectory.joints, trajectory.at(elapsed).tolist(), strict=True))
            rates = trajectory.velocity_at(elapsed).tolist()
            velocity = dict(zip(trajectory.joints, rates, strict=True))
        else:
            position, velocity = dict(measured), self._cell.history.velocity()
        halt = stopping(position, velocity, self._limits)
        self._cell.send(halt)
        return halt.duration

    def _comes_to_rest(self, braking: float) -> bool:
        """Whether the robot stands still soon after braking; true where nobody knows."""
        began = self._cell.now()
        end = began + braking + _SETTLING + self._settings.still_window
        while self._cell.now() < end:
            self._cell.wait(_POLL)
            if self._still_since(began) is not None:
                return True
        newest = self._cell.history.latest
        return newest is None or newest[0] < end - self._settings.still_window

    def _newest(self) -> tuple[float, dict[str, float]]:
        newest = self._cell.history.latest
        if newest is None:
            raise MotionStopped("no joint readings")
        return newest

    def _check_fault(self) -> None:
        reason = self._cell.fault()
        if reason is not None:
            raise MotionStopped(reason)

    def _refused(self, target: Positions) -> None:
        self._status = replace(self._status, refusals=self._status.refusals + 1)
        self._tell("target refused")
        self._cell.note("target_refused", target=dict(target))

    def _tell(self, phase: str, sequence: int | None = None) -> None:
        sequence = self._status.sequence if sequence is None else sequence
        self._status = replace(self._status, phase=phase, sequence=sequence)
        self._report(self._status)


def _ahead(
    waypoints: Sequence[Positions], limits: Limits, speed: float, elapsed: float
) -> list[Positions]:
    """Those of the waypoints that `through` them are reached later than `elapsed` seconds."""
    return [
        waypoint
        for count, waypoint in enumerate(waypoints[1:], start=2)
        if through(waypoints[:count], limits, speed).duration > elapsed
    ]


def _silence(answer: Answer) -> str:
    unanswered = answer.state is State.UNANSWERED
    return "; it has not answered whether it takes the motion" if unanswered else ""


def check_start(positions: Positions, limits: Limits) -> None:
    """Raise InputError naming the joint that stands outside its limits by more than noise."""
    for name, limit in limits.items():
        slack = min(0.02, 0.05 * limit.span)
        if not limit.lower - slack <= positions[name] <= limit.upper + slack:
            raise InputError(
                f"joint {name} stands at {positions[name]:.4f}; accepted is {limit.lower} .. "
                f"{limit.upper}: move it there by hand or correct its limits"
            )


def plan(start: Positions, limits: Limits, settings: SessionSettings) -> list[Trajectory]:
    """All moves that a session from `start` would make if no target were refused.

    Raises InputError when the start is outside the limits.
    """
    check_start(start, limits)
    targets = excitation_of(limits, settings)
    moves = []
    for _ in range(settings.sequences):
        targets.start_sequence()
        path: list[Positions] = [start]
        for _ in range(settings.frames - 1):
            path.append(targets.next(path[-1]))
            moves.append(through(path[-2:], limits, settings.speed))
        moves.append(through(path[::-1], limits, settings.speed))
    return moves


def excitation_of(limits: Limits, settings: SessionSettings) -> Excitation:
    """What draws the targets of a session with these settings."""
    steps = settings.step_min, settings.step_max
    if settings.excitation == "one_joint":
        return OneJointTargets(limits, *steps, settings.seed)
    return RandomTargets(limits, *steps, settings.move_share, settings.seed)
