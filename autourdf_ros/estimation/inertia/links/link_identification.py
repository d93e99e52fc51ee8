"""From efforts and a robot's shape to its links' masses: the whole algorithm at a glance."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.data.efforts.effort_recording import EffortRecording
from autourdf_ros.errors import InputError
from autourdf_ros.estimation.inertia.links.effort_problem import (
    EffortProblem,
    effort_problem,
    effort_scale,
    other_variances,
    unconstrained_noise,
)
from autourdf_ros.estimation.inertia.links.effort_weights import (
    EffortNoise,
    effort_noise,
    weighted_system,
)
from autourdf_ros.estimation.inertia.links.information.base_parameters import (
    BaseParameters,
    base_parameters,
)
from autourdf_ros.estimation.inertia.links.information.identifiability import (
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
    TorqueModel,
)
from autourdf_ros.progress import Progress, part, silent

Array = NDArray[np.float64]

_STILL = 1e-3  # rad/s or rad/s²: below it a joint stands still, and its friction is unknown


@dataclass(frozen=True)
class LinkShapes:
    """What is known of links before their efforts are measured.

    Attributes:
        solids: Parameters (10,) of a solid of its shape, by link that has a mass.
        measured: Covariances (10, 10) of those of them that were measured before, such as payloads;
            their `solids` are what was measured.
        volumes: m³ of the solids, where they are known.
    """

    solids: Mapping[str, Array]
    measured: Mapping[str, Array] = field(default_factory=dict)
    volumes: Mapping[str, float] = field(default_factory=dict)


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
    shapes: LinkShapes,
    options: LinkOptions = LinkOptions(),  # noqa: B008  (frozen)
    silent_joints: Collection[str] = (),
    progress: Progress = silent,
) -> LinkIdentification:
    """Find the inertial parameters of the links that the recorded joints move, and their friction.

    Args:
        recording: Positions and efforts.
        urdf: The robot.
        shapes: What is known of the links before.
        options: Choices.
        silent_joints: Joints whose efforts do not count.
        progress: Is called with stage and fraction.

    Raises:
        InputError: recording and robot do not fit, or the recording cannot be used.
    """
    progress("filtering", 0.0)
    model = TorqueModel(urdf, recording.joints, shapes.solids)
    heard = np.flatnonzero([name not in set(silent_joints) for name in model.joints])
    if not len(heard):
        raise InputError(f"{recording.source}: no effort of {', '.join(model.joints)} counts")
    motion = filtered_motion(recording.of(model.joints), options.filter)
    problem = effort_problem(model, motion, heard, options, part(progress, 0.1, 0.6))
    prior = _prior(model, motion, shapes, options)
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
        identifiability(posterior, base, model, options),
        noise,
        split,
        judged.parameters,
        judged_noise,
    )


def _prior(
    model: TorqueModel, motion: FilteredMotion, shapes: LinkShapes, options: LinkOptions
) -> LinkPrior:
    solids = np.array([shapes.solids[name] for name in model.links])
    measured = {
        number: shapes.measured[name]
        for number, name in enumerate(model.links)
        if name in shapes.measured
    }
    return link_prior(solids, *_resistances(motion, options), options.prior, measured)


def _resistances(motion: FilteredMotion, options: LinkOptions) -> tuple[Array, Array]:
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
    # From weights of the prior's residuals, it would not leave a prior that is far off.
    noise, others = unconstrained_noise(problem), np.zeros_like(problem.efforts)
    found = start
    from_scale = (_scaled_solids(problem, prior, options), np.ones(prior.links))
    for _ in range(options.iterations):
        before = noise
        if found is not None:
            residuals = problem.efforts - problem.regressor @ found.parameters
            others = other_variances(model, problem, found.parameters)
            noise = effort_noise(residuals, others, problem.starts)
        weights = 1.0 / ((noise.std**2 + others) * noise.repeats)
        system = weighted_system(problem.regressor, problem.efforts, weights)
        free, freed = from_scale if found is None else (found.free, found.freed)
        if options.solver == "lmi":
            found = constrained_links(system, prior, options, freed)
        else:
            found = most_probable(system, prior, options, (free, freed))
        if np.abs(np.log(noise.std / before.std)).max() < options.noise_settled and _:
            break
    assert found is not None
    return found, noise


def _scaled_solids(problem: EffortProblem, prior: LinkPrior, options: LinkOptions) -> Array:
    """Free numbers (p,) of the solids at the density that explains the efforts best."""
    free = np.zeros(10 * prior.links + len(prior.scales))
    scale, std = effort_scale(problem, prior.parameters(free)[: 10 * prior.links], prior.links)
    if scale > options.late * std:
        free[: 10 * prior.links].reshape(-1, 10)[~prior.known, :4] = np.log(scale) / 2
    return free
