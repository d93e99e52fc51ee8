"""The robot model: what reconstruction gives and every writer takes."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import NDArray

JointType = Literal["revolute", "continuous", "prismatic", "fixed"]


@dataclass(frozen=True)
class Surface:
    """Points on a link's surface, fused from all frames.

    In the base frame with every joint at its `reference` value.
    points: (N, 3) metres; normals: (N, 3) unit, outward; colors: (N, 3) uint8 RGB, or None.
    """

    points: NDArray[np.float64]
    normals: NDArray[np.float64]
    colors: NDArray[np.uint8] | None = None


@dataclass(frozen=True)
class Link:
    """A rigid body."""

    name: str
    surface: Surface


@dataclass(frozen=True)
class MotorMatch:
    """Which motor turns a joint: reading = ratio * joint value + offset.

    ratio: signed gear ratio. residual: median absolute residual of the readings (rad or m).
    """

    name: str
    ratio: float
    offset: float
    residual: float


@dataclass(frozen=True)
class Confidence:
    """Probabilities of what is said of a joint, each in [0, 1].

    exists: that its links move against each other at all. parent: that it hangs on this link and
    not on another. type: that it turns, or slides, as is said.
    """

    exists: float
    parent: float
    type: float

    @property
    def total(self) -> float:
        """That all of it is right."""
        return self.exists * self.parent * self.type


@dataclass(frozen=True)
class JointEstimate:
    """How sure the estimate of a joint is.

    covariance: (4, 4) of a small turn of the axis [rad] and a shift of its line [m], each by its
        components along `across`; for a prismatic joint those of the shift are NaN. A turn by the
        vector t moves the axis by t x axis, whichever way it points.
    across: (2, 3) two unit vectors, orthogonal to the axis and to each other.
    confidence: that the joint exists and has this parent and type.
    motor: the motor that turns it, or None.
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


@dataclass(frozen=True)
class Mimic:
    """A joint that follows another: value = multiplier * value of `joint` + offset (rad or m)."""

    joint: str
    multiplier: float
    offset: float


@dataclass(frozen=True)
class Joint:
    """A joint between two links, given in the base frame at the reference configuration.

    parent, child: link names. axis: (3,) unit. point: (3,) on the axis line, metres: the joint's
    origin. lower, upper: limits of the joint's value; reference: its value at the reference
    configuration (rad or m). mimic: the joint it follows, or None.
    """

    name: str
    type: JointType
    parent: str
    child: str
    axis: NDArray[np.float64]
    point: NDArray[np.float64]
    lower: float
    upper: float
    reference: float = 0.0
    estimate: JointEstimate | None = None
    mimic: Mimic | None = None


@dataclass(frozen=True)
class RobotModel:
    """Links and joints of one robot, a tree: `links[0]` is the root, parents before children.

    The base frame is the recording's fixed frame: with every joint at its reference value the
    model stands where the reference frame's cloud is.
    """

    name: str
    links: tuple[Link, ...]
    joints: tuple[Joint, ...] = field(default=())

    @property
    def reference_configuration(self) -> dict[str, float]:
        """Joint values at the reference frame, by joint name."""
        return {joint.name: joint.reference for joint in self.joints}
