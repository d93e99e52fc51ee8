"""Parts with what the paper's method asks of them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import trimesh

from autourdf_ros.data.parts.part_assembly import Part, PartAssembly
from autourdf_ros.estimation.parts.assembly_options import AssemblyOptions
from autourdf_ros.estimation.parts.mcts.signed_distance import SignedDistance
from autourdf_ros.geometry.arrays import Array
from autourdf_ros.progress import Progress, silent

THINNEST = 1e-3
"""Thickness, in diagonals, that a part without volume is given: that of a sheet."""


@dataclass(frozen=True)
class PartSolid:
    """A part of the paper's Section III.A.

    Attributes:
        index: Number in the assembly.
        part: As given.
        field: Its signed distance.
        points: (N, 3) samples spread evenly over its surface (m).
        centre: (3,) c_i: the centroid of its surface (m).
        volume: v_i (m³): of the mesh where it is closed, else of the convex hull.
    """

    index: int
    part: Part
    field: SignedDistance
    points: Array
    centre: Array
    volume: float

    @property
    def diagonal(self) -> float:
        """Length of its box's diagonal (m)."""
        return self.part.diagonal


def prepare_solids(
    assembly: PartAssembly, options: AssemblyOptions, progress: Progress = silent
) -> tuple[PartSolid, ...]:
    """Sample every part and build its signed distance."""
    solids = []
    for index, part in enumerate(assembly.parts):
        progress("measuring the parts", index / len(assembly.parts))
        solids.append(prepare_solid(index, part, options))
    return tuple(solids)


def prepare_solid(index: int, part: Part, options: AssemblyOptions) -> PartSolid:
    """Sample a part and build its signed distance."""
    mesh = trimesh.Trimesh(part.vertices, part.triangles, process=False)
    points, _ = trimesh.sample.sample_surface(mesh, options.mcts.samples, seed=options.seed)
    field = SignedDistance(part)
    points = np.asarray(points, np.float64)
    return PartSolid(index, part, field, points, points.mean(axis=0), _volume(mesh, field.closed))


def _volume(mesh: trimesh.Trimesh, closed: bool) -> float:
    thin = THINNEST * float(np.linalg.norm(mesh.extents)) * float(mesh.area)
    if closed:
        return max(abs(float(mesh.volume)), thin)
    try:
        return max(float(mesh.convex_hull.volume), thin)
    except Exception:  # flat: Qhull raises several kinds
        return thin
