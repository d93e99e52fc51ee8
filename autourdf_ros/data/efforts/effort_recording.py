"""Positions and efforts of joints over time: what the masses of a robot's links are found from."""

from __future__ import annotations

import hashlib
from collections.abc import Collection
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.errors import InputError

Array = NDArray[np.float64]


@dataclass(frozen=True)
class EffortRecording:
    """n records of J joints, in the order of their stamps.

    Attributes:
        joints: Names.
        times: (n,) s, increasing.
        positions: (n, J) rad or m.
        efforts: (n, J) N m or N: of the drives, on the joint's side of the gear.
        velocities: (n, J) per s, as recorded; None where there are none. They serve as a check of
            the units.
        source: Where the records come from, for messages.

    Raises:
        InputError: shapes differ, numbers are not finite, or times do not increase.
    """

    joints: tuple[str, ...]
    times: Array
    positions: Array
    efforts: Array
    velocities: Array | None = None
    source: str = "efforts"

    def __post_init__(self) -> None:
        shape = (len(self.times), len(self.joints))
        if not self.joints or len(set(self.joints)) != len(self.joints):
            raise InputError(
                f"{self.source}: joints {list(self.joints)}; accepted are one or more names, each "
                "once"
            )
        for name in ("positions", "efforts", "velocities"):
            values = getattr(self, name)
            if values is None:
                continue
            if np.shape(values) != shape:
                raise InputError(
                    f"{self.source}: {name} of shape {np.shape(values)}; accepted is {shape}"
                )
            if not np.isfinite(values).all():
                joint = self.joints[int(np.argmax(~np.isfinite(values).all(0)))]
                raise InputError(
                    f"{self.source}: {name} of {joint!r} has numbers that are not finite; "
                    "accepted are finite numbers in every record"
                )
        if not np.isfinite(self.times).all() or not (np.diff(self.times) > 0).all():
            raise InputError(f"{self.source}: times do not increase; accepted are stamps in order")

    @property
    def rate(self) -> float:
        """Records a second, by the median interval (Hz)."""
        return float(1.0 / np.median(np.diff(self.times)))

    @cached_property
    def digest(self) -> str:
        """SHA-256 of names, times, positions and efforts."""
        total = hashlib.sha256(repr(self.joints).encode())
        for values in (self.times, self.positions, self.efforts):
            total.update(np.ascontiguousarray(values).tobytes())
        return total.hexdigest()

    def unwrapped(self, joints: Collection[str]) -> EffortRecording:
        """Return the records with the angles of joints that turn without end as they went on.

        Drivers may state such an angle within one turn: it then jumps by a turn.
        """
        turning = [name in set(joints) for name in self.joints]
        positions = self.positions.copy()
        positions[:, turning] = np.unwrap(positions[:, turning], axis=0)
        return replace(self, positions=positions)

    def of(self, joints: tuple[str, ...]) -> EffortRecording:
        """Return the same records of some of the joints, in another order."""
        columns = [self.joints.index(name) for name in joints]
        speeds = None if self.velocities is None else self.velocities[:, columns]
        return EffortRecording(
            joints,
            self.times,
            self.positions[:, columns],
            self.efforts[:, columns],
            speeds,
            self.source,
        )
