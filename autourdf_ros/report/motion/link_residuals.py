"""How far every link stands from where the points of every frame say that it is."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import cKDTree

from autourdf_ros.data.frame import Recording
from autourdf_ros.estimation.motion.reconstruction import SequenceMotion
from autourdf_ros.model.forward_kinematics import link_motions
from autourdf_ros.model.self_model import SelfModel

_SURFACE_POINTS = 1500  # of a link, at most: a picture need not be as exact as the engine
_FRAME_POINTS = 8000
_PATCHES = 20  # of a link; small enough to show a turn, large enough for noise to average out
_LEAST_POINTS = 5  # of a patch in a frame


@dataclass(frozen=True)
class _Surfaces:
    """S points of L links at the reference, in P patches of neighbours.

    Attributes:
        points, normals: (S, 3).
        links: (S,) of the points.
        patches: (S,) of the points.
        owners: (P,) links of the patches.
    """

    points: NDArray[np.float64]
    normals: NDArray[np.float64]
    links: NDArray[np.int64]
    patches: NDArray[np.int64]
    owners: NDArray[np.int64]


def link_residuals(
    model: SelfModel, motions: tuple[SequenceMotion, ...], recording: Recording
) -> NDArray[np.float64]:
    """Return the rms (L, F) of a link's patches' mean distance from its surface (m).

    Every point of a frame, as it was recorded, belongs to the nearest point of all links in the
    frame's joint values, and is as far as it stands above or below the plane of that. Within a
    patch noise averages out, and what is left is what the model does not explain. F counts the
    frames of all sequences; NaN where a frame is no inlier or a link was hardly seen.
    """
    surfaces = _surfaces(model)
    columns = [
        _of_frame(surfaces, frame.points, pose)
        if used and len(surfaces.points)
        else np.full(len(model.links), np.nan)
        for motion, sequence in zip(motions, recording.sequences, strict=True)
        for frame, pose, used in zip(
            sequence.frames,
            motion.base_poses[:, None] @ link_motions(model.tree, motion.joint_values),
            motion.used,
            strict=True,
        )
    ]
    return np.array(columns).reshape(-1, len(model.links)).T


def _surfaces(model: SelfModel) -> _Surfaces:
    clouds = [_thinned(link.surface.points, _SURFACE_POINTS) for link in model.links]
    normals = [_thinned(link.surface.normals, _SURFACE_POINTS) for link in model.links]
    rng = np.random.default_rng(0)
    patches = [np.zeros(0, np.int64)]
    owners: list[int] = []
    for link, cloud in enumerate(clouds):
        seeds = rng.permutation(cloud)[:_PATCHES]
        if len(seeds):
            patches.append(len(owners) + cKDTree(seeds).query(cloud)[1])
        owners += [link] * len(seeds)
    links = np.repeat(np.arange(len(clouds)), [len(cloud) for cloud in clouds])
    whole = np.concatenate(clouds), np.concatenate(normals)
    return _Surfaces(*whole, links, np.concatenate(patches), np.array(owners, np.int64))


def _of_frame(
    surfaces: _Surfaces, recorded: NDArray[np.float32], poses: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Residuals (L,) in one frame, by the motions (L, 4, 4) of the links since the reference."""
    own = poses[surfaces.links]
    surface = np.einsum("sij,sj->si", own[:, :3, :3], surfaces.points) + own[:, :3, 3]
    normals = np.einsum("sij,sj->si", own[:, :3, :3], surfaces.normals)
    points = _thinned(recorded, _FRAME_POINTS).astype(float)
    nearest = cKDTree(surface).query(points)[1]
    distances = np.einsum("ni,ni->n", points - surface[nearest], normals[nearest])
    patches, size = surfaces.patches[nearest], len(surfaces.owners)
    counts = np.bincount(patches, minlength=size)
    seen = counts >= _LEAST_POINTS
    means = np.bincount(patches, distances, size)[seen] / counts[seen]
    links = surfaces.owners[seen]
    with np.errstate(invalid="ignore"):
        squares = np.bincount(links, means**2, len(poses)) / np.bincount(
            links, minlength=len(poses)
        )
    return np.sqrt(squares)


def _thinned(rows: NDArray[np.floating], most: int) -> NDArray[np.floating]:
    return rows[:: max(1, -(-len(rows) // most))]
