"""Fit an articulated surface to frames: joint values, base poses and, over many frames, the axes.

Robust point-to-plane Gauss-Newton. Every body's information and gradient are accumulated once
per frame and mapped to the unknowns by analytic Jacobians; in the adjustment of the axes the
frames' own unknowns are eliminated by the Schur complement (Triggs et al., 2000).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial

import numpy as np

from autourdf_ros.estimation.common.joint_fit import line_perturbations, normalise, on_axes
from autourdf_ros.estimation.common.surface_matching import Directions, Matches
from autourdf_ros.estimation.motion.fitting.articulation import Articulation, body_poses, jacobians
from autourdf_ros.estimation.motion.fitting.cloud_errors import (
    Comparison,
    Unknowns,
    propagated,
    trial_twists,
)
from autourdf_ros.estimation.motion.fitting.frame_fit import BasePrior, States, frame_equations
from autourdf_ros.estimation.motion.fitting.normal_system import NormalSystem
from autourdf_ros.estimation.motion.fitting.surface import LabelledSurface
from autourdf_ros.geometry.arrays import Array
from autourdf_ros.geometry.point_cloud import Cloud
from autourdf_ros.geometry.rigid_motion import adjoint, exp_se3, inverse
from autourdf_ros.parallel import on_all_cores

TRIAL = 0.3  # of a frame's residual: rms displacement by which a gradient's slope is measured
LEAST_SLOPE = 0.05  # of a body's gradient, over its information
EXPECTED_STD = 3e-3  # rad, or robot sizes: of a joint's value by its motor's reading
UNMODELLED = 1.2
"""Times the standard deviations that `propagated` gives: of errors that all frames share, as points
on the wrong link, which no comparison of them shows. Measured on 13 robots, from whose truth the
errors were so much larger (`autourdf benchmark --suite full`)."""


@dataclass(frozen=True)
class Uncertainty:
    """How sure an adjustment is.

    information: (4 J, 4 J), squared noise times the inverse of the lines' covariance by
    `propagated`, widened by `UNMODELLED`; not what the normal equations have, which take all points
    to be independent. value_variances: (F, J) of the joint values, relative to the reference, per
    squared noise.
    """

    information: Array
    value_variances: Array


@dataclass(frozen=True)
class Adjustment:
    """The outcome of an adjustment.

    model, states: as adjusted. residuals: (F,) robust standard deviation of the point-to-plane
    distances (m). noise: that of all frames together (m). step: size of the last one. measure:
    gives the uncertainty, which takes as long as a step or two and is rarely asked for.
    """

    model: Articulation
    states: States
    residuals: Array
    noise: float
    step: float
    measure: Callable[[], Uncertainty]

    @cached_property
    def uncertainty(self) -> Uncertainty:
        """How sure all this is; found when first asked for."""
        return self.measure()

    @property
    def information(self) -> Array:
        """As of `Uncertainty`."""
        return self.uncertainty.information

    @property
    def value_variances(self) -> Array:
        """As of `Uncertainty`."""
        return self.uncertainty.value_variances


@dataclass(frozen=True)
class KeySurface:
    """What one of the frames shows, as a surface of its own: labelled points where they were.

    frame: its number among the frames that are adjusted.
    """

    surface: LabelledSurface
    frame: int


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
    keys: Sequence[KeySurface] = (),
    expected: Array | None = None,
    directions: Directions = "both",
    tolerance: float = 1e-6,
    known: Array | None = None,
) -> Adjustment:
    """Adjust axes, values and base poses over all frames.

    kernels: (iterations,) widths (m); ends early once the last width is reached and no line (or no
    value, where lines are known) moves by more than `tolerance` (rad, or robot sizes).
    expected: (F, J) values by the motors' readings, NaN where there are none, which are off by
    `EXPECTED_STD` or so. known: information (4 J, 4 J) of the lines by other frames; then they stay
    as they are, and only the states are found, as uncertain as these lines make them.

    `surface` is one sample of the noise, and shows what the reference frame shows. Where there are
    `keys`, every frame is fitted to them, too, by its pose relative to theirs; they are not fused
    into one surface, which would hold all frames to the model that it was fused by.
    """
    joints, count = len(model.parents), len(frames)
    trust, expected = _trust(expected, states.values.shape, noise)
    values, base = states.values, states.base
    lines = slice(0, 4 * joints)
    for iteration, kernel in enumerate(kernels):
        poses = body_poses(model, values, base)
        own, shared = _unknowns(model, values, base, keys)
        system = NormalSystem.empty(own, shared)
        # Values are tied to readings; what is locked does not move from where it starts.
        ties = np.concatenate([trust, np.tile(prior.ridge(noise), (count, 1))], axis=1)
        pulls = np.zeros_like(ties)
        pulls[:, :joints] = np.where(trust > 1e-9, trust * (expected - values), 0.0)
        system.tie([key.frame for key in keys], ties, pulls, 4 * joints)
        equations = partial(
            _equations,
            surface,
            keys,
            frames,
            poses,
            gate=gate,
            kernel=kernel,
            directions=directions,
        )
        unknowns = Unknowns(own, shared, ties, [key.frame for key in keys], 4 * joints)
        found = on_all_cores(equations, range(count))
        for item in _comparisons(found):
            change = unknowns.change(item)
            system.add(item.frame, own[item.frame], change, item.information, item.gradient)
        shared_step, own_step = system.solve(still=known is not None)
        for k, key in enumerate(keys):
            start = 4 * joints + k * own_step.shape[1]
            own_step[key.frame] = shared_step[start : start + own_step.shape[1]]
        values = values + own_step[:, :joints]
        base = exp_se3(own_step[:, joints:]) @ base
        model = move_lines(model, shared_step[lines].reshape(joints, 4))
        moved = shared_step[lines] if known is None else own_step[:, :joints]
        size = float(np.abs(moved).max(initial=0.0))
        if size < tolerance and kernel == kernels[-1] and iteration > 0:
            break
    residuals = np.array([frame.residual for frame in found])
    told = float(np.nanmedian(residuals)) if np.isfinite(residuals).any() else np.nan
    unit = (told / UNMODELLED) ** 2

    def measure() -> Uncertainty:
        slopes = _slopes(
            found, surface, frames, poses, gate=gate, kernel=kernel, directions=directions
        )
        uncertain = propagated(
            [replace(item, information=slopes * item.information) for item in _comparisons(found)],
            unknowns,
            noise,
            joints=joints,
            known=None if known is None else unit * _inverse(known),
        )
        information = unit * _inverse(uncertain.lines) if known is None else known
        return Uncertainty(information, uncertain.values / unit)

    return Adjustment(model, States(values, base), residuals, told, size, measure)


def _inverse(matrix: Array) -> Array:
    """Inverse of a covariance or information, with zeros where it has zeros on the diagonal."""
    there = np.diag(matrix) > 0
    units = np.where(there, np.sqrt(np.maximum(np.diag(matrix), 1e-300)), np.inf)
    scale = np.outer(units, units)
    return np.linalg.pinv(matrix / scale, hermitian=True) / scale


@dataclass(frozen=True)
class _FrameEquations:
    """Of one frame: residual (m), comparisons with all surfaces, the reference the first."""

    residual: float
    comparisons: list[Comparison]


def _equations(
    surface: LabelledSurface,
    keys: Sequence[KeySurface],
    frames: list[Cloud],
    poses: Array,
    f: int,
    *,
    gate: float,
    kernel: float,
    directions: Directions,
) -> _FrameEquations:
    frame = frames[f]
    information, gradient, matches = frame_equations(
        surface, poses[f], frame, gate=gate, kernel=kernel, directions=directions
    )
    repeats = 2 if directions == "both" else 1
    comparisons = [Comparison(f, -1, poses[f], information, gradient, repeats)]
    for key in keys:
        if key.frame != f:
            relative = poses[f] @ inverse(poses[key.frame])
            information, gradient, _ = frame_equations(
                key.surface, relative, frame, gate=gate, kernel=kernel, directions="forward"
            )
            comparisons.append(Comparison(f, key.frame, relative, information, gradient, 1))
    return _FrameEquations(robust_deviation(matches), comparisons)


def _comparisons(found: list[_FrameEquations]) -> list[Comparison]:
    return [item for frame in found for item in frame.comparisons]


def _slopes(
    found: list[_FrameEquations],
    surface: LabelledSurface,
    frames: list[Cloud],
    poses: Array,
    *,
    gate: float,
    kernel: float,
    directions: Directions,
) -> Array:
    """How much of its information a body's gradient really changes by when it moves: (B, 1, 1).

    A robust kernel and points that find new partners leave half of it or so (of the kernel: Huber,
    Robust Statistics, 1981, section 7.6). Measured by moving the bodies a little, in every frame.
    """

    def moved(f: int) -> Array:
        item = found[f].comparisons[0]
        step = trial_twists(item.information, TRIAL * found[f].residual, f)
        _, gradient, _ = frame_equations(
            surface,
            exp_se3(step) @ poses[f],
            frames[f],
            gate=gate,
            kernel=kernel,
            directions=directions,
        )
        lost = np.einsum("bi,bi->b", step, item.gradient - gradient)
        return np.stack([lost, np.einsum("bi,bij,bj->b", step, item.information, step)])

    lost, most = np.nansum(on_all_cores(moved, range(len(frames))), axis=0)
    share = np.where(most > 0, lost / np.maximum(most, 1e-300), 1.0)
    return np.asarray(np.clip(share, LEAST_SLOPE, 1.0)[:, None, None])


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


def move_lines(model: Articulation, steps: Array) -> Articulation:
    """The model with its joints' lines moved by steps (J, 4) of `line_perturbations`.

    The anchors of joints that turn go with them: they stay on their axes.
    """
    basis = line_perturbations(model.twists, model.anchors, model.revolute)
    change = np.einsum("jab,jb->ja", basis, steps)
    twists = normalise(np.einsum("jab,jb->ja", adjoint(exp_se3(change)), model.twists))
    return replace(model, twists=twists, anchors=on_axes(twists, model.anchors, model.revolute))


def robust_deviation(matches: Matches) -> float:
    """Standard deviation (m) of the point-to-plane distances of flat matches, from their median."""
    distances = np.abs(matches.distances[matches.weights > 0.3])
    if not len(distances):
        return np.nan
    # Called for every frame in every iteration: np.median takes longer than the median.
    middle = [(len(distances) - 1) // 2, len(distances) // 2]
    return 1.4826 * float(np.partition(distances, middle)[middle].mean())
