"""Motors that follow a reference within velocity and acceleration limits."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.simulation.live.controller_commands import Reference


@dataclass(frozen=True)
class DriveLimits:
    """Limits (D,) of velocity (rad/s or m/s) and acceleration (rad/s² or m/s²)."""

    velocity: NDArray[np.float64]
    acceleration: NDArray[np.float64]


@dataclass(frozen=True)
class DriveState:
    """The actuated joints at a time.

    Attributes:
        time: s.
        position: (D,) rad or m.
        velocity: (D,) per s.
        acceleration: (D,) per s², during the control cycle that ends at `time`.
    """

    time: float
    position: NDArray[np.float64]
    velocity: NDArray[np.float64]
    acceleration: NDArray[np.float64]


def step(
    state: DriveState, reference: Reference, limits: DriveLimits, duration: float
) -> DriveState:
    """Return the state `duration` seconds (a control cycle) later.

    Each joint approaches the reference at the reference's own velocity plus the highest velocity
    from which it can still stop there, so that it does not overshoot a reference at rest by more
    than microns.
    """
    time = state.time + duration
    target, drift = reference.at(time)
    error = target - state.position
    half = limits.acceleration * duration / 2
    stoppable = np.sqrt(half**2 + 2 * limits.acceleration * np.abs(error)) - half
    approach = np.sign(error) * np.minimum(stoppable, np.abs(error) / duration)
    # The error already holds the reference's motion of this cycle.
    settled = np.abs(error - drift * duration) < half * duration
    wanted = np.where(settled, error / duration, approach + drift)
    wanted = np.clip(wanted, -limits.velocity, limits.velocity)
    change = limits.acceleration * duration
    rise = np.clip(wanted - state.velocity, -change, change)
    velocity = state.velocity + rise
    return DriveState(time, state.position + velocity * duration, velocity, rise / duration)


def at_rest(position: NDArray[np.float64]) -> DriveState:
    """Return the state at the start, at rest at positions (D,)."""
    still = np.zeros(len(position))
    return DriveState(0.0, position, still, still)


def advance(
    state: DriveState,
    reference: Reference,
    limits: DriveLimits,
    until: float,
    cycle: float = 0.005,
) -> DriveState:
    """Return the state at time `until` (s), in control cycles of at most `cycle` seconds."""
    steps = int(np.ceil(max(0.0, until - state.time) / cycle - 1e-9))
    for remaining in range(steps, 0, -1):
        state = step(state, reference, limits, (until - state.time) / remaining)
    return replace(state, time=until) if steps else state
