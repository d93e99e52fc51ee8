"""The closed mesh of every link of a model, and what of it was never seen."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np
import trimesh
from numpy.typing import NDArray

from autourdf_ros.helper_processes import are_ready, in_processes
from autourdf_ros.model.layers.shape import Surface
from autourdf_ros.model.self_model import SelfModel
from autourdf_ros.progress import Progress, silent
from autourdf_ros.shape.visual.closed_mesh import closed_mesh
from autourdf_ros.shape.visual.unseen_surface import sight_reach, unseen_shares

_LEAST_TRIANGLES = 300
_WORTH_IT = 14  # links, half a second each, from which processes save more than their start takes


@dataclass(frozen=True)
class LinkSolid:
    """A link that was seen or given, as a solid, in the base frame at the reference configuration.

    Attributes:
        mesh: Closed, normals outward.
        unseen: (T,) share of each triangle's area that no camera saw.
        given: The mesh to show in its place, where one was given; it may be open.
    """

    mesh: trimesh.Trimesh
    unseen: NDArray[np.float64]
    given: trimesh.Trimesh | None = None

    @property
    def unseen_area_share(self) -> float:
        """Share of the mesh's whole area."""
        return float(np.average(self.unseen, weights=self.mesh.area_faces))


def link_solids(
    model: SelfModel, triangles: int, progress: Progress = silent
) -> tuple[LinkSolid | None, ...]:
    """Close every link, in the model's order; None for a link without points.

    Args:
        triangles: Of the whole robot, about; shared out by the seen area.
    """
    surfaces = [link.surface for link in model.links]
    jobs = list(zip(surfaces, triangle_budgets(model, triangles), strict=True))
    begun = itertools.count()

    def report(link: int) -> None:
        progress(f"mesh of {model.links[link].name}", next(begun) / len(jobs))

    seen = [float(len(surface.points) > 0) for surface in surfaces]
    if are_ready() or sum(seen) >= _WORTH_IT:
        return tuple(in_processes(_solid, jobs, seen, report))
    solids = []
    for index, job in enumerate(jobs):
        report(index)
        solids.append(_solid(*job))
    return tuple(solids)


def triangle_budgets(model: SelfModel, triangles: int) -> list[int]:
    """Return triangles for each link: a few for all, the others by the number of points.

    Fused points lie evenly on all that was seen, so that their number is its area.
    """
    counts = np.array([len(link.surface.points) for link in model.links])
    least = min(_LEAST_TRIANGLES, triangles // len(counts))
    rest = triangles - least * len(counts)
    return [least + int(rest * count / max(1, counts.sum())) for count in counts.tolist()]


def _solid(surface: Surface, triangles: int) -> LinkSolid | None:
    mesh = closed_mesh(surface, triangles)
    if mesh is None:
        return None
    points = surface.points[np.isfinite(surface.points).all(1)]
    return LinkSolid(mesh, unseen_shares(mesh, points, sight_reach(points)))
