"""The data of a structure search: the prepared recording, the motors and the noise."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.estimation.motion.fitting.motors import moving_readings
from autourdf_ros.estimation.motion.reconstruction import ReconstructionOptions
from autourdf_ros.estimation.motion.registration.deformation_graph import neighbour_graph
from autourdf_ros.estimation.motion.registration.frame_set import FrameSet
from autourdf_ros.estimation.motion.registration.preparation import Prepared
from autourdf_ros.geometry.arrays import Array, Labels
from autourdf_ros.geometry.point_cloud import Cloud


@dataclass(frozen=True)
class Problem:
    """A prepared recording of F frames, and what is known of it beside its clouds.

    Attributes:
        prepared: the recording in engine units.
        options: the user's choices.
        motors: names of the M motors that moved; none where they are not known or not to be used.
        readings: (F, M) of these motors, less those of the reference frame; None without motors.
        noise: standard deviation of a point along its normal, measured in the early frames.
        seeks_ends: whether last links are sought that turn about their own axis; where there are
            readings, these say how far, and what no motor turns is none.
    """

    prepared: Prepared
    options: ReconstructionOptions
    motors: tuple[str, ...]
    readings: Array | None
    noise: float
    seeks_ends: bool = False

    @property
    def reference(self) -> Cloud:
        """Cloud of the first frame."""
        return self.prepared.reference

    @property
    def owners(self) -> Labels:
        """(F,) number of every frame's sequence."""
        lengths = [len(sequence) for sequence in self.prepared.sequences]
        return np.repeat(np.arange(len(lengths)), lengths)

    @property
    def metre(self) -> float:
        """One metre in robot sizes."""
        return 1 / self.prepared.scale

    def clouds(self, frames: NDArray[np.int64]) -> list[Cloud]:
        """Return the clouds of some frames, by their numbers in the recording."""
        clouds = self.prepared.clouds
        return [clouds[i] for i in frames]

    def frame_set(self, frames: NDArray[np.int64]) -> FrameSet:
        """Return the reference with some frames, by their numbers in the recording."""
        reference, owners = self.reference, self.owners[frames]
        sequences = [np.flatnonzero(owners == number) for number in np.unique(owners)]
        neighbours = neighbour_graph(reference.points, reference.spacing)
        return FrameSet(reference, self.clouds(frames), neighbours, self.noise, sequences)

    def readings_in(self, frames: NDArray[np.int64]) -> Array | None:
        """Return the readings of some frames, if there are any."""
        return None if self.readings is None else self.readings[frames]

    def relative(self, positions: Mapping[str, float] | None) -> Array | None:
        """Return readings (M,) of another frame, as in `readings`; None where one is missing."""
        start = self.prepared.readings[0][0]
        if not self.motors or positions is None or start is None:
            return None
        if any(name not in positions for name in self.motors):
            return None
        return np.array([positions[name] - start[name] for name in self.motors])


def relative_readings(prepared: Prepared) -> tuple[tuple[str, ...], Array | None]:
    """Return the names of the M motors that moved, and their readings (F, M).

    The readings are less those of the reference frame; None where a frame has none.
    """
    readings = [reading for sequence in prepared.readings for reading in sequence]
    known = [reading for reading in readings if reading is not None]
    columns = moving_readings(known) if len(known) == len(readings) else {}
    if not columns:
        return (), None
    table = np.stack(list(columns.values()), axis=1)
    return tuple(columns), table - table[0]
