"""Fit a posed articulated surface to one frame: joint values and the base pose.

Robust point-to-plane Gauss-Newton with analytic Jacobians.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from autourdf_ros.estimation.common.normal_equations import normal_equations
from autourdf_ros.estimation.common.surface_matching import (
    Directions,
    Matches,
    match,
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

COARSE = 2  # points to one that is matched, while the kernel is wide; by fewer small links are lost
WIDE = 2.5  # point spacings, from which it is
POINT_WEIGHT = 0.02  # of point-to-point distances, which hold what the planes leave free


@dataclass(frozen=True)
class States:
    """States of an articulation in F frames.

    Attributes:
        values: (F, J) joint values (rad, or robot sizes).
        base: (F, 4, 4) poses of the root from the reference, in the fixed frame.
    """

    values: Array
    base: Array


@dataclass(frozen=True)
class BasePrior:
    """Standard deviations of a frame's base from where it starts. Zero locks it.

    Attributes:
        rotation: rad.
        translation: robot sizes.
    """

    rotation: float = 0.0
    translation: float = np.inf

    def ridge(self, noise: float) -> Array:
        """Return the prior's information (6,) in units of the points' (m^2 per squared noise)."""
        sigma = np.repeat([self.rotation, self.translation], 3)
        return noise**2 / np.maximum(sigma, 1e-9) ** 2


@dataclass(frozen=True)
class ArticulatedSurface:
    """An articulation, and the surface that it moves: what frames are fitted by.

    Attributes:
        model: the articulation.
        surface: points on its bodies, in the reference configuration.
        prior: how far the base may move.
        noise: standard deviation of a point along its normal.
    """

    model: Articulation
    surface: LabelledSurface
    prior: BasePrior
    noise: float


def match_frame(
    surface: LabelledSurface,
    poses: Array,
    frame: Cloud,
    *,
    gate: float,
    kernel: float,
    directions: Directions,
    every: int = 1,
) -> Matches:
    """Match a surface, posed by (B, 4, 4), with a frame (see `match`)."""
    moved, normals = warped_surface(poses, surface.labels, surface.points, surface.normals)
    return match(
        moved,
        normals,
        surface.flatness,
        frame,
        gate=gate,
        kernel=kernel,
        directions=directions,
        every=every,
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
    every: int = 1,
) -> tuple[Array, Array, Matches]:
    """Return the normal equations of every body's pose in one frame.

    Args:
        surface: points on B bodies.
        poses: (B, 4, 4) of the bodies in the frame.
        frame: the frame.
        gate: distance (m) beyond which no points are matched.
        kernel: width (m) of the robust kernel.
        directions: of the matches.
        point_weight: of point-to-point distances beside point-to-plane ones.
        every: how many points there are to one that is matched.

    Returns:
        Information (B, 6, 6) and gradient (B, 6) of the bodies' left twists about the origin, and
        the matches.
    """
    matches = match_frame(
        surface,
        poses,
        frame,
        gate=gate,
        kernel=kernel,
        directions=directions,
        every=every,
    )
    origin = np.zeros((len(poses), 3))
    information, gradient = normal_equations(
        matches, surface.labels[matches.source], origin, point_weight=point_weight
    )
    return information, gradient, matches


def fit_frame(
    target: ArticulatedSurface,
    frame: Cloud,
    start: States,
    *,
    gates: Array,
    directions: Directions = "both",
    point_weight: float = POINT_WEIGHT,
) -> States:
    """Fit the states of one frame (F = 1), with the model held fixed.

    Args:
        target: the articulated surface.
        frame: the frame.
        start: states (F = 1) to start from; the prior holds the base near its pose.
        gates: (iterations,) kernel widths (m), falling; points match within twice as much.
        directions: of the matches.
        point_weight: of point-to-point distances beside point-to-plane ones.
    """
    model, prior = target.model, target.prior
    values, base = start.values, start.base
    joints = len(model.parents)
    ridge = np.concatenate([np.full(joints, 1e-9), prior.ridge(target.noise)])
    for gate in gates:
        poses = body_poses(model, values, base)
        information, gradient, _ = frame_equations(
            target.surface,
            poses[0],
            frame,
            gate=2 * gate,
            kernel=gate,
            directions=directions,
            point_weight=point_weight,
            every=COARSE if gate > WIDE * frame.spacing else 1,
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
