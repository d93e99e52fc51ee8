"""Closed shapes of parts of which a camera saw some sides."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import trimesh

from autourdf_ros.data.video.video_shape import SeenSides, VideoShape
from autourdf_ros.geometry.rigid_motion import from_translation
from autourdf_ros.geometry.triangle_mesh import GREY, from_trimesh
from autourdf_ros.model.layers.shape import Surface
from autourdf_ros.shape.visual.closed_mesh import closed_mesh
from autourdf_ros.shape.visual.unseen_surface import sight_reach, unseen_shares

PART = "part_"
"""Begins the name of every part; its number from 1 follows."""
TRIANGLES = 4000
"""Of a part (resource bound)."""
UNSEEN = 0.1
"""Share of a part's surface that no frame shows from which it is a doubt."""
GUESSED = 0.5
"""The same from which the closed shape is no use for tracking: it is more guess than sight."""


@dataclass(frozen=True)
class PartShape:
    """A part as a shape.

    Attributes:
        shape: Closed; its frame is along the world's axes, its origin the part's middle.
        unseen: Share of its surface that no frame shows.
    """

    shape: VideoShape
    unseen: float


def part_shapes(surfaces: Sequence[Surface], shown: Sequence[SeenSides]) -> list[PartShape]:
    """Close the surfaces of parts: part_1, part_2 and so on.

    Of a part that is more guess than sight, what one frame shows is kept besides: guesses lie where
    the camera sees through them, and surfaces that were fused from several frames are wrong where
    one of these was badly registered.

    Args:
        surfaces: Of the parts at one moment, in the world (m), normals outward; first poses are of
            that moment.
        shown: What of each the frame of that moment shows, in the world.
    """
    found = []
    for number, (surface, sides) in enumerate(zip(surfaces, shown, strict=True), 1):
        mesh = closed_mesh(surface, TRIANGLES)
        if mesh is None:
            continue
        reach = sight_reach(surface.points)
        unseen = np.average(unseen_shares(mesh, surface.points, reach), weights=mesh.area_faces)
        centre = mesh.bounds.mean(axis=0)
        own = mesh.copy().apply_translation(-centre)
        kept = _near(sides, mesh, reach).moved(-centre) if unseen > GUESSED else None
        shape = VideoShape(
            f"{PART}{number}", from_trimesh(own, GREY), from_translation(centre), seen=kept
        )
        found.append(PartShape(shape, float(unseen)))
    return found


def _near(sides: SeenSides, mesh: trimesh.Trimesh, reach: float) -> SeenSides:
    """The points in the box of a mesh, `reach` larger (m): the mesh is closed without strays."""
    low, high = mesh.bounds
    kept = ((sides.points > low - reach) & (sides.points < high + reach)).all(axis=1)
    return replace(sides, points=sides.points[kept], normals=sides.normals[kept])


def shape_doubts(parts: Sequence[PartShape]) -> tuple[str, ...]:
    """Return a sentence for every part that was seen from some sides only."""
    return tuple(
        f"{one.shape.name}: {one.unseen:.0%} of its surface was never seen; it is closed by a "
        "guess there, on which its mass rests"
        for one in parts
        if one.unseen > UNSEEN
    )
