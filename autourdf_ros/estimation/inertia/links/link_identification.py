"""From efforts and a robot's shape to its links' masses: the whole algorithm at a glance."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.data.efforts.effort_recording import EffortRecording
from autourdf_ros.errors import InputError
from autourdf_ros.estimation.inertia.links.base_parameters import BaseParameters, base_parameters
from autourdf_ros.estimation.inertia.links.effort_weights import (
    EffortNoise,
    effort_noise,
    weighted_system,
)
from autourdf_ros.estimation.inertia.links.identifiability import (
    Identifiability,
    identifiability,
)
from autourdf_ros.estimation.inertia.links.link_options import LinkOptions
from autourdf_ros.estimation.inertia.links.link_posterior import (
    LinkPosterior,
    most_probable,
)
from autourdf_ros.estimation.inertia.links.link_prior import LinkPrior, link_prior
from autourdf_ros.estimation.inertia.links.lmi_links import constrained_links
from autourdf_ros.estimation.inertia.links.motion_filter import FilteredMotion, filtered_motion
from autourdf_ros.estimation.inertia.links.torque_model import (
    RESISTANCES,
    JointMotion,
    TorqueModel,
)
from autourdf_ros.progress import Progress, part, silent

Array = NDArray[np.float64]

_STILL = 1e-3  # rad/s or rad/s²: below it a joint stands still, and its friction is unknown


@dataclass(frozen=True)
class EffortProblem:
    """Blocks of records in which H joints' efforts are linear in the columns' parameters.

    Attributes:
        heard: (H,) numbers of the joints whose efforts count, among J.
        regressor: (n, H, p).
        efforts: (n, H) N m or N.
        positions: (n, J).
        uncertain: (n, H) variance of the sign of the velocity.
        acceleration_std: (J,) noise of the accelerations.
        starts: Blocks at which unbroken pieces begin.
        times: (n,) s.
    """

    heard: NDArray[np.intp]
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
            self.heard,
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
        motion: What the records were differentiated to.
        problem: The data.
        prior: Of the columns' parameters.
        posterior: Of the columns' parameters.
        base: Base parameters of the robot.
        identifiability: What the data said of each parameter.
        noise: Of the H heard joints' efforts.
        held_out: Number of the first block that the judged estimate did not see.
        judged: Parameters (p,) of the estimate without the blocks from there on.
        judged_noise: Noise of that estimate.
    """

    model: TorqueModel
    motion: FilteredMotion
    problem: EffortProblem
    prior: LinkPrior
    posterior: LinkPosterior
    base: BaseParameters
    identifiability: Identifiability
    noise: EffortNoise
    held_out: int
    judged: Array
    judged_noise: EffortNoise

    @property
    def heard(self) -> tuple[str, ...]:
        """Names (H,) of the joints whose efforts count."""
        return tuple(self.model.joints[number] for number in self.problem.heard)

    @property
    def predicted(self) -> Array:
        """Efforts (n, H) of all blocks, by the estimate that did not see the last ones."""
        return np.asarray(self.problem.regressor @ self.judged)

    @property
    def held_out_error(self) -> Array:
        """Rms (H,) of measured minus predicted efforts where the judged estimate saw none."""
        errors = (self.problem.efforts - self.predicted)[self.held_out :]
        return np.asarray(np.sqrt(np.mean(errors**2, axis=0)))

    @property
    def link_parameters(self) -> Array:
        """Parameters (L, 10) of the links."""
        return self.posterior.parameters[: 10 * len(self.model.links)].reshape(-1, 10)

    @property
    def resistances(self) -> tuple[Array, Array]:
        """Coulomb and viscous friction, armature and offset (J, 4), and their std."""
        start = 10 * len(self.model.links)
        std = np.sqrt(np.diag(self.posterior.covariance)[start:])
        shape = (-1, len(RESISTANCES))
        return self.posterior.parameters[start:].reshape(shape), std.reshape(shape)


