"""Efforts of a simulated robot whose masses and friction are known."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.data.efforts.effort_recording import EffortRecording
from autourdf_ros.estimation.inertia.links.information.exciting_motion import (
    ExcitationOptions,
    FourierMotions,
)
from autourdf_ros.estimation.inertia.links.torque_model import (
    RESISTANCES,
    JointMotion,
    TorqueModel,
)
from autourdf_ros.model.inertial.inertial_parameters import parameters_from
from autourdf_ros.model.urdf.described_robot import DescribedRobot

Array = NDArray[np.float64]


@dataclass(frozen=True)
class SimulationOptions:
    """What is simulated.

    Attributes:
        duration: Of a motion (s).
        rate: Records a second.
        effort_noise: Share of each joint's rms effort.
        encoder: Standard deviation of measured positions (rad or m): a 20-bit encoder's.
        speed: Largest velocity (rad/s or m/s), or 0.8 of the URDF's where that is less.
        acceleration: Largest (rad/s² or m/s²).
        range: Positions at most (rad or m).
    """

    duration: float = 30.0
    rate: float = 200.0
    effort_noise: float = 0.05
    encoder: float = 1e-5
    speed: float = 1.6
    acceleration: float = 5.0
    range: float = 2.8


@dataclass(frozen=True)
class SimulatedEfforts:
    """A recording, and what its noise is.

    Attributes:
        recording: As measured.
        noise: (J,) standard deviation of the efforts.
    """

    recording: EffortRecording
    noise: Array


def stated_parameters(robot: DescribedRobot, links: Sequence[str]) -> Array:
    """Return the parameters (L, 10) that a URDF states of links, zero where it states none."""
    known = {link.name: link.inertial for link in robot.links}
    rows = []
    for name in links:
        own = known[name]
        if own is None or own.mass <= 0:
            rows.append(np.zeros(10))
            continue
        turn = own.pose[:3, :3]
        rows.append(parameters_from(own.mass, own.pose[:3, 3], turn @ own.tensor @ turn.T))
    return np.array(rows)


def random_motion(model: TorqueModel, options: SimulationOptions, seed: int) -> JointMotion:
    """Return a random Fourier motion at the limits, without noise."""
    rng = np.random.default_rng(seed)
    lower, upper, speed = model.limits
    lower, upper = np.maximum(lower, -options.range), np.minimum(upper, options.range)
    start = (lower + upper) / 2
    bounds = (
        lower,
        upper,
        np.minimum(0.8 * speed, options.speed),
        np.full(len(start), options.acceleration),
    )
    chosen = ExcitationOptions(duration=options.duration, rate=options.rate)
    motions = FourierMotions(start, bounds, chosen)
    weights = rng.normal(size=(len(start), motions.size))
    _, place, speed, rise = motions.motion(weights, fine=True)
    still = np.zeros(len(start))
    return JointMotion(place, speed, rise, still, still)


def drawn_parameters(
    model: TorqueModel, links: Array, options: SimulationOptions, seed: int
) -> Array:
    """Return the columns' parameters: of the links, and of friction and armature as drawn.

    Each resistance takes 5 to 20 % of the joint's effort, an offset up to 5 %, an armature up to
    30 %.

    Args:
        model: The robot.
        links: (L, 10).
        options: Of the motion by which the efforts are judged.
        seed: Of the draws.
    """
    rng = np.random.default_rng(seed)
    motion = random_motion(model, options, seed + 1000)
    rows = model.regressor(motion)[:, :, : links.size]
    effort = np.sqrt(np.mean((rows @ links.ravel()) ** 2, axis=0))
    effort = np.maximum(effort, 0.02 * effort.max())
    speed = np.sqrt(np.mean(motion.velocities**2, axis=0))
    rise = np.sqrt(np.mean(motion.accelerations**2, axis=0))
    count = len(effort)
    shares = {
        "friction": rng.uniform(0.05, 0.2, count) * effort,
        "damping": rng.uniform(0.05, 0.2, count) * effort / speed,
        "armature": rng.uniform(0.05, 0.3, count) * effort / rise,
        "offset": rng.uniform(-0.05, 0.05, count) * effort,
    }
    resistances = np.column_stack([shares[name] for name in RESISTANCES])
    return np.concatenate([links.ravel(), resistances.ravel()])


def simulated_efforts(
    model: TorqueModel,
    parameters: Array,
    motion: JointMotion,
    options: SimulationOptions,
    seed: int,
) -> SimulatedEfforts:
    """Return a recording of a motion, with noise of efforts and encoders."""
    rng = np.random.default_rng(seed)
    efforts = model.regressor(motion) @ parameters
    noise = options.effort_noise * np.sqrt(np.mean(efforts**2, axis=0))
    shape = efforts.shape
    recording = EffortRecording(
        model.joints,
        np.arange(shape[0]) / options.rate,
        motion.positions + options.encoder * rng.normal(size=shape),
        efforts + noise * rng.normal(size=shape),
        source="simulated efforts",
    )
    return SimulatedEfforts(recording, noise)


def save_efforts(recording: EffortRecording, path: Path) -> None:
    """Write a recording as NPZ, as `read_efforts` takes it."""
    np.savez(
        path,
        joints=np.array(recording.joints),
        times=recording.times,
        positions=recording.positions,
        efforts=recording.efforts,
    )
