"""What shows in 3D how sure a joint's axis is: a cone, a disc, a colour and words.

Triangles are (3 T, 3) corners in metres, three a triangle, about the origin of the joint.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.model.joint_grading import Grade
from autourdf_ros.model.palette import UNKNOWN
from autourdf_ros.report.grade_style import GRADE_STYLES

_CORNERS = 32
_WIDEST = np.radians(80.0)
"""Half opening at most: a cone of an unknown axis would else have no end."""


def direction_cone(
    axis: NDArray[np.float64],
    across: NDArray[np.float64],
    covariance: NDArray[np.float64],
    length: float,
    sigmas: float,
) -> NDArray[np.float64]:
    """Return a double cone that contains the axis (3,) up to `sigmas` standard deviations.

    Each half is `length` metres high.

    Args:
        covariance: (2, 2) rad² of turns about the rows of `across` (2, 3), as in `JointEstimate`;
            empty triangles where it is not finite.
    """
    angles = _ellipse(covariance, sigmas)
    size = np.maximum(np.linalg.norm(angles, axis=1, keepdims=True), 1e-12)
    spread = np.tan(np.minimum(size, _WIDEST)) * angles / size
    tip = length * axis
    rim = tip + length * spread @ np.cross(across, axis)
    half = np.vstack([_fan(np.zeros(3), rim), _fan(tip, rim)])
    return np.vstack([half, -half])


def position_disc(
    across: NDArray[np.float64], covariance: NDArray[np.float64], sigmas: float
) -> NDArray[np.float64]:
    """Return a disc that the axis passes through up to `sigmas` standard deviations.

    Args:
        covariance: (2, 2) m² of the line's position along the rows of `across` (2, 3); empty where
            it is not finite, as that of a prismatic joint is.
    """
    return _fan(np.zeros(3), _ellipse(covariance, sigmas) @ across)


def grade_color(grade: Grade | None) -> NDArray[np.float64]:
    """Return the (3,) RGB colour in [0, 1] of a grade, as in the viewer; grey for None."""
    return UNKNOWN if grade is None else np.array(GRADE_STYLES[grade].rgb) / 255


def axis_words(name: str, covariance: NDArray[np.float64]) -> str:
    """Return the name, and below it the standard deviations of direction and line, where known.

    The deviations are rms over both directions.

    Args:
        covariance: (4, 4) as in `JointEstimate`.
    """
    angle, line = (np.sqrt(np.trace(part) / 2) for part in (covariance[:2, :2], covariance[2:, 2:]))
    words = [f"{np.degrees(angle):.2f}°"] if np.isfinite(angle) else []
    words += [f"{1e3 * line:.2f} mm"] if np.isfinite(line) else []
    return "\n".join([name, ", ".join(words)]).strip()


def _ellipse(covariance: NDArray[np.float64], sigmas: float) -> NDArray[np.float64]:
    """(N, 2) round the ellipse of `sigmas` standard deviations; none where it is not finite."""
    if not np.isfinite(covariance).all():
        return np.zeros((0, 2))
    variances, directions = np.linalg.eigh(covariance)
    turn = np.linspace(0.0, 2 * np.pi, _CORNERS, endpoint=False)
    circle = np.column_stack([np.cos(turn), np.sin(turn)])
    ellipse: NDArray[np.float64] = sigmas * circle * np.sqrt(np.maximum(variances, 0.0))
    return ellipse @ directions.T


def _fan(apex: NDArray[np.float64], rim: NDArray[np.float64]) -> NDArray[np.float64]:
    """Triangles between `apex` (3,) and a closed rim (N, 3)."""
    corners = np.stack([np.broadcast_to(apex, rim.shape), rim, np.roll(rim, -1, axis=0)], axis=1)
    return corners.reshape(-1, 3)
