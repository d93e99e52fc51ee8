"""Choices of how a model is written, and assumptions where motion cannot show the value."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from autourdf_ros.geometry.enclosing_shapes import ShapeKind
from autourdf_ros.model.limits.drive_limits import DriveLimits
from autourdf_ros.shape.collision.collision_mesh import CollisionKind
from autourdf_ros.shape.mass_properties import DENSITY


@dataclass(frozen=True)
class UrdfOptions:
    """What motion does not show, assumed so that simulators and planners can work.

    Attributes:
        density: kg/m³ of the links' closed volumes.
        total_mass: kg of the whole robot, where it is known; the density then follows from it.
        drives: By joint name in the model, where they are known; the others' are `assumed_limits`.
        visual_triangles: Of all links' visual meshes together, about.
        shapes: What stands for the links in collision checks; other than "mesh", one of its
            smallest primitives for each link.
        show_shapes: These primitives are the visuals, too.
        collision: Of shapes "mesh": see `CollisionKind`.
    """

    density: float = DENSITY
    total_mass: float | None = None
    drives: Mapping[str, DriveLimits] = field(default_factory=dict)
    visual_triangles: int = 30_000
    shapes: ShapeKind = "mesh"
    show_shapes: bool = False
    collision: CollisionKind = "auto"


DEFAULTS = UrdfOptions()
