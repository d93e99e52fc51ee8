"""Adjust an articulated surface to frames: joint values, base poses and, over many frames, axes.

Robust point-to-plane Gauss-Newton. Every body's information and gradient are accumulated once
per frame and mapped to the unknowns by analytic Jacobians; in the adjustment of the axes the
frames' own unknowns are eliminated by the Schur complement (Triggs et al., 2000).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial

import numpy as np

from autourdf_ros.estimation.common.surface_matching import Directions
from autourdf_ros.estimation.motion.fitting.articulation import (
    Articulation,
    body_poses,
    jacobians,
    move_lines,
)
from autourdf_ros.estimation.motion.fitting.cloud_errors import propagated
from autourdf_ros.estimation.motion.fitting.comparisons import Unknowns
from autourdf_ros.estimation.motion.fitting.frame_fit import ArticulatedSurface, States
from autourdf_ros.estimation.motion.fitting.normal_system import NormalSystem
from autourdf_ros.estimation.motion.fitting.surface_comparison import (
    ComparedFrames,
    FrameEquations,
    KeySurface,
    comparisons_of,
)
from autourdf_ros.geometry.arrays import Array
from autourdf_ros.geometry.point_cloud import Cloud
from autourdf_ros.geometry.rigid_motion import exp_se3

EXPECTED_STD = 3e-3  # rad, or robot sizes: of a joint's value by its motor's reading
UNMODELLED = 1.2
"""Times the standard deviations that `propagated` gives: of errors that all frames share, as points
on the wrong link, which no comparison of them shows. Measured on 13 robots, from whose truth the
errors were so much larger (`autourdf benchmark --suite full`)."""


@dataclass(frozen=True)
class MatchSchedule:
    """How points are matched over the iterations of an adjustment.

    Attributes:
        gate: distance (m) beyond which no points are matched.
        kernels: (iterations,) widths of the robust kernel (m).
        directions: of the matches with the reference's surface.
        tolerance: rad or robot sizes; once the last width is reached and no line (or no value,
            where lines are known) moves by more, the iterations end.
    """

    gate: float
    kernels: Array
    directions: Directions = "both"
    tolerance: float = 1e-6


@dataclass(frozen=True)
class Uncertainty:
    """The uncertainty of an adjustment.

    Attributes:
        information: (4 J, 4 J), squared noise times the inverse of the lines' covariance by
            `propagated`, widened by `UNMODELLED`; not that of the normal equations, which take
            all points to be independent.
        value_variances: (F, J) of the joint values, relative to the reference, per squared noise.
    """

    information: Array
    value_variances: Array

    def widened(self, factor: float) -> Uncertainty:
        """Return it with all variances times a factor."""
        return Uncertainty(self.information / factor, self.value_variances * factor)


@dataclass(frozen=True)
class Adjustment:
    """The outcome of an adjustment.

    Attributes:
        model: with its lines adjusted.
        states: of the F frames, adjusted.
        residuals: (F,) robust standard deviation of the point-to-plane distances (m).
        noise: the same of all frames together (m).
        step: size of the last step.
        measure: computes the uncertainty, which takes as long as a step or two and is rarely used.
    """

    model: Articulation
    states: States
    residuals: Array
    noise: float
    step: float
    measure: Callable[[], Uncertainty]

    @cached_property
    def uncertainty(self) -> Uncertainty:
        """The uncertainty, computed at the first access."""
        return self.measure()

    def widened(self, factor: float) -> Adjustment:
        """Return it with all variances times a factor, which are computed only where needed."""
        return replace(self, measure=lambda: self.uncertainty.widened(factor))

    @property
    def information(self) -> Array:
        """The lines' information (see `Uncertainty`)."""
        return self.uncertainty.information

    @property
    def value_variances(self) -> Array:
        """Variances of the joint values (see `Uncertainty`)."""
        return self.uncertainty.value_variances


