"""From where the figures look at the robot."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def view_rotation(azimuth: float, elevation: float) -> NDArray[np.float64]:
    """Return the (3, 3) rotation whose rows are right, up and to the viewer; degrees, z up."""
    a, e = np.radians([azimuth, elevation])
    toward = np.array([np.cos(e) * np.cos(a), np.cos(e) * np.sin(a), np.sin(e)])
    right = np.array([-np.sin(a), np.cos(a), 0.0])
    return np.stack([right, np.cross(toward, right), toward])
