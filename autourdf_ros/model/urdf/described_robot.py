"""What a URDF says, element by element, with nothing assumed."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.model.tree_joint import Mimic

Role = Literal["visual", "collision"]
MOVING = ("revolute", "continuous", "prismatic")
JOINT_TYPES = (*MOVING, "fixed", "floating", "planar")


@dataclass(frozen=True)
class Shape:
    """A visual or collision element.

    Attributes:
        kind: Mesh, box, cylinder, sphere or capsule.
        pose: (4, 4) in the link's frame.
        filename: Of a mesh, as it is written.
        scale: (3,) of a mesh.
        half_size: (3,) m of a primitive's box.
    """

    role: Role
    kind: str
    pose: NDArray[np.float64]
    filename: str = ""
    scale: NDArray[np.float64] = field(default_factory=lambda: np.ones(3))
    half_size: NDArray[np.float64] | None = None


@dataclass(frozen=True)
class Inertial:
    """mass: kg. pose: (4, 4) of the inertial frame in the link's. tensor: (3, 3) kg m², in it."""

    mass: float
    pose: NDArray[np.float64]
    tensor: NDArray[np.float64]


@dataclass(frozen=True)
class DescribedLink:
    """A link and what it has."""

    name: str
    inertial: Inertial | None
    shapes: tuple[Shape, ...]


@dataclass(frozen=True)
class Limit:
    """lower, upper: rad or m. effort: N m or N. velocity: rad/s or m/s. NaN where not written."""

    lower: float
    upper: float
    effort: float
    velocity: float


@dataclass(frozen=True)
class DescribedJoint:
    """A joint. axis: (3,) as it is written, in the child's frame."""

    name: str
    type: str
    parent: str
    child: str
    axis: NDArray[np.float64]
    limit: Limit | None
    mimic: Mimic | None


@dataclass(frozen=True)
class DescribedRobot:
    """What a URDF of unknown origin states, unvalidated, so that the checks can judge it.

    Attributes:
        problems: What in it could not be understood, in words.
    """

    path: Path
    text: bytes
    name: str
    links: tuple[DescribedLink, ...]
    joints: tuple[DescribedJoint, ...]
    problems: tuple[str, ...]

    @property
    def moving_joints(self) -> tuple[DescribedJoint, ...]:
        """Joints of one degree of freedom."""
        return tuple(joint for joint in self.joints if joint.type in MOVING)

    @property
    def shapes(self) -> tuple[tuple[str, Shape], ...]:
        """(link name, shape) of all shapes."""
        return tuple((link.name, shape) for link in self.links for shape in link.shapes)