def adjust(
    target: ArticulatedSurface,
    frames: list[Cloud],
    states: States,
    schedule: MatchSchedule,
    *,
    keys: Sequence[KeySurface] = (),
    expected: Array | None = None,
    known: Array | None = None,
) -> Adjustment:
    """Adjust axes, joint values and base poses over all frames.

    The target's surface is one sample of the noise, and shows what the reference frame shows. Where
    there are keys, every frame is fitted to them, too, by its pose relative to theirs; they are not
    fused into one surface, which would hold all frames to the model that it was fused by.

    Args:
        target: the articulated surface.
        frames: F frames.
        states: of these frames, to start from.
        schedule: how points are matched.
        keys: surfaces of some of the frames.
        expected: (F, J) joint values by the motors' readings, NaN where there are none; they are
            taken to be off by `EXPECTED_STD`.
        known: information (4 J, 4 J) of the lines by other frames; then they stay as they are, and
            only the states are found, as uncertain as these lines make them.
    """
    compared = ComparedFrames(target.surface, keys, frames, schedule.gate, schedule.directions)
    model, values, base = target.model, states.values, states.base
    joints, key_frames = len(model.parents), [key.frame for key in keys]
    trust, expected = _trust(expected, values.shape, target.noise)
    # Values are tied to readings; what is locked does not move from where it starts.
    base_ties = np.tile(target.prior.ridge(target.noise), (len(frames), 1))
    ties = np.concatenate([trust, base_ties], axis=1)
    for iteration, kernel in enumerate(schedule.kernels):
        poses = body_poses(model, values, base)
        unknowns = Unknowns(*_unknowns(model, values, base, keys), ties, key_frames, 4 * joints)
        pulls = np.zeros_like(ties)
        pulls[:, :joints] = np.where(trust > 1e-9, trust * (expected - values), 0.0)
        found = compared.equations(poses, kernel)
        shared_step, own_step = _steps(unknowns, pulls, found, still=known is not None)
        values = values + own_step[:, :joints]
        base = exp_se3(own_step[:, joints:]) @ base
        line_step = shared_step[: 4 * joints]
        model = move_lines(model, line_step.reshape(joints, 4))
        moved = line_step if known is None else own_step[:, :joints]
        size = float(np.abs(moved).max(initial=0.0))
        if size < schedule.tolerance and kernel == schedule.kernels[-1] and iteration > 0:
            break
    residuals = np.array([frame.residual for frame in found])
    noise = float(np.nanmedian(residuals)) if np.isfinite(residuals).any() else np.nan
    unit = (noise / UNMODELLED) ** 2
    measure = partial(
        _uncertainty, compared, found, poses, kernel, unknowns, target.noise, unit, known
    )
    return Adjustment(model, States(values, base), residuals, noise, size, measure)


def _uncertainty(
    compared: ComparedFrames,
    found: Sequence[FrameEquations],
    poses: Array,
    kernel: float,
    unknowns: Unknowns,
    noise: float,
    unit: float,
    known: Array | None,
) -> Uncertainty:
    """The uncertainty at the last step.

    noise: of the surface; unit: squared noise of the frames that a model leaves out; known: as of
    `adjust`.
    """
    slopes = compared.slopes(found, poses, kernel)
    uncertain = propagated(
        [replace(item, information=slopes * item.information) for item in comparisons_of(found)],
        unknowns,
        noise,
        joints=unknowns.lines // 4,
        known=None if known is None else unit * _inverse(known),
    )
    information = unit * _inverse(uncertain.lines) if known is None else known
    return Uncertainty(information, uncertain.values / unit)


def _steps(
    unknowns: Unknowns, pulls: Array, found: Sequence[FrameEquations], *, still: bool
) -> tuple[Array, Array]:
    """Steps of the shared unknowns (S,) and of every frame's own ones (F, O), keys' as well."""
    system = NormalSystem.empty(unknowns.own, unknowns.shared)
    system.tie(unknowns.keys, unknowns.ties, pulls, unknowns.lines)
    for item in comparisons_of(found):
        change = unknowns.change(item)
        system.add(item.frame, unknowns.own[item.frame], change, item.information, item.gradient)
    shared_step, own_step = system.solve(still=still)
    for k, key in enumerate(unknowns.keys):
        start = unknowns.lines + k * own_step.shape[1]
        own_step[key] = shared_step[start : start + own_step.shape[1]]
    return shared_step, own_step


def _inverse(matrix: Array) -> Array:
    """Inverse of a covariance or information, with zeros where it has zeros on the diagonal."""
    there = np.diag(matrix) > 0
    units = np.where(there, np.sqrt(np.maximum(np.diag(matrix), 1e-300)), np.inf)
    scale = np.outer(units, units)
    return np.linalg.pinv(matrix / scale, hermitian=True) / scale


def _trust(expected: Array | None, shape: tuple[int, ...], noise: float) -> tuple[Array, Array]:
    """Information (F, J) of the expected values, hardly any where there is none, and these."""
    if expected is None:
        expected = np.full(shape, np.nan)
    trust = np.where(np.isnan(expected), 1e-9, (noise / EXPECTED_STD) ** 2)
    return trust, np.nan_to_num(expected)


def _unknowns(
    model: Articulation, values: Array, base: Array, keys: Sequence[KeySurface]
) -> tuple[Array, Array]:
    """How poses depend on each frame's own unknowns (F, B, 6, J + 6), and on the shared ones.

    Shared (F, B, 6, S) are the lines, and then the own ones of every key.
    """
    own, lines = jacobians(model, values, base)
    width = own.shape[-1]
    shared = np.zeros((*lines.shape[:-1], lines.shape[-1] + len(keys) * width))
    shared[..., : lines.shape[-1]] = lines
    for k, key in enumerate(keys):
        start = lines.shape[-1] + k * width
        shared[key.frame, ..., start : start + width] = own[key.frame]
        own[key.frame] = 0.0
    return own, shared
