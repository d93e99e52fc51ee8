"""Joint values ahead of the last observed state, by simulators drawn from the posterior."""

from __future__ import annotations

from dataclasses import dataclass

import mujoco
import numpy as np
from numpy.typing import NDArray

from autourdf_ros.errors import InputError
from autourdf_ros.estimation.dynamics.joint_motion_data import JointMotion
from autourdf_ros.estimation.dynamics.posterior.dynamics_posterior import DynamicsPosterior

Array = NDArray[np.float64]


@dataclass(frozen=True)
class ForecastOptions:
    """Choices of a forecast.

    Attributes:
        samples: Drawn from the posterior.
        seed: Of the draw.
        motion: Number of the observed motion that goes on; -1 is the last.
        share: Of the samples within the band.
    """

    samples: int = 50
    seed: int = 0
    motion: int = -1
    share: float = 0.95


@dataclass(frozen=True)
class StateForecast:
    """Joint values ahead.

    Attributes:
        joints: J names.
        stamps: (T,) seconds, of the clock of the observed motion.
        positions: (T, J) of the posterior's mean (rad or m).
        samples: (S, T, J) of draws that stayed within numbers.
        lower: (T, J) end of the band.
        upper: (T, J) likewise.
    """

    joints: tuple[str, ...]
    stamps: Array
    positions: Array
    samples: Array
    lower: Array
    upper: Array


def forecast_states(
    posterior: DynamicsPosterior,
    stamps: Array,
    options: ForecastOptions | None = None,
    drive: JointMotion | None = None,
) -> StateForecast:
    """Forecast joint values at stamps after the end of an observed motion.

    Args:
        posterior: What is known; parameters and last state are drawn together.
        stamps: (T,) rising (s), not before the motion's end.
        options: How many draws, and which motion goes on.
        drive: Whose known forces act; None: no force.

    Raises:
        InputError: a stamp is before the end, or the simulation diverges.
    """
    options = options or ForecastOptions()
    end = posterior.ends[options.motion]
    stamps = np.asarray(stamps, float)
    if not len(stamps) or stamps[0] < end.stamp or (np.diff(stamps) <= 0).any():
        raise InputError(
            f"forecast: {len(stamps)} stamps; accepted are rising ones from {end.stamp:g} s on"
        )
    state = np.concatenate([end.positions, end.velocities])
    simulator = posterior.simulator()
    path = simulated_path(simulator, state, end.stamp, stamps, drive)
    motion = options.motion % len(posterior.ends)
    coordinates, states = posterior.joint_samples(options.samples, motion, options.seed)
    drawn = np.stack(
        [
            simulated_path(posterior.simulator(row), own, end.stamp, stamps, drive)
            for row, own in zip(coordinates, states, strict=True)
        ]
    )
    kept = drawn[np.isfinite(drawn).all((1, 2))]
    if not np.isfinite(path).all() or not len(kept):
        raise InputError("forecast: the simulation diverges; accepted is a shorter time ahead")
    tail = (1 - options.share) / 2
    lower, upper = np.quantile(kept, [tail, 1 - tail], axis=0)
    return StateForecast(posterior.mechanism.joints, stamps, path, kept, lower, upper)


def simulated_path(
    model: mujoco.MjModel,
    state: Array,
    start: float,
    stamps: Array,
    drive: JointMotion | None = None,
) -> Array:
    """Return joint values (T, J) at stamps (T,) from a state (2 J,) at `start` (s).

    Between steps of the simulation values are interpolated, so that stamps need not be whole
    steps. Known forces are held from their stamp to the next.
    """
    data = mujoco.MjData(model)
    size = model.nv
    data.qpos[:], data.qvel[:] = state[:size], state[size:]
    path = np.full((len(stamps), size), np.nan)
    before, then = data.qpos.copy(), 0.0
    for row, wanted in enumerate(np.asarray(stamps) - start):
        while data.time < wanted - 1e-12:
            before, then = data.qpos.copy(), data.time
            data.qfrc_applied[:] = _force(drive, start + data.time, size)
            mujoco.mj_step(model, data)
            if not np.isfinite(data.qpos).all() or data.time <= then:  # MuJoCo resets on divergence
                return path
        share = (wanted - then) / (data.time - then) if data.time > then else 1.0
        path[row] = before + share * (data.qpos - before)
    return path


def _force(drive: JointMotion | None, stamp: float, size: int) -> Array:
    """(J,) known forces at a time; zero before the first, and without any."""
    if drive is None or drive.forces is None or drive.force_stamps is None:
        return np.zeros(size)
    row = int(np.searchsorted(drive.force_stamps, stamp + 1e-9, side="right")) - 1
    return np.asarray(drive.forces[row]) if row >= 0 else np.zeros(size)
