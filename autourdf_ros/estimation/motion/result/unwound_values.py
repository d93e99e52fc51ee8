"""Joint values without the whole turns that tracking added."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.geometry.arrays import Array

_TURN = 2 * np.pi


def unwound(values: Array, owners: NDArray[np.int64], turning: NDArray[np.bool_]) -> Array:
    """Return values that go on from frame to frame by half a turn at most.

    A link that was lost and found again may have a whole turn in its value, which moves nothing. A
    sequence begins within half a turn of the reference.

    Args:
        values: (F, J) of the joints, relative to the reference.
        owners: (F,) sequence of every frame.
        turning: (J,) which joints turn, and by no motor's reading.
    """
    result = values.copy()
    for number in np.unique(owners):
        frames = owners == number
        own = np.unwrap(values[np.ix_(frames, turning)], axis=0)
        result[np.ix_(frames, turning)] = own - _TURN * np.round(own[:1] / _TURN)
    return result
