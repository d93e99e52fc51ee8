"""Efforts as a linear problem: blocks of records with their regressor and their own noise."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.estimation.inertia.links.effort_weights import EffortNoise, weighted_system
from autourdf_ros.estimation.inertia.links.link_options import LinkOptions
from autourdf_ros.estimation.inertia.links.motion_filter import FilteredMotion
from autourdf_ros.estimation.inertia.links.torque_model import (
    RESISTANCES,
    JointMotion,
    TorqueModel,
)
from autourdf_ros.progress import Progress, silent

Array = NDArray[np.float64]

_TINY = 1e-9  # N m or N: an effort that no sensor shows
_RIDGE = 1e-10  # of columns of length one: numerical zero
_LEAST = 1e-3  # of the largest joint's noise: joints of one robot have efforts of such sizes
_CHUNK = 500  # blocks whose regressor is computed at once: a resource bound


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


def effort_problem(
    model: TorqueModel,
    motion: FilteredMotion,
    heard: NDArray[np.intp],
    options: LinkOptions,
    progress: Progress = silent,
) -> EffortProblem:
    """Return the linear problem of a motion; many records are averaged in blocks."""
    most = min(options.most_records, options.most_values // (len(heard) * model.size))
    size = max(1, -(-len(motion.times) // max(most, 1)))
    ends = [*motion.starts[1:], len(motion.times)]
    whole = [
        np.arange(first, first + (last - first) // size * size).reshape(-1, size)
        for first, last in zip(motion.starts, ends, strict=True)
    ]
    blocks = np.concatenate(whole)
    chunks = np.array_split(blocks, max(1, len(blocks) // _CHUNK))
    parts: list[Array] = []
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


def other_variances(model: TorqueModel, problem: EffortProblem, parameters: Array) -> Array:
    """Return variances (n, H) of efforts by the accelerations' noise and friction of unsure sign.

    Args:
        model: The robot.
        problem: The data.
        parameters: (p,) as estimated so far.
    """
    inertias = model.mass_matrices(problem.positions, parameters)[:, problem.heard]
    moved = np.einsum("njk,k->nj", inertias**2, problem.acceleration_std**2)
    friction = parameters[10 * len(model.links) :].reshape(-1, len(RESISTANCES))[:, 0]
    return np.asarray(moved + friction[problem.heard] ** 2 * problem.uncertain)


def effort_scale(problem: EffortProblem, parameters: Array, links: int) -> tuple[float, float]:
    """Return by what factor links explain the efforts best, beside friction, and its std.

    Args:
        problem: The data.
        parameters: (10 L,) of the links.
        links: How many, L.
    """
    noise = unconstrained_noise(problem)
    weights = np.broadcast_to(noise.std**-2, problem.efforts.shape)
    rigid = problem.regressor[:, :, : 10 * links] @ parameters
    columns = np.concatenate([rigid[:, :, None], problem.regressor[:, :, 10 * links :]], axis=2)
    system = weighted_system(columns, problem.efforts, weights)
    size = np.sqrt(np.maximum(np.diag(system.matrix), _TINY))
    scaled = system.matrix / np.outer(size, size) + _RIDGE * np.eye(len(size))
    inverse = np.linalg.inv(scaled)
    scale = float(inverse[0] @ (system.vector / size) / size[0])
    left = max(2 * system.cost(inverse @ (system.vector / size) / size), 0.0)
    return scale, float(np.sqrt(inverse[0, 0] * left / problem.efforts.size) / size[0])


def unconstrained_noise(problem: EffortProblem) -> EffortNoise:
    """Return the noise that least squares without any prior or constraint leaves, as if white."""
    spread = np.maximum(np.std(problem.efforts, axis=0), _TINY)
    weights = np.broadcast_to(spread**-2, problem.efforts.shape)
    system = weighted_system(problem.regressor, problem.efforts, weights)
    size = np.sqrt(np.maximum(np.diag(system.matrix), _TINY))
    scaled = system.matrix / np.outer(size, size) + _RIDGE * np.eye(len(size))
    parameters = np.linalg.solve(scaled, system.vector / size) / size
    residuals = problem.efforts - problem.regressor @ parameters
    std = np.sqrt(np.mean(residuals**2, axis=0))
    return EffortNoise(np.maximum(std, _LEAST * std.max()), np.ones(len(std)))
