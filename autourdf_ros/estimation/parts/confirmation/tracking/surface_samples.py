"""Points on the surfaces of an assembly's parts."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import trimesh
from numpy.typing import NDArray

from autourdf_ros.data.parts.part_assembly import Part, PartAssembly
from autourdf_ros.estimation.parts.confirmation.confirmation_options import ConfirmationOptions
from autourdf_ros.geometry.arrays import Array
from autourdf_ros.geometry.sampling import farthest_point_indices


@dataclass(frozen=True)
class PartSamples:
    """Samples of all parts, at the given pose, in the frame of the assembly.

    Attributes:
        points: (N, 3) metres.
        normals: (N, 3) unit.
        owners: (N,) number of the part of every sample.
        seen: (N,) whether the first frame shows it.
        sizes: (P,) diagonal of every part (m).
        centres: (P, 3) of the parts.
    """

    points: Array
    normals: Array
    owners: NDArray[np.int64]
    seen: NDArray[np.bool_]
    sizes: Array
    centres: Array

    @property
    def count(self) -> int:
        """Number of parts."""
        return len(self.sizes)

    @property
    def spacing(self) -> float:
        """Typical distance between neighbouring samples (m)."""
        return float(np.median(self.sizes) / np.sqrt(len(self.points) / self.count))

    def with_seen(self, seen: NDArray[np.bool_]) -> PartSamples:
        """Return the samples with what the first frame shows of them."""
        return replace(self, seen=seen)

    def facing(self, normals: Array) -> PartSamples:
        """Return the samples with normals on the side of given ones (N, 3)."""
        against = np.einsum("ni,ni->n", self.normals, normals) < 0
        return replace(self, normals=np.where(against[:, None], -self.normals, self.normals))

    def chosen(self, part: int, count: int) -> tuple[Array, Array]:
        """Return up to `count` evenly spread points and normals of what is seen of a part."""
        own = np.flatnonzero((self.owners == part) & self.seen)
        kept = own[farthest_point_indices(self.points[own], count)]
        return self.points[kept], self.normals[kept]


def sample_parts(assembly: PartAssembly, options: ConfirmationOptions) -> PartSamples:
    """Sample the surfaces of all parts evenly, in proportion to their areas."""
    meshes = [_mesh(part) for part in assembly.parts]
    areas = np.array([mesh.area for mesh in meshes])
    counts = np.maximum(options.samples * areas / max(areas.sum(), 1e-300), options.least_samples)
    points, normals, owners = [], [], []
    for number, (mesh, count) in enumerate(zip(meshes, counts.astype(int), strict=True)):
        own, faces = trimesh.sample.sample_surface(mesh, count, seed=options.seed)
        points.append(np.asarray(own, float))
        normals.append(mesh.face_normals[faces])
        owners.append(np.full(len(own), number, np.int64))
    return PartSamples(
        np.vstack(points),
        np.vstack(normals),
        np.concatenate(owners),
        np.ones(sum(map(len, points)), dtype=bool),
        np.array([part.diagonal for part in assembly.parts]),
        np.array([part.bounds.mean(axis=0) for part in assembly.parts]),
    )


def _mesh(part: Part) -> trimesh.Trimesh:
    return trimesh.Trimesh(part.vertices, part.triangles, process=False)
