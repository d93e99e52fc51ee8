"""From efforts and a robot's shape to its links' masses: the whole algorithm at a glance."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.data.efforts.effort_recording import EffortRecording
from autourdf_ros.estimation.inertia.links.effort_weights import (
    EffortNoise,
    effort_noise,
    weighted_system,
)
from autourdf_ros.estimation.inertia.links.link_options import LinkOptions
from autourdf_ros.estimation.inertia.links.link_posterior import (
    LinkPosterior,
    NormalSystem,
    most_probable,
)
from autourdf_ros.estimation.inertia.links.link_prior import LinkPrior, link_prior
from autourdf_ros.estimation.inertia.links.motion_filter import FilteredMotion, filtered_motion
from autourdf_ros.estimation.inertia.links.torque_model import (
    RESISTANCES,
    JointMotion,
    TorqueModel,
)
from autourdf_ros.progress import Progress, part, silent

Array = NDArray[np.float64]


@dataclass(frozen=True)
class EffortProblem:
    """Blocks of records in which the efforts are linear in the columns' parameters.

    Attributes:
        regressor: (n, J, p).
        efforts: (n, J) N m or N.
        positions: (n, J).
        uncertain: (n, J) variance of the sign of the velocity.
        acceleration_std: (J,) noise of the accelerations.
        starts: Blocks at which unbroken pieces begin.
        times: (n,) s.
    """

    regressor: Array
    efforts: Array
    positions: Array
    uncertain: Array
    acceleration_std: Array
    starts: NDArray[np.intp]
    times: Array

    def part(self, blocks: slice) -> EffortProblem:
        """Return some of the blocks in a row."""
        first, last, _ = blocks.indices(len(self.efforts))
        inside = self.starts[(self.starts > first) & (self.starts < last)] - first
        return EffortProblem(
            self.regressor[blocks],
            self.efforts[blocks],
            self.positions[blocks],
            self.uncertain[blocks],
            self.acceleration_std,
            np.concatenate([[0], inside]).astype(np.intp),
            self.times[blocks],
        )


@dataclass(frozen=True)
class LinkIdentification:
    """How masses and friction were found.

    Attributes:
        model: Links, joints and columns.
        problem: The data.
        prior: Of the columns' parameters.
        system: The normal equations at the end.
        posterior: Of the columns' parameters.
        noise: Of the efforts.
        held_out: Number of the first block that the judged estimate did not see.
        judged: Parameters (p,) of the estimate without the blocks from there on.
        motion: What the records were differentiated to.
    """

    model: TorqueModel
    problem: EffortProblem
    prior: LinkPrior
    system: NormalSystem
    posterior: LinkPosterior
    noise: EffortNoise
    held_out: int
    judged: Array
    motion: FilteredMotion

    @property
    def held_out_error(self) -> Array:
        """Rms (J,) of measured minus predicted efforts where the judged estimate saw none."""
        rest = self.problem.part(slice(self.held_out, None))
        return np.sqrt(np.mean((rest.efforts - rest.regressor @ self.judged) ** 2, axis=0))


def identify_links(
    recording: EffortRecording,
    urdf: Path,
    solids: Mapping[str, Array],
    options: LinkOptions = LinkOptions(),  # noqa: B008  (frozen)
    progress: Progress = silent,
) -> LinkIdentification:
    """Find the inertial parameters of the links that the recorded joints move, and their friction.

    Args:
        recording: Positions and efforts.
        urdf: The robot.
        solids: Parameters (10,) of a solid of its shape, by link that has a mass.
        options: Choices.
        progress: Is called with stage and fraction.

    Raises:
        InputError: recording and robot do not fit, or the recording cannot be used.
    """
    progress("filtering", 0.0)
    model = TorqueModel(urdf, recording.joints, solids)
    motion = filtered_motion(recording.of(model.joints), options.filter)
    problem = effort_problem(model, motion, options, part(progress, 0.1, 0.6))
    masses = np.array([solids[name] for name in model.links])
    scales, signed = _resistances(problem, motion, options)
    prior = link_prior(masses, scales, signed, options.prior)
    split = round((1 - options.held_out) * len(problem.efforts))
    progress("links without the last records", 0.6)
    judged, _, _ = reweighted(model, problem.part(slice(0, split)), prior, options)
    progress("links", 0.8)
    posterior, noise, system = reweighted(model, problem, prior, options, judged)
    return LinkIdentification(
        model, problem, prior, system, posterior, noise, split, judged.parameters, motion
    )


def effort_problem(
    model: TorqueModel, motion: FilteredMotion, options: LinkOptions, progress: Progress = silent
) -> EffortProblem:
    """Return the linear problem of a motion; many records are averaged in blocks."""
    size = max(1, -(-len(motion.times) // options.most_records))
    ends = [*motion.starts[1:], len(motion.times)]
    whole = [
        np.arange(first, first + (last - first) // size * size).reshape(-1, size)
        for first, last in zip(motion.starts, ends, strict=True)
    ]
    blocks = np.concatenate(whole)
    parts = []
    for chunk in np.array_split(blocks, max(1, len(blocks) // 500)):
        states = joint_motion(motion, chunk.ravel())
        matrix = model.regressor(states)
        parts.append(matrix.reshape(-1, size, *matrix.shape[1:]).mean(1))
        progress("regressor", len(parts) * 500 / max(len(blocks), 500))
    signs = joint_motion(motion, slice(None)).directions[blocks].mean(1)
    return EffortProblem(
        np.concatenate(parts),
        motion.efforts[blocks].mean(1),
        motion.positions[blocks].mean(1),
        1.0 - signs**2,
        motion.acceleration_std,
        np.cumsum([0, *(len(one) for one in whole[:-1])]).astype(np.intp),
        motion.times[blocks].mean(1),
    )


def joint_motion(motion: FilteredMotion, records: slice | NDArray[np.intp]) -> JointMotion:
    """Return some of the records as the torque model takes them."""
    return JointMotion(
        motion.positions[records],
        motion.velocities[records],
        motion.accelerations[records],
        motion.velocity_std,
        motion.acceleration_std,
    )


def _resistances(
    problem: EffortProblem, motion: FilteredMotion, options: LinkOptions
) -> tuple[Array, Array]:
    """Prior standard deviations (4 J,) of friction and armature, and which may be negative."""
    effort = np.sqrt(np.mean(problem.efforts**2, axis=0)) * options.prior.resistance
    speed = np.sqrt(np.mean(motion.velocities**2, axis=0)) + motion.velocity_std
    rise = np.sqrt(np.mean(motion.accelerations**2, axis=0)) + motion.acceleration_std
    scales = np.column_stack([effort, effort / speed, effort / rise, effort])
    signed = np.array([name == "offset" for name in RESISTANCES])
    return scales.ravel(), np.tile(signed, len(effort))


def reweighted(
    model: TorqueModel,
    problem: EffortProblem,
    prior: LinkPrior,
    options: LinkOptions,
    start: LinkPosterior | None = None,
) -> tuple[LinkPosterior, EffortNoise, NormalSystem]:
    """Alternate between the links and the efforts' noise until both stay."""
    others = np.zeros_like(problem.efforts)
    spread = np.std(problem.efforts, axis=0)
    noise = EffortNoise(np.maximum(spread, 1e-3 * spread.max()), np.ones(len(spread)))
    found = start
    for _ in range(options.iterations):
        if found is not None:
            residuals = problem.efforts - problem.regressor @ found.parameters
            others = _other_variances(model, problem, found.parameters)
            before, noise = noise, effort_noise(residuals, others, problem.starts)
        weights = 1.0 / ((noise.std**2 + others) * noise.repeats)
        system = weighted_system(problem.regressor, problem.efforts, weights)
        found = most_probable(system, prior, options, found)
        if _ > 0 and np.abs(np.log(noise.std / before.std)).max() < 5e-3:
            break
    assert found is not None
    return found, noise, system


def _other_variances(model: TorqueModel, problem: EffortProblem, parameters: Array) -> Array:
    """Variances (n, J) of efforts by the accelerations' noise, and by friction of unsure sign."""
    inertias = model.mass_matrices(problem.positions, parameters)
    moved = np.einsum("njk,k->nj", inertias**2, problem.acceleration_std**2)
    friction = parameters[10 * len(model.links) :].reshape(-1, len(RESISTANCES))[:, 0]
    return np.asarray(moved + friction**2 * problem.uncertain)
