"""Moves the robot of a cell along waypoints, and stops it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from autourdf_ros.commanding.command_limits import screen
from autourdf_ros.commanding.controller_answer import Answer, State
from autourdf_ros.commanding.latency import Latency
from autourdf_ros.commanding.screening.path_screen import PathScreen
from autourdf_ros.commanding.session.cell import Cell
from autourdf_ros.commanding.session.control import Control
from autourdf_ros.commanding.session.interruptions import MotionStopped, Paused, Refusal
from autourdf_ros.commanding.session.settings import SessionSettings
from autourdf_ros.commanding.session.standstill import POLL, Standstill
from autourdf_ros.commanding.trajectory import Positions, Trajectory, stopping, through
from autourdf_ros.commanding.watching.following import FollowingMonitor, tolerances
from autourdf_ros.commanding.watching.stall_watch import StallWatch
from autourdf_ros.model.limits.motion_limits import Limits

_IDLE = (
    "check whether its controller is still active (ros2 control list_controllers), or in a "
    "protective stop"
)
_UNSAID = "a controller gives no reason on a topic, but its log may, or its action"


class Mover:
    """Sends one motion after the other and watches each until the robot is at rest again."""

    def __init__(
        self,
        cell: Cell,
        limits: Limits,
        settings: SessionSettings,
        control: Control,
        path_screen: PathScreen,
        paused: Callable[[bool], None],
    ) -> None:
        """Create it.

        Args:
            cell: the robot and its readings.
            limits: of the joints that move.
            settings: how a motion is made and watched.
            control: speed and pause, which a human may change.
            path_screen: refuses a motion that meets an obstacle.
            paused: is called with True when the robot waits, and with False when it goes on.
        """
        self._cell = cell
        self._limits = limits
        self._settings = settings
        self._control = control
        self._path_screen = path_screen
        self._paused = paused
        self._standstill = Standstill(cell, settings)
        self._latency = Latency(settings.lag)
        self._moving: tuple[float, Trajectory] | None = None

    def move(self, waypoints: Sequence[Positions]) -> Refusal | None:
        """Move along the waypoints and come to rest.

        A pause interrupts the motion; it then continues to the waypoints that are left.

        Returns:
            A refusal where the robot stayed where it was, or None.

        Raises:
            MotionStopped: the motion failed; the caller has to stop the robot.
        """
        paused = False
        while True:
            self._wait_while_paused()
            try:
                refusal = self._screened(waypoints) or self._follow(waypoints)
            except Paused as pause:
                waypoints, paused = [self._standstill.position(), *pause.remaining], True
                continue
            if paused and refusal is not None:
                raise MotionStopped(
                    f"the {refusal.by} refuses to go on after a pause: {refusal.reason}"
                )
            return refusal

    def _screened(self, waypoints: Sequence[Positions]) -> Refusal | None:
        reason = self._path_screen.reason(waypoints)
        return None if reason is None else Refusal("screening", reason)

    def _wait_while_paused(self) -> None:
        if not self._control.paused:
            return
        self._paused(True)
        while self._control.paused:
            self._standstill.check_fault()
            self._cell.wait(POLL)
        self._paused(False)

    def _follow(self, waypoints: Sequence[Positions]) -> Refusal | None:
        """Move as `move` does, but raise Paused once the robot was commanded to come to rest."""
        settings, cell, speed = self._settings, self._cell, self._control.speed
        trajectory = through(waypoints, self._limits, speed)
        self._standstill.check_fault()
        screen(trajectory, self._limits, self._standstill.newest()[1], settings.tolerance)
        monitor = FollowingMonitor(trajectory, self._limits, settings.tolerance, settings.lag)
        stall_watch = StallWatch(
            trajectory,
            tolerances(trajectory, self._limits, settings.tolerance),
            self._latency,
            cell.history.noise(settings.still_window),
        )
        began = cell.now()
        cell.send(trajectory)
        self._moving = began, trajectory
        while True:
            cell.wait(POLL)
            self._standstill.check_fault()
            stamp, measured = self._standstill.newest()
            elapsed = cell.now() - began
            answer = cell.answer()
            if answer.state is State.REFUSED:
                self._moving = None
                self._standstill.position()
                return Refusal("controller", answer.reason)
            if answer.state is State.BROKEN_OFF:
                raise MotionStopped(f"the controller broke off a motion: {answer.reason}", measured)
            age = began + elapsed - stamp
            deviation = stall_watch.check(elapsed, measured, age) or monitor.check(
                elapsed, measured, age
            )
            if deviation is not None and deviation.refused and answer.state is State.UNREPORTED:
                self.stop(measured)
                self._standstill.position()
                return Refusal("controller", f"the robot did not begin to move; {_UNSAID}; {_IDLE}")
            if deviation is not None:
                raise MotionStopped(
                    f"joint {deviation.joint} does not follow: commanded "
                    f"{deviation.commanded:.3f}, measured {deviation.measured:.3f}"
                    f"{_silence(answer)}{self._idle(trajectory, elapsed)}",
                    measured,
                )
            if elapsed < trajectory.duration:
                if self._control.paused:
                    self.stop()
                    raise Paused(_ahead(waypoints, self._limits, speed, elapsed))
                continue
            still = monitor.arrived(measured) and self._standstill.since(
                began + trajectory.duration
            )
            if still and answer.over:
                self._moving = None
                return None
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

    def _idle(self, trajectory: Trajectory, elapsed: float) -> str:
        """Return what to check where the robot stands still although it should move."""
        rates = self._cell.history.velocity().values()
        stands = all(abs(rate) <= self._settings.still_velocity for rate in rates)
        return f"; nothing moves: {_IDLE}" if stands and elapsed < trajectory.duration else ""

    def stop(self, measured: Positions | None = None) -> float | None:
        """Bring the robot to rest at once.

        Args:
            measured: positions (rad or m) from which it brakes; without them, from where its
                command has it now.

        Returns:
            The duration of the halt (s), or None where the robot was not moving.
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


def _ahead(
    waypoints: Sequence[Positions], limits: Limits, speed: float, elapsed: float
) -> list[Positions]:
    """Return the waypoints that the trajectory `through` them reaches after `elapsed` (s)."""
    return [
        waypoint
        for count, waypoint in enumerate(waypoints[1:], start=2)
        if through(waypoints[:count], limits, speed).duration > elapsed
    ]


def _silence(answer: Answer) -> str:
    unanswered = answer.state is State.UNANSWERED
    return "; it has not answered whether it takes the motion" if unanswered else ""
