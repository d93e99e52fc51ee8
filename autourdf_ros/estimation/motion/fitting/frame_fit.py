"""Fit a posed articulated surface to one frame: joint values and the base pose.

Robust point-to-plane Gauss-Newton with analytic Jacobians.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from autourdf_ros.estimation.common.surface_matching import (
    Directions,
    Matches,
    match,
    normal_equations,
    warped_surface,
)
from autourdf_ros.estimation.motion.fitting.articulation import (
    Articulation,
    body_poses,
    state_jacobian,
)
from autourdf_ros.estimation.motion.fitting.surface import LabelledSurface
from autourdf_ros.geometry.arrays import Array
from autourdf_ros.geometry.point_cloud import Cloud
from autourdf_ros.geometry.rigid_motion import exp_se3, inverse, log_se3


@dataclass(frozen=True)
class States:
    """Joint values (F, J) and base poses (F, 4, 4) of F frames."""

    values: Array
    base: Array


@dataclass(frozen=True)
class BasePrior:
    """How far a frame's base may be from where it is said to be: standard deviations.

    rotation: rad. translation: metres. Zero locks it.
    """

    rotation: float = 0.0
    translation: float = np.inf

    def ridge(self, noise: float) -> Array:
        """Information (6,) of the prior in units of the points' (m^2 per squared noise)."""
        sigma = np.repeat([self.rotation, self.translation], 3)
        return noise**2 / np.maximum(sigma, 1e-9) ** 2


def match_frame(
    surface: LabelledSurface,
    poses: Array,
    frame: Cloud,
    *,
    gate: float,
    kernel: float,
    directions: Directions,
) -> Matches:
    """Matches of the surface, posed by (B, 4, 4), with a frame."""
    moved, normals = warped_surface(poses, surface.labels, surface.points, surface.normals)
    return match(
        moved, normals, surface.flatness, frame, gate=gate, kernel=kernel, directions=directions
    )


def frame_equations(
    surface: LabelledSurface,
    poses: Array,
    frame: Cloud,
    *,
    gate: float,
    kernel: float,
    directions: Directions,
    point_weight: float = 0.0,
) -> tuple[Array, Array, Matches]:
    """Information (B, 6, 6) and gradient (B, 6) of every body about the origin, and the matches."""
    matches = match_frame(surface, poses, frame, gate=gate, kernel=kernel, directions=directions)
    origin = np.zeros((len(poses), 3))
    information, gradient = normal_equations(
        matches, surface.labels[matches.source], origin, point_weight=point_weight
    )
    return information, gradient, matches


def fit_frame(
    model: Articulation,
    surface: LabelledSurface,
    frame: Cloud,
    start: States,
    *,
    gates: Array,
    prior: BasePrior,
    noise: float,
    directions: Directions = "both",
    point_weight: float = 0.02,
) -> States:
    """States of one frame (F = 1), started from `start`, with the model held fixed.

    gates: (iterations,) kernel widths (m), falling.
    """
    values, base = start.values, start.base
    joints = len(model.parents)
    ridge = np.concatenate([np.full(joints, 1e-9), prior.ridge(noise)])
    for gate in gates:
        poses = body_poses(model, values, base)
        information, gradient, _ = frame_equations(
            surface,
            poses[0],
            frame,
            gate=2 * gate,
            kernel=gate,
            directions=directions,
            point_weight=point_weight,
        )
        own = state_jacobian(model, poses)[0]
        system = np.einsum("bki,bkj->ij", own, information @ own)
        pull = np.einsum("bki,bk->i", own, gradient)
        pull[joints:] -= ridge[joints:] * _base_offset(base[0], start.base[0], prior)
        system[np.diag_indices_from(system)] += ridge + 1e-6 * np.trace(system) / len(system)
        step = np.linalg.solve(system, pull)
        values = values + step[None, :joints]
        base = exp_se3(step[None, joints:]) @ base
    return States(values, base)


def _base_offset(base: Array, start: Array, prior: BasePrior) -> Array:
    if not np.isfinite(prior.translation) and prior.rotation <= 0:
        return np.zeros(6)
    return log_se3(base @ inverse(start))
