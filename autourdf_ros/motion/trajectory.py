"""Trajectories through joint positions, timed within the limits."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.interpolate import PchipInterpolator

from autourdf_ros.motion.limits import Limits

Positions = Mapping[str, float]


@dataclass(frozen=True)
class Trajectory:
    """States of J joints at T times: from rest, or from the motion that is to be stopped, to rest.

    times: (T,) seconds from the start, increasing from 0. positions, velocities, accelerations:
    (T, J) rad or m, per s, per s^2.
    """

    joints: tuple[str, ...]
    times: NDArray[np.float64]
    positions: NDArray[np.float64]
    velocities: NDArray[np.float64]
    accelerations: NDArray[np.float64]

    @property
    def duration(self) -> float:
        """Seconds from start to rest."""
        return float(self.times[-1])

    @property
    def goal(self) -> dict[str, float]:
        """Positions at the end."""
        return dict(zip(self.joints, self.positions[-1].tolist(), strict=True))

    def at(self, time: float) -> NDArray[np.float64]:
        """(J,) positions at a time; the ends hold before and after."""
        index = int(np.searchsorted(self.times, time, side="right")) - 1
        if index < 0 or index >= len(self.times) - 1:
            return self.positions[0 if index < 0 else -1]
        span = self.times[index + 1] - self.times[index]
        u = (time - self.times[index]) / span
        start, end = self.positions[index], self.positions[index + 1]
        tangents = self.velocities[index : index + 2] * span
        # Cubic Hermite interpolation, as trajectory controllers do it.
        return (
            (2 * u**3 - 3 * u**2 + 1) * start
            + (u**3 - 2 * u**2 + u) * tangents[0]
            + (3 * u**2 - 2 * u**3) * end
            + (u**3 - u**2) * tangents[1]
        )

    def velocity_at(self, time: float) -> NDArray[np.float64]:
        """(J,) velocities at a time, linear between the given ones; 0 before and after."""
        if not 0.0 <= time <= self.duration:
            return np.zeros(len(self.joints))
        return np.array([np.interp(time, self.times, column) for column in self.velocities.T])


def through(
    waypoints: Sequence[Positions], limits: Limits, speed: float = 1.0, rate: float = 25.0
) -> Trajectory:
    """Pass the waypoints in order from rest to rest, all joints in step.

    speed: in (0, 1], share of the velocity limits that is used (of the accelerations its square).
    rate: states per second.
    The path is a monotone cubic (Fritsch and Carlson, 1980): between neighbouring waypoints no
    joint leaves the interval between its two values, and two waypoints give a straight line. Its
    time law is the quintic 10 u^3 - 15 u^4 + 6 u^5, which starts and ends with no acceleration.
    """
    joints = tuple(waypoints[0])
    points = np.array([[waypoint[name] for name in joints] for waypoint in waypoints])
    steps = np.abs(np.diff(points, axis=0)).max(axis=1, initial=0.0)
    points = points[np.concatenate([[True], steps > 1e-9])]
    if len(points) == 1:
        return _rest(joints, points[0], 1.0 / rate)
    knots = np.concatenate([[0.0], np.cumsum(np.abs(np.diff(points, axis=0)).max(axis=1))])
    path = PchipInterpolator(knots / knots[-1], points)
    _, velocity, acceleration = _states(path, np.linspace(0, 1, 40 * len(points)))
    fastest = np.abs(velocity).max(axis=0) / [limits[name].velocity for name in joints]
    hardest = np.abs(acceleration).max(axis=0) / [limits[name].acceleration for name in joints]
    # The states between those looked at may exceed them a little.
    duration = 1.03 * max(fastest.max(), math.sqrt(hardest.max())) / speed
    times = np.linspace(0, duration, max(2, math.ceil(duration * rate)) + 1)
    position, velocity, acceleration = _states(path, times / duration)
    position[0], position[-1] = points[0], points[-1]
    return Trajectory(joints, times, position, velocity / duration, acceleration / duration**2)


def stopping(positions: Positions, velocities: Positions, limits: Limits) -> Trajectory:
    """Come to rest from a motion as fast as the acceleration limits allow, and hold there.

    Stops short at a position limit.
    """
    joints = tuple(positions)
    start = np.array([positions[name] for name in joints])
    velocity = np.array([velocities.get(name, 0.0) for name in joints])
    hardest = np.array([limits[name].acceleration for name in joints])
    duration = max(float((np.abs(velocity) / hardest).max()), 0.1)
    lower = [min(limits[name].lower, positions[name]) for name in joints]
    upper = [max(limits[name].upper, positions[name]) for name in joints]
    goal = np.clip(start + velocity * duration / 2, lower, upper)
    return Trajectory(
        joints,
        np.array([0.0, duration]),
        np.stack([start, goal]),
        np.stack([velocity, np.zeros(len(joints))]),
        np.zeros((2, len(joints))),
    )


def _rest(joints: tuple[str, ...], position: NDArray[np.float64], duration: float) -> Trajectory:
    still = np.zeros((2, len(joints)))
    return Trajectory(joints, np.array([0.0, duration]), np.stack([position] * 2), still, still)


def _states(
    path: PchipInterpolator, u: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Position, velocity and acceleration along the path, in a duration of 1."""
    s = 10 * u**3 - 15 * u**4 + 6 * u**5
    ds = (30 * u**2 - 60 * u**3 + 30 * u**4)[:, None]
    dds = (60 * u - 180 * u**2 + 120 * u**3)[:, None]
    s = np.clip(s, 0.0, 1.0)
    slope, bend = path(s, 1), path(s, 2)
    return path(s), slope * ds, bend * ds**2 + slope * dds
