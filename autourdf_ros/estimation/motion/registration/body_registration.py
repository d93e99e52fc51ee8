"""Register every body of a labelled cloud to every frame by itself."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.estimation.common.normal_equations import normal_equations, point_information
from autourdf_ros.estimation.common.rigid_bodies import Bodies, to_reference
from autourdf_ros.estimation.common.surface_matching import match, warped_surface
from autourdf_ros.estimation.common.visibility import visible_information
from autourdf_ros.geometry.arrays import Array, Labels
from autourdf_ros.geometry.point_cloud import Cloud
from autourdf_ros.geometry.rigid_motion import from_translation, moved_about, transform
from autourdf_ros.parallel import on_all_cores

REFIT_ITERATIONS = 4
RIDGE = 0.001  # share of the points that holds a body where it was, against sliding
HELD = 1e12  # as good as infinite


def refit_bodies(
    reference: Cloud,
    labels: Labels,
    frames: list[Cloud],
    poses: Array,
    *,
    gate: float,
    locked: Collection[int] = (),
    still: Collection[int] = (),
    iterations: int = REFIT_ITERATIONS,
) -> Bodies:
    """Register every body to every frame by itself.

    Args:
        reference: cloud of N points in the reference configuration.
        labels: (N,) body of every point, -1 none.
        frames: F frames.
        poses: (F, B, 4, 4) of the bodies to start from.
        gate: distance (m) beyond which no points are matched.
        locked: bodies that may only translate.
        still: bodies that do not move at all.
        iterations: of Gauss-Newton.
    """
    keep = np.flatnonzero(labels >= 0)
    points, normals, flatness = (
        reference.points[keep],
        reference.normals[keep],
        reference.flatness[keep],
    )
    labels = labels[keep]
    count = poses.shape[1]
    sizes = np.maximum(np.bincount(labels, minlength=count), 1)
    middles = np.stack([np.bincount(labels, points[:, i], count) / sizes for i in range(3)], axis=1)
    hold = _hold(points - middles[labels], labels, sizes)
    hold[list(locked), :3, :3] += HELD * np.eye(3)
    hold[list(still)] += HELD * np.eye(6)

    def refit(frame: Cloud, pose: Array) -> tuple[Array, Array, Array]:
        for i in range(iterations + 1):
            moved, turned = warped_surface(pose, labels, points, normals)
            kernel = gate / 2 if i < iterations // 2 else gate / 4
            matches = match(
                moved, turned, flatness, frame, gate=gate, kernel=kernel, directions="forward"
            )
            centres = transform(pose, middles)
            blocks, gradient = normal_equations(matches, labels[matches.source], centres)
            if i == iterations:
                break
            twists = np.asarray(np.linalg.solve(blocks + hold, gradient[..., None]), float)[..., 0]
            pose = moved_about(centres, twists, pose)
        seen = visible_information(
            blocks, point_information(matches, labels[matches.source], centres)
        )
        local = to_reference(from_translation(-centres), seen)
        weights: Array = np.bincount(labels[matches.source], matches.weights, count).astype(float)
        return pose, to_reference(pose, local), weights

    fitted = on_all_cores(refit, frames, poses)
    return Bodies(*map(np.array, zip(*fitted, strict=True)))


def _hold(arms: Array, labels: Labels, sizes: NDArray[np.int64]) -> Array:
    """What holds bodies where they start, (B, 6, 6) information of their twists.

    A weak pull holds what the surface does not show: cylinders do not spin away.

    Args:
        arms: (N, 3) points from the middles of their bodies (m).
        labels: (N,) body of every point.
        sizes: (B,) numbers of points.
    """
    radius2 = np.bincount(labels, (arms**2).sum(1), len(sizes)) / sizes
    ridge = np.concatenate([np.repeat(radius2[:, None], 3, 1), np.ones((len(sizes), 3))], axis=1)
    ridge = ridge * (RIDGE * sizes[:, None]) + 1e-9
    return np.asarray(ridge[:, :, None] * np.eye(6))
