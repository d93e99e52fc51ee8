"""A mechanism in operation: drives with efforts, encoders, and MuJoCo between them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from autourdf_ros.errors import InputError

Array = NDArray[np.float64]


@dataclass(frozen=True)
class EffortDrives:
    """The drives of a mechanism.

    Attributes:
        joints: Those that are driven, in the order of a command.
        effort: Greatest effort (N or N m); more is cut off.
        timeout: Time after which a command ends (s).
        noise: Standard deviation of a reading of a position (rad or m).
    """

    joints: tuple[str, ...]
    effort: float = 10.0
    timeout: float = 0.2
    noise: float = 0.0

    def __post_init__(self) -> None:
        if not (self.effort > 0 and self.timeout > 0 and self.noise >= 0):
            raise InputError("drives: effort and timeout are above 0, noise is 0 or above")


class LiveMechanism:
    """A mechanism whose joints are driven by efforts; times are seconds since the start."""

    def __init__(
        self, mjcf: Path, drives: EffortDrives, start: Mapping[str, float], seed: int = 0
    ) -> None:
        """Start at rest.

        Args:
            mjcf: File.
            drives: Of the mechanism.
            start: Positions by joint (rad or m); others are 0.
            seed: Of the encoders' noise.

        Raises:
            InputError: MuJoCo cannot read the file, or it has no such joint.
        """
        try:
            self._model = mujoco.MjModel.from_xml_path(str(mjcf))
        except ValueError as error:
            text = " ".join(str(error).split())
            raise InputError(f"{mjcf}: MuJoCo cannot read it: {text}") from error
        self._data = mujoco.MjData(self._model)
        self._drives, self._rng = drives, np.random.default_rng(seed)
        self.joints = tuple(self._model.joint(n).name for n in range(self._model.njnt))
        if unknown := sorted({*drives.joints, *start} - set(self.joints)):
            raise InputError(
                f"{mjcf}: has no joint {unknown[0]!r}; accepted are {', '.join(self.joints)}"
            )
        if self._model.nq != self._model.njnt or not drives.joints:
            raise InputError(f"{mjcf}: accepted are hinges and slides, one or more of them driven")
        for name, value in start.items():
            self._joint(name).qpos[:] = value
        self._wanted, self._until = 0.0, 0.0

    @property
    def time(self) -> float:
        """Of the state (s)."""
        return float(self._data.time)

    @property
    def efforts(self) -> dict[str, float]:
        """Efforts that the drives exert (N or N m), by driven joint."""
        return {name: float(self._joint(name).qfrc_applied[0]) for name in self._drives.joints}

    def command(self, efforts: Sequence[float]) -> None:
        """Exert efforts (N or N m) on the driven joints, from now until they end.

        Raises:
            InputError: there are too few or too many, or one is not finite. Nothing changes then.
        """
        if len(efforts) != len(self._drives.joints) or not np.isfinite(efforts).all():
            raise InputError(
                f"efforts {list(efforts)}; accepted are finite numbers for "
                f"{', '.join(self._drives.joints)}"
            )
        for name, effort in zip(self._drives.joints, efforts, strict=True):
            limit = self._drives.effort
            self._joint(name).qfrc_applied[0] = float(np.clip(effort, -limit, limit))
        self._until = self.time + self._drives.timeout

    def advance(self, duration: float) -> None:
        """Simulate on for a duration (s), in whole steps; a command that is too old ends."""
        self._wanted += duration
        while self.time + self._model.opt.timestep / 2 < self._wanted:
            if self.time >= self._until:
                self._data.qfrc_applied[:] = 0.0
            mujoco.mj_step(self._model, self._data)

    def readings(self) -> tuple[dict[str, float], dict[str, float]]:
        """Return positions, as encoders read them, and velocities of all joints by name."""
        noise = self._drives.noise * self._rng.standard_normal(len(self.joints))
        positions = self._data.qpos + noise
        return (
            dict(zip(self.joints, positions.tolist(), strict=True)),
            dict(zip(self.joints, self._data.qvel.tolist(), strict=True)),
        )

    def _joint(self, name: str) -> Any:
        return self._data.joint(name)
