"""Observed joint motions of a mechanism, with what drove it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class JointMotion:
    """One stretch of motion that was observed.

    Attributes:
        stamps: (T,) seconds, rising, free of a fixed period.
        positions: (T, J) joint values (rad or m), NaN where not observed.
        stds: (T, J) standard deviations of the positions.
        forces: (F, J) known generalised forces (N m or N) from `force_stamps[k]` until
            `force_stamps[k + 1]`, held between; None: no force acted.
        force_stamps: (F,) seconds; None with `forces`.
        force_stds: (J,) standard deviations of the forces, independent from stamp to stamp; None:
            they are exact.
    """

    stamps: NDArray[np.float64]
    positions: NDArray[np.float64]
    stds: NDArray[np.float64]
    forces: NDArray[np.float64] | None = None
    force_stamps: NDArray[np.float64] | None = None
    force_stds: NDArray[np.float64] | None = None


@dataclass(frozen=True)
class JointMotionData:
    """Motions of one mechanism.

    Attributes:
        joints: J names, the order of all columns.
        motions: Stretches, each with a start of its own.
    """

    joints: tuple[str, ...]
    motions: tuple[JointMotion, ...]
