"""The kinematics layer: how sure each joint of the tree is, and which motor turns it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.model.layers.layer import Layer

BaseKind = Literal["fixed", "shifting frames", "floating"]
"""How the root link moves in the fixed frame: shifting frames, where whole frames are off, each by
itself; floating, where it moves on from frame to frame."""


@dataclass(frozen=True)
class MotorMatch:
    """Which motor turns a joint: reading = ratio * joint value + offset.

    Attributes:
        ratio: Signed gear ratio.
        residual: Median absolute residual of the readings (rad or m).
    """

    name: str
    ratio: float
    offset: float
    residual: float


@dataclass(frozen=True)
class Confidence:
    """Probabilities of what a joint's estimate states, each in [0, 1].

    Attributes:
        exists: That its links move against each other at all.
        parent: That it hangs on this link and not on another.
        type: That it turns, or slides, as stated.
    """

    exists: float
    parent: float
    type: float

    @property
    def total(self) -> float:
        """Probability that all of it is right."""
        return self.exists * self.parent * self.type


@dataclass(frozen=True)
class JointEstimate:
    """How sure the estimate of a joint is.

    Attributes:
        covariance: (4, 4) of a small turn of the axis (rad) and a shift of its line (m), each by
            its components along `across`; for a prismatic joint those of the shift are NaN. A turn
            by the vector t moves the axis by t x axis, whichever way it points.
        across: (2, 3) two unit vectors, orthogonal to the axis and to each other.
        confidence: That the joint exists and has this parent and type.
        motor: The motor that turns it, or None.
    """

    covariance: NDArray[np.float64]
    across: NDArray[np.float64]
    confidence: Confidence
    motor: MotorMatch | None = None

    @property
    def axis_std(self) -> float:
        """Standard deviation of the axis direction (rad), rms of its two components."""
        return float(np.sqrt(np.trace(self.covariance[:2, :2]) / 2))

    @property
    def line_std(self) -> float:
        """Standard deviation of the axis line across itself (m), rms of its two components."""
        return float(np.sqrt(np.trace(self.covariance[2:, 2:]) / 2))


@dataclass(frozen=True, kw_only=True)
class KinematicsLayer(Layer):
    """Uncertainty of the tree's joints; their values are the tree itself.

    Attributes:
        joints: Estimates by joint name; joints without one were not estimated but given.
    """

    joints: Mapping[str, JointEstimate] = field(default_factory=dict)
