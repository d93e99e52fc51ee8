"""The baseline: how far model, cameras and meshes deviate without a change, and how surely.

To first order, the distances of every observation are a linear function of the causes' parameters p
and the offsets c of the surface's cells, plus noise. Both are estimated together. Each of the many
offsets is seen by its own points only, so that the Schur complement eliminates them. Then the noise
is measured: each third of the learning time is explained by what the others taught, so that a fit
does not hide its own noise. A third is in one piece: errors of the model vary with the
configuration, and the robot will move to others than those of the learning time.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.monitoring.diagnosis.causes import Causes
from autourdf_ros.monitoring.diagnosis.noise_level import NoiseLevel, assumed_noise
from autourdf_ros.monitoring.diagnosis.noise_measure import measured_noise
from autourdf_ros.monitoring.observing.observation_comparison import (
    Comparison,
    CroppedObservation,
    compare_displaced,
)
from autourdf_ros.monitoring.observing.surface_cells import SurfaceOffsets

Array = NDArray[np.float64]

MESH_STD = 0.002  # m: prior standard deviation of a cell's offset
PIECE = 5.0  # s in which systematic errors stay the same
PIECES = 6  # at least, where the learning time is short
BLOCKS = 3  # of the learning time, each of which is explained by what the others taught
ROUNDS = 2  # of Gauss-Newton


@dataclass(frozen=True, eq=False)
class Baseline:
    """Posterior of the observations while nothing has changed.

    Attributes:
        noise: Measured noise of cameras and segments.
        parameters: (P,) of the causes (rad, m, s).
        covariance: (P, P).
        offsets: Of the surface's cells.
        dispersion: By cause, how many times the chi-square that it explains without a change is
            what the noise lets expect, at least 1: the model's errors vary with the configuration.
    """

    noise: NoiseLevel
    parameters: Array
    covariance: Array
    offsets: SurfaceOffsets
    dispersion: Array

    def displaced(self, columns: slice, parameters: Array) -> Baseline:
        """Return it for a robot of which a cause's parameters (K,) changed by so much."""
        changed = self.parameters.copy()
        changed[columns] += parameters
        return replace(self, parameters=changed)


def learn_baseline(
    causes: Causes, comparisons: Sequence[Comparison], matched: Array | None = None
) -> Baseline:
    """Learn from observations of an unchanged robot.

    Errors of the model are learnt within its own standard deviations.

    Args:
        causes: All causes.
        comparisons: Some of every camera.
        matched: (P,) parameters that displaced the robot when points were matched; None: zeros.
    """
    segments = len(causes.model.segments)
    matched = np.zeros(causes.count) if matched is None else matched
    noise = assumed_noise(_point_noise(causes, comparisons, matched), segments)
    pieces = in_pieces(comparisons)
    blocks = in_blocks(pieces)
    if set(blocks) == set(range(BLOCKS)):
        taught = [
            learn_with_noise(causes, taught_beside(comparisons, blocks, block), noise)
            for block in range(BLOCKS)
        ]
        noise = _measured(causes, comparisons, pieces, [taught[block] for block in blocks])
    return learn_with_noise(causes, comparisons, noise)


def learn_from_observations(
    causes: Causes, observations: Sequence[CroppedObservation], rounds: int = ROUNDS
) -> Baseline:
    """Run `learn_baseline` in Gauss-Newton rounds, with points matched anew in each.

    Where the cameras' calibration is off by some millimetres, many points are nearest to wrong
    places on the surface, and these mismatches are most of the noise.
    """
    parameters = np.zeros(causes.count)
    for _ in range(rounds):
        baseline = learn_again(causes, observations, parameters)
        parameters = baseline.parameters
    return baseline


def learn_again(
    causes: Causes, observations: Sequence[CroppedObservation], parameters: Array
) -> Baseline:
    """Run `learn_baseline` with points matched where `parameters` (P,) displace the robot."""
    seen = [
        compare_displaced(
            causes.model,
            observation,
            causes.displacements(observation, parameters),
            causes.twists(observation) @ parameters,
        )
        for observation in observations
    ]
    return learn_baseline(causes, seen, parameters)


def posterior(information: Array, gradient: Array, covariance: Array) -> tuple[Array, Array]:
    """Return the mean (P,) and covariance (P, P) of parameters with prior mean 0 and `covariance`.

    A parameter without prior variance keeps its value.
    """
    seen = np.linalg.solve(
        np.eye(len(gradient)) + information @ covariance,
        np.column_stack([information, gradient]),
    )
    return covariance @ seen[:, -1], covariance - covariance @ seen[:, :-1] @ covariance


