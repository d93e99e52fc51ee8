"""What moves a mechanism: nothing, or a force on one joint; a finger has a module of its own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Push:
    """What acts on a mechanism from one moment until the next.

    Attributes:
        forces: (J,) generalised (N m or N).
        finger: (4, 4) pose of the driver in the world, or None without one.
        contacts: Names of the bodies that it can push, with (2, 3) where it pushes (m) and with
            what force (N), world.
    """

    forces: Array
    finger: Array | None = None
    contacts: Mapping[str, Array] = field(default_factory=dict)


class DriveRun(Protocol):
    """A drive during one recording."""

    def push(self, time: float, model: Any, data: Any) -> Push:
        """Return what acts from `time` (s) on.

        Args:
            time: Since the start.
            model: MuJoCo model.
            data: Its state; kinematics and centres of mass are those of this moment.
        """
        ...


class Drive(Protocol):
    """What moves a mechanism.

    Attributes:
        hold: Simulator steps for which a force is held.
        acts: Whether a force acts at all.
    """

    @property
    def hold(self) -> int:
        """Simulator steps for which a force is held."""
        ...

    @property
    def acts(self) -> bool:
        """Whether a force acts at all."""
        ...

    def start(self, rng: np.random.Generator, model: Any) -> DriveRun:
        """Return the drive of one recording, with all that is random drawn."""
        ...


@dataclass(frozen=True)
class NoDrive:
    """Nothing drives it: it swings."""

    hold: int = 1
    acts: bool = False

    def start(self, rng: np.random.Generator, model: Any) -> DriveRun:
        """Return the drive of one recording."""
        return self

    def push(self, time: float, model: Any, data: Any) -> Push:
        """Return no force."""
        return Push(np.zeros(model.nv))


@dataclass(frozen=True)
class JointDrive:
    """A known force on one joint: sines of random phases, and a soft return to the middle.

    Attributes:
        coordinate: Index of the joint value.
        amplitude: Of every sine (N or N m).
        frequencies: Of the sines (Hz).
        stiffness: Of the return to 0 (N/m or N m/rad).
        damping: Of the return (N s/m or N m s/rad).
        hold: Simulator steps for which a force is held.
    """

    coordinate: int
    amplitude: float
    frequencies: tuple[float, ...] = (0.7, 1.1, 1.9)
    stiffness: float = 12.0
    damping: float = 2.0
    hold: int = 8
    acts: bool = True

    def start(self, rng: np.random.Generator, model: Any) -> DriveRun:
        """Return the drive of one recording, its phases drawn."""
        return _SineRun(self, rng.uniform(0, 2 * np.pi, len(self.frequencies)))


@dataclass(frozen=True)
class _SineRun:
    drive: JointDrive
    phases: Array

    def push(self, time: float, model: Any, data: Any) -> Push:
        """Return the force of this moment, which a motor controller would hold and report."""
        drive = self.drive
        angles = 2 * np.pi * np.array(drive.frequencies) * time + self.phases
        where, speed = data.qpos[drive.coordinate], data.qvel[drive.coordinate]
        forces = np.zeros(model.nv)
        forces[drive.coordinate] = (
            drive.amplitude * np.sin(angles).sum() - drive.stiffness * where - drive.damping * speed
        )
        return Push(forces)
