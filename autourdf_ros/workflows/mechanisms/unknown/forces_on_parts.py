"""Known forces on bodies whose names nobody knows: they act on the part that is where they act."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from scipy.optimize import linear_sum_assignment
from scipy.spatial import cKDTree

from autourdf_ros.data.video.force_table import ForceTable
from autourdf_ros.data.video.video_shape import VideoShape
from autourdf_ros.estimation.video.pose_track import PoseTrack
from autourdf_ros.geometry.arrays import Array
from autourdf_ros.geometry.rigid_motion import inverse, transform

MOMENTS = 50
"""At which the places of forces are compared with parts (resource bound)."""
FAR = 10.0
"""Distance of what is not known (m)."""


def forces_on_parts(
    forces: ForceTable, track: PoseTrack, shapes: tuple[VideoShape, ...]
) -> tuple[ForceTable, tuple[str, ...]]:
    """Name forces after the parts that they act on.

    Of all assignments of names to parts, that by which the places of the forces are nearest to the
    parts' surfaces, summed over the names.

    Args:
        forces: Known ones, with names that are no part's.
        track: Of the parts.
        shapes: Theirs.

    Returns:
        The forces that could be assigned, and sentences on all.
    """
    if all(name in track.bodies for name in forces.forces):
        return forces, ()
    known = [name for name in forces.forces if name in forces.points]
    costs = np.array([[_distance(forces, name, track, one) for one in shapes] for name in known])
    taken = zip(*linear_sum_assignment(costs), strict=True) if known else ()
    owner = {known[row]: track.bodies[column] for row, column in taken if costs[row, column] < FAR}
    lost = [name for name in forces.forces if name not in owner]
    said = [f"forces on {name!r} act on {part}, by where they do" for name, part in owner.items()]
    said += [f"forces on {name!r} are left out: no part is known to be there" for name in lost]
    renamed = replace(
        forces,
        forces={part: forces.forces[name] for name, part in owner.items()},
        points={part: forces.points[name] for name, part in owner.items()},
    )
    return renamed, tuple(said)


def _distance(forces: ForceTable, name: str, track: PoseTrack, shape: VideoShape) -> float:
    """Mean distance (m) of a part's surface from where a force acts."""
    body = track.bodies.index(shape.name)
    frames = np.flatnonzero(track.seen[body])
    acting = np.flatnonzero(np.abs(forces.forces[name]).sum(axis=1) > 0)
    if not len(frames) or not len(acting):
        return FAR
    chosen = acting[np.linspace(0, len(acting) - 1, min(MOMENTS, len(acting))).astype(int)]
    apart = np.abs(track.stamps[frames] - forces.stamps[chosen, None])
    at = frames[apart.argmin(axis=1)]
    local: Array = transform(inverse(track.poses[body, at]), forces.points[name][chosen])
    away = cKDTree(np.asarray(shape.mesh.vertices, float)).query(local)[0]
    return float(np.minimum(away, FAR).mean())
