"""Noise of the payload benchmark: zero-mean Gaussian, of the sizes of the authors' runs."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace

import numpy as np

from autourdf_ros.data.wrenches.wrench_recording import WrenchRecording


@dataclass(frozen=True)
class NoiseLevel:
    """Standard deviations.

    Attributes:
        linear: Of linear acceleration (m/s²).
        angular: Of angular acceleration (rad/s²).
        force: N.
        torque: N m.
    """

    linear: float
    angular: float
    force: float
    torque: float


LEVELS = {
    "No": NoiseLevel(0.0, 0.0, 0.0, 0.0),
    "Low": NoiseLevel(0.025, 0.25, 0.05, 0.0025),
    "Mod": NoiseLevel(0.05, 0.5, 0.1, 0.005),
    "High": NoiseLevel(0.1, 1.0, 0.2, 0.01),
}


def with_added_noise(
    recording: WrenchRecording, level: NoiseLevel, name: str, seed: int
) -> WrenchRecording:
    """Return the recording with noise, and with its size as a data sheet states it.

    Args:
        recording: Noise-free.
        level: Of noise.
        name: Of the tool: each has draws of its own.
        seed: Of the draw.
    """
    own = int.from_bytes(hashlib.sha256(name.encode()).digest()[:4], "big")
    random = np.random.default_rng([own, seed])
    motion = np.repeat([level.linear, level.angular], 3)
    wrench = np.repeat([level.force, level.torque], 3)
    shape = recording.wrenches.shape
    return replace(
        recording,
        accelerations=recording.accelerations + motion * random.standard_normal(shape),
        wrenches=recording.wrenches + wrench * random.standard_normal(shape),
        acceleration_std=(level.linear, level.angular),
        wrench_std=(level.force, level.torque),
    )
