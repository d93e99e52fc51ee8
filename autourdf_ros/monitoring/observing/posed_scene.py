"""The model's surface at one moment: nearest places on it, and occlusion."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import open3d as o3d
from numpy.typing import NDArray

from autourdf_ros.geometry.rigid_motion import exp_se3, transform
from autourdf_ros.monitoring.observing.watched_model import WatchedModel

_GRAZING = 0.2  # cosine to the normal below which a camera hardly measures a surface


@dataclass(frozen=True, eq=False)
class PosedScene:
    """The model's surface in one configuration.

    Attributes:
        model: The watched model.
        poses: (B, 4, 4) motions of its bodies since the reference.
        twists: (S, 6) that displace its segments first (rad, m); None: no displacement.
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
        """(M, 3) the model's samples in this configuration (m)."""
        points, triangles = self.model.samples
        return transform(self.poses[self.model.triangle_body[triangles]], points)

    @cached_property
    def sample_normals(self) -> NDArray[np.float64]:
        """(M, 3) outer unit normals of the samples."""
        triangles = self.model.samples[1]
        turns = self.poses[self.model.triangle_body[triangles], :3, :3]
        return np.einsum("nij,nj->ni", turns, self.model.normals[triangles])

    def nearest(self, points: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        """Return the (N, 3) nearest places on the surface, and their (N,) triangles."""
        found = self._rays.compute_closest_points(_tensor(points), nthreads=1)
        triangles = found["primitive_ids"].numpy().astype(np.int64)
        return found["points"].numpy().astype(np.float64), triangles

    def visible(self, camera_position: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Return which of the M samples face a camera at (3,) and are not hidden by the model."""
        toward = camera_position - self.samples
        lengths = np.linalg.norm(toward, axis=1)
        facing = np.einsum("ni,ni->n", toward, self.sample_normals) > _GRAZING * lengths
        rays = np.concatenate([np.broadcast_to(camera_position, toward.shape), -toward], axis=1)
        reached = self._rays.cast_rays(_tensor(rays), nthreads=1)["t_hit"].numpy()
        return np.asarray(facing & (reached * lengths > lengths - self.model.lengths.hidden))

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