def learn_with_noise(
    causes: Causes, comparisons: Sequence[Comparison], noise: NoiseLevel
) -> Baseline:
    """Learn from observations whose noise is known."""
    free = np.flatnonzero(causes.known)
    keys = np.unique(np.concatenate([one.cells.keys for one in comparisons]))
    information, gradient = np.zeros((len(free), len(free))), np.zeros(len(free))
    cross, own, own_gradient = (
        np.zeros((len(free), len(keys))),
        np.zeros(len(keys)),
        np.zeros(len(keys)),
    )
    per_camera, shares = len(comparisons) / len(causes.cameras), []
    for one in comparisons:
        camera = causes.cameras.index(one.observation.camera)
        variance = noise.point[camera] ** 2 * (1 + one.counts * noise.correlated[camera])
        systematic = one.counts * per_camera / PIECES * noise.systematic[camera] ** 2
        shares.append(np.average(variance / (variance + systematic), weights=one.counts + 1e-9))
        twists = causes.twists(one.observation)[..., free]
        flat = (twists / variance[:, None, None]).reshape(-1, len(free))
        information += flat.T @ (one.information @ twists).reshape(-1, len(free))
        gradient += flat.T @ one.gradient.reshape(-1)
        cells, weight = one.cells, 1 / variance[one.cells.segment]
        places = np.searchsorted(keys, cells.keys)
        cross[:, places] += np.einsum(
            "mip,mi->pm", twists[cells.segment], cells.rows * weight[:, None]
        )
        own[places] += cells.weights * weight
        own_gradient[places] += cells.distances * weight
    own += MESH_STD**-2.0
    gained = cross / own
    # Errors that stay for seconds reduce the effective number of observations.
    share = float(np.mean(shares))
    found, covariance = posterior(
        share * (information - gained @ cross.T),
        share * (gradient - gained @ own_gradient),
        np.diag(causes.known[free] ** 2),
    )
    offsets = (own_gradient - cross.T @ found) / own
    parameters, every = np.zeros(causes.count), np.zeros((causes.count, causes.count))
    parameters[free], every[np.ix_(free, free)] = found, covariance
    seen = own > 2 * MESH_STD**-2.0
    unknown = float(np.mean(offsets[seen] ** 2)) if seen.any() else MESH_STD**2
    surface, fair = SurfaceOffsets(keys, offsets, 1 / own, unknown), np.ones(len(causes.table))
    return Baseline(noise, parameters, every, surface, fair)


def _measured(
    causes: Causes,
    comparisons: Sequence[Comparison],
    pieces: NDArray[np.int64],
    taught: Sequence[Baseline],
) -> NoiseLevel:
    """Measure the noise of observations, each explained by a baseline of its own."""
    gradients, squares = [], []
    for one, other in zip(comparisons, taught, strict=True):
        gradient, square = unexplained(causes, one, other)
        gradients.append(gradient)
        squares.append(square)
    return measured_noise(
        np.array([causes.cameras.index(one.observation.camera) for one in comparisons]),
        pieces,
        np.stack([one.information for one in comparisons]),
        np.stack(gradients),
        np.stack(squares),
        np.stack([one.counts for one in comparisons]),
        np.stack([one.means for one in comparisons]),
    )


def unexplained(causes: Causes, comparison: Comparison, baseline: Baseline) -> tuple[Array, Array]:
    """Return what the baseline leaves of a comparison: (S, 6) gradients and (S,) squares."""
    cells = comparison.cells
    offsets, _ = baseline.offsets.at(cells.keys)
    count = len(comparison.counts)
    shifted = cells.of_segments(cells.rows * offsets[:, None], count)
    lifted = cells.of_segments(offsets * (offsets * cells.weights - 2 * cells.distances), count)
    twists = causes.twists(comparison.observation) @ baseline.parameters
    moved = np.einsum("sij,sj->si", comparison.information, twists)
    gradient = comparison.gradient - shifted
    squares = comparison.squares + lifted - ((2 * gradient - moved) * twists).sum(axis=-1)
    return gradient - moved, squares


def in_pieces(comparisons: Sequence[Comparison], longest: float = PIECE) -> NDArray[np.int64]:
    """Return the (L,) number of the piece of time, of so many seconds at most, of each."""
    stamps = np.array([one.observation.stamp for one in comparisons])
    since = stamps - stamps.min()
    length = min(longest, max(float(since.max()), 1e-9) / PIECES)
    return np.asarray(np.minimum(since // length, max(since.max() // length - 1, 0)), np.int64)


def in_blocks(pieces: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the (L,) number of the block of each, of `BLOCKS` that are about as long.

    Args:
        pieces: (L,) of `in_pieces`.
    """
    return np.asarray(pieces * BLOCKS // (pieces.max() + 1), np.int64)


def taught_beside(
    comparisons: Sequence[Comparison], blocks: NDArray[np.int64], block: int
) -> list[Comparison]:
    """Return the comparisons of all other blocks."""
    return [one for one, own in zip(comparisons, blocks, strict=True) if own != block]


def _point_noise(causes: Causes, comparisons: Sequence[Comparison], matched: Array) -> Array:
    """(C,) standard deviation of a point's distance (m) from where it was matched."""
    squares, counts = np.zeros(len(causes.cameras)), np.full(len(causes.cameras), 1e-9)
    for one in comparisons:
        camera = causes.cameras.index(one.observation.camera)
        twists = causes.twists(one.observation) @ matched
        moved = np.einsum("sij,sj->si", one.information, twists)
        squares[camera] += one.squares.sum() - ((2 * one.gradient - moved) * twists).sum()
        counts[camera] += one.means.sum()
    return np.maximum(np.sqrt(np.maximum(squares, 0.0) / counts), 1e-4)
