"""Fit an articulated surface to frames: joint values, base poses and, over many frames, the axes.

Robust point-to-plane Gauss-Newton. Every body's information and gradient are accumulated once
per frame and mapped to the unknowns by analytic Jacobians; in the adjustment of the axes the
frames' own unknowns are eliminated by the Schur complement (Triggs et al., 2000).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from autourdf_ros.kinematics.articulation import Articulation, body_poses, jacobians
from autourdf_ros.kinematics.cloud import Cloud
from autourdf_ros.kinematics.joint_fit import line_perturbations, normalise
from autourdf_ros.kinematics.matching import Array, Directions, Matches, match, normal_equations
from autourdf_ros.kinematics.rigid_motion import adjoint, exp_se3, inverse, log_se3, transform
from autourdf_ros.kinematics.surface import LabelledSurface

EXPECTED_STD = 3e-3  # rad, or robot sizes: of a joint's value by its motor's reading


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
    own = poses[surface.labels]
    moved = transform(own, surface.points)
    normals = np.einsum("nij,nj->ni", own[:, :3, :3], surface.normals)
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
        poses = body_poses(model, values, base)[0]
        information, gradient, _ = frame_equations(
            surface,
            poses,
            frame,
            gate=2 * gate,
            kernel=gate,
            directions=directions,
            point_weight=point_weight,
        )
        own, _ = jacobians(model, values, base)
        system = np.einsum("bki,bkl,blj->ij", own[0], information, own[0], optimize=True)
        pull = np.einsum("bki,bk->i", own[0], gradient)
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


@dataclass(frozen=True)
class Adjustment:
    """The outcome of an adjustment.

    model, states: as adjusted. residuals: (F,) robust standard deviation of the point-to-plane
    distances (m). noise: that of all frames together (m). information: (4 J, 4 J) of the lines
    after elimination of everything else, per unit squared noise. step: size of the last one.
    """

    model: Articulation
    states: States
    residuals: Array
    noise: float
    information: Array
    step: float


def adjust(
    model: Articulation,
    surface: LabelledSurface,
    frames: list[Cloud],
    states: States,
    *,
    gate: float,
    kernels: Array,
    prior: BasePrior,
    noise: float,
    expected: Array | None = None,
    directions: Directions = "both",
    tolerance: float = 1e-6,
) -> Adjustment:
    """Adjust axes, values and base poses over all frames.

    kernels: (iterations,) widths (m); ends early once the last width is reached and no line
    moves by more than `tolerance` (rad, or robot sizes). expected: (F, J) values by the motors'
    readings, NaN where there are none, which are off by `EXPECTED_STD` or so.
    """
    joints = len(model.parents)
    if expected is None:
        expected = np.full(states.values.shape, np.nan)
    trust = np.where(np.isnan(expected), 1e-9, (noise / EXPECTED_STD) ** 2)
    expected = np.nan_to_num(expected)
    count = len(frames)
    values, base = states.values, states.base
    for iteration, kernel in enumerate(kernels):
        poses = body_poses(model, values, base)
        information = np.zeros((count, joints + 1, 6, 6))
        gradient = np.zeros((count, joints + 1, 6))
        residuals = np.zeros(count)
        for f, frame in enumerate(frames):
            information[f], gradient[f], matches = frame_equations(
                surface, poses[f], frame, gate=gate, kernel=kernel, directions=directions
            )
            residuals[f] = robust_deviation(matches)
        own, lines = jacobians(model, values, base)
        weighted_own = information @ own
        weighted_lines = information @ lines
        frame_info = np.einsum("fbki,fbkj->fij", own, weighted_own, optimize=True)
        frame_info[:, np.arange(joints), np.arange(joints)] += trust
        rest = np.arange(joints, joints + 6)
        frame_info[:, rest, rest] += prior.ridge(noise)
        cross = np.einsum("fbki,fbkj->fij", own, weighted_lines, optimize=True)
        line_info = np.einsum("fbki,fbkj->ij", lines, weighted_lines, optimize=True)
        frame_pull = np.einsum("fbki,fbk->fi", own, gradient)
        frame_pull[:, :joints] += np.where(trust > 1e-9, trust * (expected - values), 0.0)
        line_pull = np.einsum("fbki,fbk->i", lines, gradient)
        eliminated = np.linalg.solve(
            frame_info, np.concatenate([cross, frame_pull[..., None]], axis=2)
        )
        reduced = line_info - np.einsum("fki,fkj->ij", cross, eliminated[..., :-1])
        pull = line_pull - np.einsum("fki,fk->i", cross, eliminated[..., -1])
        scale = np.trace(reduced) / max(len(reduced), 1)
        ridge = 1e-9 * scale + np.where(np.diag(reduced) <= 1e-12 * scale, 1.0, 0.0)
        line_step = np.linalg.solve(reduced + np.diag(ridge), pull)
        frame_step = eliminated[..., -1] - eliminated[..., :-1] @ line_step
        values = values + frame_step[:, :joints]
        base = exp_se3(frame_step[:, joints:]) @ base
        model = move_lines(model, line_step.reshape(joints, 4))
        size = float(np.abs(line_step).max(initial=0.0))
        if size < tolerance and kernel == kernels[-1] and iteration > 0:
            break
    return Adjustment(
        model, States(values, base), residuals, float(np.median(residuals)), reduced, size
    )


def move_lines(model: Articulation, steps: Array) -> Articulation:
    """The model with its joints' lines moved by steps (J, 4) of `line_perturbations`."""
    basis = line_perturbations(model.twists, model.anchors, model.revolute)
    change = np.einsum("jab,jb->ja", basis, steps)
    twists = normalise(np.einsum("jab,jb->ja", adjoint(exp_se3(change)), model.twists))
    return replace(model, twists=twists)


def robust_deviation(matches: Matches) -> float:
    """Standard deviation (m) of the point-to-plane distances of flat matches, from their median."""
    if not len(matches.weights):
        return np.nan
    distances = np.abs(matches.distances[matches.weights > 0.3])
    return float(1.4826 * np.median(distances)) if len(distances) else np.nan
