"""Trajectories through joint positions, timed to stay within the limits."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.model.limits.motion_limits import Limits

Positions = Mapping[str, float]

# Of the quintic time law, over distance / duration and distance / duration^2.
_PEAK_VELOCITY = 15 / 8
_PEAK_ACCELERATION = 10 / math.sqrt(3)


@dataclass(frozen=True)
class Trajectory:
    """States of J joints at T times, which end at rest.

    It begins at rest, or with the motion that it stops.

    Attributes:
        joints: names.
        times: (T,) seconds from the start, increasing from 0.
        positions: (T, J) rad or m.
        velocities: (T, J) rad/s or m/s.
        accelerations: (T, J) rad/s^2 or m/s^2.
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

    def at(self, time: float | NDArray[np.float64]) -> NDArray[np.float64]:
        """Return (..., J) positions at (...) times (s); the ends hold before and after."""
        time = np.clip(time, 0.0, self.duration)
        index = np.searchsorted(self.times, time, side="right") - 1
        index = np.minimum(index, len(self.times) - 2)
        span = np.diff(self.times)[index][..., None]
        u = (time - self.times[index])[..., None] / span
        start, end = self.positions[index], self.positions[index + 1]
        # Cubic Hermite interpolation, as trajectory controllers do it.
        return np.asarray(
            (2 * u**3 - 3 * u**2 + 1) * start
            + (u**3 - 2 * u**2 + u) * span * self.velocities[index]
            + (3 * u**2 - 2 * u**3) * end
            + (u**3 - u**2) * span * self.velocities[index + 1]
        )

    def velocity_at(self, time: float) -> NDArray[np.float64]:
        """Return (J,) velocities at a time (s), linear between the states; 0 before and after."""
        if not 0.0 <= time <= self.duration:
            return np.zeros(len(self.joints))
        return np.array([np.interp(time, self.times, column) for column in self.velocities.T])


def through(
    waypoints: Sequence[Positions], limits: Limits, speed: float = 1.0, rate: float = 25.0
) -> Trajectory:
    """Return a trajectory through the waypoints on straight lines of joint space.

    The robot rests in every waypoint. All joints move in step by the quintic
    10 u^3 - 15 u^4 + 6 u^5, which starts and ends without velocity and acceleration, as fast as the
    slowest joint may move.

    Args:
        waypoints: positions (rad or m) by joint, in order.
        limits: of the joints.
        speed: in (0, 1], share of the velocity limits in use, and its square of the accelerations.
        rate: states a second, at least; between two waypoints there are never fewer than ten.
    """
    joints = tuple(waypoints[0])
    points = np.array([[waypoint[name] for name in joints] for waypoint in waypoints])
    fastest = np.array([limits[name].velocity for name in joints])
    hardest = np.array([limits[name].acceleration for name in joints])
    times, positions = [np.zeros(1)], [points[:1]]
    velocities, accelerations = [np.zeros((1, len(joints)))], [np.zeros((1, len(joints)))]
    for start, move in zip(points[:-1], np.diff(points, axis=0), strict=True):
        duration = max(
            (_PEAK_VELOCITY * np.abs(move) / fastest).max(),
            np.sqrt(_PEAK_ACCELERATION * np.abs(move) / hardest).max(),
            1.0 / rate,
        )
        duration *= (1.0 + 1e-9) / speed
        u = np.linspace(0, 1, max(10, math.ceil(duration * rate)) + 1)[1:, None]
        times.append(times[-1][-1] + duration * u[:, 0])
        positions.append(start + (10 * u**3 - 15 * u**4 + 6 * u**5) * move)
        velocities.append((30 * u**2 - 60 * u**3 + 30 * u**4) * move / duration)
        accelerations.append((60 * u - 180 * u**2 + 120 * u**3) * move / duration**2)
        positions[-1][-1], velocities[-1][-1], accelerations[-1][-1] = start + move, 0.0, 0.0
    if len(points) == 1:
        times.append(np.array([1.0 / rate]))
        positions.append(points)
        velocities.append(velocities[0])
        accelerations.append(accelerations[0])
    return Trajectory(
        joints,
        np.concatenate(times),
        np.concatenate(positions),
        np.concatenate(velocities),
        np.concatenate(accelerations),
    )


def stopping(positions: Positions, velocities: Positions, limits: Limits) -> Trajectory:
    """Return a trajectory that brings a motion to rest as fast as the limits allow.

    It stops short at a position limit.

    Args:
        positions: of the joints now (rad or m).
        velocities: of the joints now (rad/s or m/s); a joint without one is at rest.
        limits: of the joints.
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
