"""Plan a motion that shows much of masses and friction, and screen it; nothing moves here."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.commanding.command_limits import screen
from autourdf_ros.commanding.screening.model_screen import model_distances
from autourdf_ros.commanding.screening.obstacles import NO_OBSTACLES, Obstacles
from autourdf_ros.commanding.screening.path_screen import PathScreen
from autourdf_ros.commanding.trajectory import Trajectory, through
from autourdf_ros.errors import InputError
from autourdf_ros.estimation.inertia.links.information.base_parameters import (
    base_parameters,
    random_states,
)
from autourdf_ros.estimation.inertia.links.information.exciting_motion import (
    Excitation,
    ExcitationOptions,
    KnownParameters,
    expected,
    joint_bounds,
    optimised_excitation,
)
from autourdf_ros.estimation.inertia.links.information.informative_motion import (
    expected_information,
)
from autourdf_ros.estimation.inertia.links.link_options import PriorOptions
from autourdf_ros.estimation.inertia.links.link_prior import link_prior
from autourdf_ros.estimation.inertia.links.torque_model import (
    RESISTANCES,
    JointMotion,
    TorqueModel,
)
from autourdf_ros.files.durable_files import replace_text
from autourdf_ros.model.limits.motion_limits import Limits
from autourdf_ros.model.result_files import URDF, result_document
from autourdf_ros.model.urdf.urdf_reading import read_description
from autourdf_ros.progress import Progress, part, silent
from autourdf_ros.shape.mass_properties import DENSITY
from autourdf_ros.workflows.link_inertia import link_shapes

Array = NDArray[np.float64]
MotionKind = Literal["fourier", "stop-and-go"]


@dataclass(frozen=True)
class PlanOptions:
    """How a motion is planned.

    Attributes:
        noise: Of efforts that nobody measured yet, as a share of their rms: that of torque sensors
            and motor currents.
        shrink: Factor of the amplitude after each motion that the screen refuses.
        least: Share of the amplitude below which the motion is given up.
        states: Configurations a second at which a motion is screened: between them it is straight
            within a thousandth of a radian.
        waypoints: Rests that are drawn for each one that is taken: a resource bound.
        dwell: At each rest (s).
        samples: Of a motion between two rests while it is judged: a resource bound.
    """

    noise: float = 0.05
    shrink: float = 0.8
    least: float = 0.1
    states: float = 25.0
    waypoints: int = 24
    dwell: float = 0.3
    samples: int = 8


@dataclass(frozen=True)
class PlannedMotion:
    """A screened motion.

    Attributes:
        trajectory: Starts and ends at rest.
        information: That it is expected to add to what shapes say (nats).
        notes: Sentences for the user.
    """

    trajectory: Trajectory
    information: float
    notes: tuple[str, ...]


def plan_excitation(
    out: Path,
    limits: Limits,
    kind: MotionKind = "fourier",
    duration: float = 20.0,
    seed: int = 0,
    progress: Progress = silent,
    obstacles: Obstacles = NO_OBSTACLES,
) -> PlannedMotion:
    """Return a motion of a result folder's robot that shows much and that the screen lets pass.

    It starts in the middle of the joints' limits.

    Args:
        out: Result folder.
        limits: Of the joints that move.
        kind: Fourier series, or rests joined by quintics.
        duration: Of the motion, about (s).
        seed: Of the search.
        progress: Is called with stage and fraction, and may raise to cancel.
        obstacles: That no link and no motion may enter, in the folder's fixed frame.

    Raises:
        InputError: folder, limits and obstacles do not fit, or no motion passes the screen.
    """
    document = result_document(out)
    shapes = link_shapes(read_description(out / URDF), None, DENSITY)
    model = TorqueModel(out / URDF, limits, shapes.solids)
    distances = model_distances(
        out,
        model.joints,
        document["fixed_frame"],
        obstacles.keep_out,
        obstacles.minimum_height,
        obstacles.clearance,
    )
    path_screen = PathScreen(obstacles.forbidden, distances)
    solids = np.array([shapes.solids[name] for name in model.links])
    known = _known(model, solids, seed)
    start = np.array([(limits[name].lower + limits[name].upper) / 2 for name in model.joints])
    if (reason := path_screen.reason([_named(model, start)])) is not None:
        raise InputError(
            f"{out}: in the middle of its limits {reason}; accepted are limits around a free "
            "configuration"
        )
    if kind == "fourier":
        options = ExcitationOptions(duration=duration, seed=seed)
        found = optimised_excitation(model, known, start, limits, options, part(progress, 0.0, 0.7))
        planned = _shrunk(found, path_screen, limits, part(progress, 0.7, 1.0))
        return replace(planned, information=_shown(model, known, planned.trajectory))
    return _stop_and_go(model, known, (start, duration, seed), limits, path_screen, progress)


def _known(model: TorqueModel, solids: Array, seed: int) -> KnownParameters:
    """What shapes say, with friction of the size of the efforts that they would need."""
    states = random_states(model, seed)
    rows = model.regressor(states)
    efforts = rows[:, :, : solids.size] @ solids.ravel()
    size = np.sqrt(np.mean(efforts**2, axis=0))
    size = np.maximum(size, 1e-3 * size.max())
    scales = np.repeat(size, len(RESISTANCES))
    prior = link_prior(solids, scales, np.zeros(len(scales), bool), PriorOptions())
    origin = prior.jacobian(np.zeros(model.size))
    covariance = origin @ prior.covariance(np.ones(prior.links)) @ origin.T
    return KnownParameters(base_parameters(model, seed), covariance, PlanOptions().noise * size)


def _named(model: TorqueModel, values: Array) -> dict[str, float]:
    return dict(zip(model.joints, values.tolist(), strict=True))


def _shrunk(
    found: Excitation,
    path_screen: PathScreen,
    limits: Limits,
    progress: Progress,
    options: PlanOptions = PlanOptions(),
) -> PlannedMotion:
    """Make a motion smaller until the screen lets it pass."""
    step = max(1, round(len(found.times) / (options.states * found.times[-1])))
    share, reason = 1.0, None
    while share >= options.least:
        progress("screening", 1.0 - share)
        tried = found.scaled(share)
        path = tried.positions[::step]
        refused = path_screen.reason(
            [dict(zip(found.joints, row, strict=True)) for row in path.tolist()]
        )
        if refused is None:
            break
        reason, share = refused, share * options.shrink
    else:
        raise InputError(
            f"no motion of at least {options.least:.0%} of the limits is free: {reason}; accepted "
            "are narrower limits around a free configuration"
        )
    trajectory = _ended(tried)
    screen(trajectory, limits, dict(zip(found.joints, path[0].tolist(), strict=True)), 0.0)
    notes = () if reason is None else (f"made smaller to {share:.0%}: {reason}",)
    return PlannedMotion(trajectory, found.information, notes)


def _shown(model: TorqueModel, known: KnownParameters, motion: Trajectory) -> float:
    """The information (nats) that a motion is expected to add, at the rate of records."""
    step = max(1, round(len(motion.times) / (PlanOptions().states * motion.duration)))
    every = (motion.positions, motion.velocities, motion.accelerations)
    states = [np.asarray(one)[::step] for one in every]
    return expected(model, known, states, motion.duration * ExcitationOptions().rate)


def _ended(motion: Excitation) -> Trajectory:
    """The motion as a trajectory, its ends at rest without rounding."""
    velocities, accelerations = motion.velocities.copy(), motion.accelerations.copy()
    velocities[[0, -1]] = 0.0
    accelerations[[0, -1]] = 0.0
    return Trajectory(motion.joints, motion.times, motion.positions, velocities, accelerations)


def _stop_and_go(
    model: TorqueModel,
    known: KnownParameters,
    course: tuple[Array, float, int],
    limits: Limits,
    path_screen: PathScreen,
    progress: Progress,
    options: PlanOptions = PlanOptions(),
) -> PlannedMotion:
    """Take rests one by one, each the one that shows most for its time among those drawn."""
    start, duration, seed = course
    lower, upper, _, _ = joint_bounds(model, limits, start)
    rng = np.random.default_rng(seed)
    covariance, weights = known.covariance, known.effort_std**-2.0
    points, spent, total, refused = [start], 0.0, 0.0, 0
    while spent < duration:
        progress("choosing rests", min(spent / duration, 1.0))
        drawn = rng.uniform(lower, upper, (options.waypoints, len(start)))
        judged = []
        for goal in drawn:
            leg = through([_named(model, points[-1]), _named(model, goal)], limits)
            rows, records = _leg_rows(model, leg, options)
            gain, left = expected_information(rows, covariance, weights * records)
            judged.append((gain / (leg.duration + options.dwell), gain, leg.duration, goal, left))
        for _, gain, seconds, goal, left in sorted(judged, key=lambda one: -one[0]):
            ends = [_named(model, points[-1]), _named(model, goal)]
            if path_screen.reason(ends) is None:
                points.append(goal)
                covariance, total, spent = left, total + gain, spent + seconds + options.dwell
                break
            refused += 1
        else:
            raise InputError("no motion of those drawn is free; accepted are narrower limits")
    trajectory = through([_named(model, point) for point in points], limits)
    screen(trajectory, limits, _named(model, start), 0.0)
    notes = (f"{refused} motions that the screen refuses were left out",) if refused else ()
    return PlannedMotion(trajectory, total, notes)


def _leg_rows(model: TorqueModel, leg: Trajectory, options: PlanOptions) -> tuple[Array, float]:
    """The regressor of a motion between two rests, and how many records each of its rows is."""
    chosen = np.linspace(0, len(leg.times) - 1, options.samples).round().astype(int)
    still = np.zeros(len(model.joints))
    states = (leg.positions[chosen], leg.velocities[chosen], leg.accelerations[chosen])
    rate = ExcitationOptions().rate
    return model.regressor(JointMotion(*states, still, still)), leg.duration * rate / len(chosen)


def write_motion(trajectory: Trajectory, path: Path) -> None:
    """Write a trajectory as CSV: time, and position, velocity and acceleration of every joint.

    Raises:
        InputError: the file cannot be written.
    """
    kinds = ("position", "velocity", "acceleration")
    names = [f"{joint}.{kind}" for joint in trajectory.joints for kind in kinds]
    states = (trajectory.positions, trajectory.velocities, trajectory.accelerations)
    table = np.stack(states, axis=2).reshape(len(trajectory.times), -1)
    rows: Sequence[str] = [
        ",".join(f"{value:.9g}" for value in row)
        for row in np.column_stack([trajectory.times, table]).tolist()
    ]
    try:
        replace_text(path, "\n".join([",".join(["time", *names]), *rows]) + "\n")
    except OSError as error:
        raise InputError(f"{path}: cannot be written: {error.strerror}") from error
