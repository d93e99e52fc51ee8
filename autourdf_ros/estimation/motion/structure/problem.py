"""What every stage after the first look has to go by."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.estimation.common.rigid_bodies import Noise
from autourdf_ros.estimation.motion.fitting.motors import moving_readings
from autourdf_ros.estimation.motion.reconstruction import ReconstructionOptions
from autourdf_ros.estimation.motion.registration.preparation import Prepared
from autourdf_ros.geometry.arrays import Array
from autourdf_ros.geometry.point_cloud import Cloud


@dataclass(frozen=True)
class Problem:
    """A recording of F frames as it is looked at.

    motors: names of the M motors that moved; none where they are not known or not to be used, and
    then `readings` is None, else (F, M), less those of the reference frame. noise: of the points,
    as measured in the first look.
    """

    prepared: Prepared
    options: ReconstructionOptions
    motors: tuple[str, ...]
    readings: Array | None
    noise: Noise

    @property
    def reference(self) -> Cloud:
        """Cloud of the first frame."""
        return self.prepared.reference

    @property
    def owners(self) -> NDArray[np.int64]:
        """(F,) number of every frame's sequence."""
        lengths = [len(sequence) for sequence in self.prepared.sequences]
        return np.repeat(np.arange(len(lengths)), lengths)

    def clouds(self, frames: NDArray[np.int64]) -> list[Cloud]:
        """Clouds of some frames, by their numbers in the recording."""
        clouds = self.prepared.clouds
        return [clouds[i] for i in frames]

    def readings_in(self, frames: NDArray[np.int64]) -> Array | None:
        """Readings of some frames, if there are any."""
        return None if self.readings is None else self.readings[frames]

    def relative(self, positions: Mapping[str, float] | None) -> Array | None:
        """Readings (M,) of another frame, as in `readings`; None where they are not all known."""
        start = self.prepared.readings[0][0]
        if not self.motors or positions is None or start is None:
            return None
        if any(name not in positions for name in self.motors):
            return None
        return np.array([positions[name] - start[name] for name in self.motors])


def relative_readings(prepared: Prepared) -> tuple[tuple[str, ...], Array | None]:
    """Names of the motors that moved; their readings (F, M), less those of the reference frame."""
    readings = [reading for sequence in prepared.readings for reading in sequence]
    known = [reading for reading in readings if reading is not None]
    columns = moving_readings(known) if len(known) == len(readings) else {}
    if not columns:
        return (), None
    table = np.stack(list(columns.values()), axis=1)
    return tuple(columns), table - table[0]
