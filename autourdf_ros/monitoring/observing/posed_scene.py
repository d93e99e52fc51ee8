"""The model's surface as it stands at one moment: nearest places on it, and what hides what."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import open3d as o3d
from numpy.typing import NDArray

from autourdf_ros.geometry.rigid_motion import exp_se3, transform
from autourdf_ros.monitoring.observing.watched_model import WatchedModel

_HIDDEN = 0.005  # m, by which a surface is behind another at least
_GRAZING = 0.2  # cosine to the normal below which a surface is hardly measured


@dataclass(frozen=True, eq=False)
class PosedScene:
    """poses: (B, 4, 4) motions of the model's bodies since the reference.

    twists: (S, 6) by which its segments are put elsewhere first; None: not at all.
    """

    model: WatchedModel
    poses: NDArray[np.float64]
    twists: NDArray[np.float64] | None = None

    @cached_property
    def at(self) -> NDArray[np.float64]:
        """(S, 4, 4) motions of the segments since the reference."""
        poses = self.poses[self.model.segment_body]
        return poses if self.twists is None else poses @ exp_se3(self.twists)

    @cached_property
    def samples(self) -> NDArray[np.float64]:
        """(M, 3) the model's samples as they stand (m)."""
        points, triangles = self.model.samples
        return transform(self.poses[self.model.triangle_body[triangles]], points)

    @cached_property
    def sample_normals(self) -> NDArray[np.float64]:
        """(M, 3) outer normals there."""
        triangles = self.model.samples[1]
        turns = self.poses[self.model.triangle_body[triangles], :3, :3]
        return np.einsum("nij,nj->ni", turns, self.model.normals[triangles])

    def nearest(self, points: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        """((N, 3) nearest places on the surface, (N,) their triangles) of (N, 3) points."""
        found = self._rays.compute_closest_points(_tensor(points), nthreads=1)
        triangles = found["primitive_ids"].numpy().astype(np.int64)
        return found["points"].numpy().astype(np.float64), triangles

    def visible(self, eye: NDArray[np.float64]) -> NDArray[np.bool_]:
        """(M,) which samples face `eye` (3,) and are hidden by no other part of the model."""
        toward = eye - self.samples
        lengths = np.linalg.norm(toward, axis=1)
        facing = np.einsum("ni,ni->n", toward, self.sample_normals) > _GRAZING * lengths
        rays = np.concatenate([np.broadcast_to(eye, toward.shape), -toward], axis=1)
        reached = self._rays.cast_rays(_tensor(rays), nthreads=1)["t_hit"].numpy()
        return np.asarray(facing & (reached * lengths > lengths - _HIDDEN))

    @cached_property
    def _rays(self) -> o3d.t.geometry.RaycastingScene:
        vertices = transform(self.at[self.model.vertex_segment], self.model.vertices)
        scene = o3d.t.geometry.RaycastingScene(nthreads=1)
        scene.add_triangles(
            _tensor(vertices), o3d.core.Tensor.from_numpy(self.model.faces.astype(np.uint32))
        )
        return scene


def _tensor(values: NDArray[np.float64]) -> o3d.core.Tensor:
    return o3d.core.Tensor.from_numpy(np.ascontiguousarray(values, np.float32))
