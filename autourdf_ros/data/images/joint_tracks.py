"""Joint readings of a whole recording, interpolated at the stamps of images."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


@dataclass(frozen=True)
class JointMoments:
    """Where joints stand at N moments.

    Attributes:
        positions: (N, J) rad or m; NaN where no reading lies before or after.
        speeds: (N, J) rad/s or m/s between the readings before and after.
        gaps: (N, J) seconds between these, infinite where there are none.
    """

    positions: Array
    speeds: Array
    gaps: Array


class JointTracks:
    """The readings of some joints, which may come in parts and in any order."""

    def __init__(self, readings: Iterable[tuple[float, Mapping[str, float]]]) -> None:
        """Sort readings (stamp in seconds, positions by name); those not finite are left out."""
        found: dict[str, dict[float, float]] = {}
        for stamp, positions in readings:
            for name, value in positions.items():
                if np.isfinite(value):
                    found.setdefault(name, {})[stamp] = value
        self._tracks = {
            name: np.array(sorted(track.items())).T for name, track in sorted(found.items())
        }

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the joints, sorted."""
        return tuple(self._tracks)

    def at(self, names: Sequence[str], stamps: Array) -> JointMoments:
        """Return where joints stand at stamps (N,) (s)."""
        shape = len(stamps), len(names)
        positions, speeds = np.full(shape, np.nan), np.zeros(shape)
        gaps = np.full(shape, np.inf)
        for column, name in enumerate(names):
            times, values = self._tracks[name]
            inside = (stamps >= times[0]) & (stamps <= times[-1])
            after = np.clip(np.searchsorted(times, stamps[inside]), 1, max(len(times) - 1, 1))
            if len(times) == 1:
                after = np.zeros(inside.sum(), int)
            before = np.maximum(after - 1, 0)
            gap = times[after] - times[before]
            slope = np.divide(values[after] - values[before], gap, where=gap > 0, out=gap * 0)
            positions[inside, column] = values[before] + slope * (stamps[inside] - times[before])
            speeds[inside, column], gaps[inside, column] = np.abs(slope), gap
        return JointMoments(positions, speeds, gaps)