def identify_links(
    recording: EffortRecording,
    urdf: Path,
    solids: Mapping[str, Array],
    options: LinkOptions = LinkOptions(),  # noqa: B008  (frozen)
    silent_joints: Collection[str] = (),
    progress: Progress = silent,
) -> LinkIdentification:
    """Find the inertial parameters of the links that the recorded joints move, and their friction.

    Args:
        recording: Positions and efforts.
        urdf: The robot.
        solids: Parameters (10,) of a solid of its shape, by link that has a mass.
        options: Choices.
        silent_joints: Joints whose efforts do not count.
        progress: Is called with stage and fraction.

    Raises:
        InputError: recording and robot do not fit, or the recording cannot be used.
    """
    progress("filtering", 0.0)
    model = TorqueModel(urdf, recording.joints, solids)
    heard = np.flatnonzero([name not in set(silent_joints) for name in model.joints])
    if not len(heard):
        raise InputError(f"{recording.source}: no effort of {', '.join(model.joints)} counts")
    motion = filtered_motion(recording.of(model.joints), options.filter)
    problem = effort_problem(model, motion, heard, options, part(progress, 0.1, 0.6))
    masses = np.array([solids[name] for name in model.links])
    scales, signed = _resistances(problem, motion, options)
    prior = link_prior(masses, scales, signed, options.prior)
    split = round((1 - options.held_out) * len(problem.efforts))
    progress("links without the last records", 0.6)
    judged, judged_noise = reweighted(model, problem.part(slice(0, split)), prior, options)
    progress("links", 0.8)
    posterior, noise = reweighted(model, problem, prior, options, judged)
    base = base_parameters(model)
    return LinkIdentification(
        model,
        motion,
        problem,
        prior,
        posterior,
        base,
        identifiability(posterior, base, model.names, options),
        noise,
        split,
        judged.parameters,
        judged_noise,
    )


def effort_problem(
    model: TorqueModel,
    motion: FilteredMotion,
    heard: NDArray[np.intp],
    options: LinkOptions,
    progress: Progress = silent,
) -> EffortProblem:
    """Return the linear problem of a motion; many records are averaged in blocks."""
    size = max(1, -(-len(motion.times) // options.most_records))
    ends = [*motion.starts[1:], len(motion.times)]
    whole = [
        np.arange(first, first + (last - first) // size * size).reshape(-1, size)
        for first, last in zip(motion.starts, ends, strict=True)
    ]
    blocks = np.concatenate(whole)
    chunks = np.array_split(blocks, max(1, len(blocks) // 500))
    parts = []
    for chunk in chunks:
        progress("regressor", len(parts) / len(chunks))
        matrix = model.regressor(joint_motion(motion, chunk.ravel()))[:, heard]
        parts.append(matrix.reshape(-1, size, *matrix.shape[1:]).mean(1))
    signs = joint_motion(motion, slice(None)).directions[:, heard][blocks].mean(1)
    return EffortProblem(
        heard,
        np.concatenate(parts),
        motion.efforts[:, heard][blocks].mean(1),
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
    effort = np.sqrt(np.mean(motion.efforts**2, axis=0)) * options.prior.resistance
    effort = np.maximum(effort, 1e-6 * effort.max())
    speed = np.sqrt(np.mean(motion.velocities**2, axis=0)) + motion.velocity_std + _STILL
    rise = np.sqrt(np.mean(motion.accelerations**2, axis=0)) + motion.acceleration_std + _STILL
    scales = np.column_stack([effort, effort / speed, effort / rise, effort])
    signed = np.array([name == "offset" for name in RESISTANCES])
    return scales.ravel(), np.tile(signed, len(effort))


def reweighted(
    model: TorqueModel,
    problem: EffortProblem,
    prior: LinkPrior,
    options: LinkOptions,
    start: LinkPosterior | None = None,
) -> tuple[LinkPosterior, EffortNoise]:
    """Alternate between the links and the efforts' noise until both stay."""
    spread = np.std(problem.efforts, axis=0)
    others = np.zeros_like(problem.efforts)
    noise = EffortNoise(np.maximum(spread, 1e-3 * spread.max()), np.ones(len(spread)))
    found = start
    for _ in range(options.iterations):
        before = noise
        if found is not None:
            residuals = problem.efforts - problem.regressor @ found.parameters
            others = _other_variances(model, problem, found.parameters)
            noise = effort_noise(residuals, others, problem.starts)
        weights = 1.0 / ((noise.std**2 + others) * noise.repeats)
        system = weighted_system(problem.regressor, problem.efforts, weights)
        if options.solver == "lmi":
            found = constrained_links(system, prior, options, found)
        else:
            found = most_probable(system, prior, options, found)
        if np.abs(np.log(noise.std / before.std)).max() < options.noise_settled and _:
            break
    assert found is not None
    return found, noise


def _other_variances(model: TorqueModel, problem: EffortProblem, parameters: Array) -> Array:
    """Variances (n, H) of efforts by the accelerations' noise, and by friction of unsure sign."""
    inertias = model.mass_matrices(problem.positions, parameters)[:, problem.heard]
    moved = np.einsum("njk,k->nj", inertias**2, problem.acceleration_std**2)
    friction = parameters[10 * len(model.links) :].reshape(-1, len(RESISTANCES))[:, 0]
    return np.asarray(moved + friction[problem.heard] ** 2 * problem.uncertain)
