"""The surface of a new part attached to a link, fused from observations."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import trimesh
from numpy.typing import NDArray
from scipy import ndimage
from scipy.spatial import cKDTree

from autourdf_ros.geometry.arrays import group_sum
from autourdf_ros.geometry.point_cloud import estimate_normals
from autourdf_ros.geometry.rigid_motion import inverse, transform
from autourdf_ros.model.layers.shape import Surface
from autourdf_ros.monitoring.observing.held_out_check import PosedModel
from autourdf_ros.monitoring.observing.observation_comparison import CroppedObservation
from autourdf_ros.monitoring.observing.segments import Segment
from autourdf_ros.monitoring.observing.watched_model import WatchedModel
from autourdf_ros.shape.visual.closed_mesh import closed_mesh

Array = NDArray[np.float64]

OFF = 0.008  # m: points farther from the model are not on it
CELL = 0.02  # m
STEADY = 0.3  # share of a camera's observations from which a cell belongs to the part
BASELINE_SHARE = (
    0.2  # the same of what was there before: less is noise, or the edge of something that moves
)
REACH = 0.5  # m about the link within which something may be attached to it
FINE = 0.003  # m: cells in which points are averaged
LEAST_POINTS = 30
TRIANGLES = 1500
_NEIGHBOURS = 12


def attached_part(
    model: WatchedModel,
    body: int,
    observations: Sequence[CroppedObservation],
    healthy: Sequence[CroppedObservation],
) -> trimesh.Trimesh | None:
    """Return a closed mesh in the base frame at the reference (m); None where too little was seen.

    Args:
        model: The watched model.
        body: Number of the body that holds the part.
        observations: With the part.
        healthy: From before; cells off the model in these belong to the baseline.
    """
    off = [_off(model, body, one) for one in observations]
    earlier = _shares(
        model, body, healthy, [_off(model, body, observation)[0] for observation in healthy]
    )
    before = earlier >= BASELINE_SHARE
    there = _shares(model, body, observations, [points for points, _ in off]) >= STEADY
    part = _largest(there & ~ndimage.binary_dilation(before, np.ones((3, 3, 3))))
    # Fewer observations fill its outermost cells.
    part = ndimage.binary_dilation(part, np.ones((3, 3, 3))) & ~before
    points, sights = (np.concatenate(rows) for rows in zip(*off, strict=True))
    inside = part[tuple(_cells(model, body, points).T)]
    points, sights = points[inside], sights[inside]
    if len(points) < LEAST_POINTS:
        return None
    fine = np.floor(points / FINE).astype(np.int64)
    groups = np.unique(fine, axis=0, return_inverse=True)[1].reshape(-1)
    rows = np.column_stack([points, sights, np.ones(len(points))])
    sums = group_sum(rows, groups, int(groups.max()) + 1)
    means = sums[:, :3] / sums[:, 6:]
    near = cKDTree(means).query(means, k=min(_NEIGHBOURS, len(means)))[1]
    normals, _ = estimate_normals(means, near)
    outward = np.einsum("ni,ni->n", sums[:, 3:6], normals)
    normals = normals * np.where(outward < 0, -1.0, 1.0)[:, None]
    return closed_mesh(Surface(means, normals), TRIANGLES)


def with_part(model: WatchedModel, body: int, mesh: trimesh.Trimesh) -> WatchedModel:
    """Return the model with the part as one more segment of a body."""
    middle = np.asarray(mesh.vertices, float).mean(axis=0)
    segment = Segment(body, len(model.segments), middle, np.zeros(3))
    faces = np.asarray(mesh.faces, np.int64) + len(model.vertices)
    return replace(
        model,
        segments=(*model.segments, segment),
        vertices=np.concatenate([model.vertices, np.asarray(mesh.vertices, float)]),
        faces=np.concatenate([model.faces, faces]),
        owner=np.append(model.owner, np.full(len(faces), len(model.segments))),
    )


def _off(model: WatchedModel, body: int, observation: CroppedObservation) -> tuple[Array, Array]:
    """((N, 3) points on no link, (N, 3) unit vectors to the camera), moved back to the reference.

    Only points near enough to the body to be attached to it.
    """
    points = np.concatenate([observation.close, observation.about]).astype(float)
    nowhere = np.zeros((len(model.segments), 6))
    distances, _ = PosedModel(model, nowhere).distances(observation)
    back = inverse(observation.poses[body])
    points = transform(back, points[distances > OFF])
    sights = transform(back, observation.camera_pose[:3, 3]) - points
    sights = sights / np.linalg.norm(sights, axis=1, keepdims=True)
    near = (np.abs(points - _middle(model, body)) < REACH - CELL).all(axis=1)
    return points[near], sights[near]


def _shares(
    model: WatchedModel,
    body: int,
    observations: Sequence[CroppedObservation],
    points: Sequence[Array],
) -> Array:
    """Share of observations that fill every cell, of the camera with the largest share."""
    side = int(2 * REACH / CELL)
    counts = {one.camera: np.zeros((side, side, side)) for one in observations}
    for observation, own in zip(observations, points, strict=True):
        filled = np.zeros((side, side, side), bool)
        filled[tuple(_cells(model, body, own).T)] = True
        counts[observation.camera] += filled
    totals = Counter(observation.camera for observation in observations)
    return np.max([counts[camera] / totals[camera] for camera in counts], axis=0)


def _cells(model: WatchedModel, body: int, points: Array) -> NDArray[np.int64]:
    return np.floor((points - _middle(model, body) + REACH) / CELL).astype(np.int64)


def _middle(model: WatchedModel, body: int) -> Array:
    """(3,) centre of the body's surface."""
    own = model.segment_body[model.vertex_segment] == body
    return np.asarray(model.vertices[own].mean(axis=0))


def _largest(cells: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Keep the largest connected group of cells."""
    numbers, count = ndimage.label(cells, np.ones((3, 3, 3)))
    if not count:
        return cells
    return np.asarray(numbers == 1 + np.bincount(numbers.ravel())[1:].argmax())
