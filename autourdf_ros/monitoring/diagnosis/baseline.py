"""What is usual: how far model, cameras and shapes are off while all is well, and how surely.

Every look's distances are, to first order, what the causes' parameters p and the offsets c of the
surface's cells make of them, and noise. Both are found together; the offsets, of which there are
many and each is seen by its own points only, are eliminated by the Schur complement. Then it is
measured how much the looks differ from that: half of the time is explained by what the other half
told, so that nothing is taken for known that was only fitted.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

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

MESH_STD = 0.002  # m: of a cell's offset, before it was seen
PIECE = 5.0  # s, of the learning time, in which systematic errors stay the same
PIECES = 6  # at least, where the time is short
ROUNDS = 2  # of Gauss-Newton


@dataclass(frozen=True, eq=False)
class Baseline:
    """parameters: (P,) of the causes, with covariance: (P, P). offsets: of the surface.

    All are the posterior of what was seen while nothing had changed.
    """

    noise: NoiseLevel
    parameters: Array
    covariance: Array
    offsets: SurfaceOffsets


def learn_baseline(
    causes: Causes, comparisons: Sequence[Comparison], matched: Array | None = None
) -> Baseline:
    """Learn from looks at a robot of which nothing has changed; of every camera some.

    What the model does not know of itself is learnt within its own standard deviations. matched:
    (P,) parameters that put the robot where points were matched; None where the readings have it.
    """
    segments = len(causes.model.segments)
    matched = np.zeros(causes.count) if matched is None else matched
    noise = assumed_noise(_point_noise(causes, comparisons, matched), segments)
    pieces = _pieces(comparisons)
    halves = [
        [one for one, piece in zip(comparisons, pieces, strict=True) if piece % 2 == half]
        for half in (0, 1)
    ]
    if all(halves):
        told = [_fitted(causes, half, noise) for half in halves]
        noise = _measured(causes, comparisons, pieces, told)
    return _fitted(causes, comparisons, noise)


def learn_from_observations(
    causes: Causes, looks: Sequence[CroppedObservation], rounds: int = ROUNDS
) -> Baseline:
    """`learn_usual` by Gauss-Newton: with points matched anew where what was learnt has the robot.

    Where the cameras' calibration is off by a few millimetres, many points are nearest to other
    places than their own on the surface, by so much that this is most of the noise.
    """
    parameters = np.zeros(causes.count)
    for _ in range(rounds):
        baseline = learn_again(causes, looks, parameters)
        parameters = baseline.parameters
    return baseline


def learn_again(causes: Causes, looks: Sequence[CroppedObservation], parameters: Array) -> Baseline:
    """`learn_usual` with points matched where `parameters` (P,) put the robot."""
    seen = [
        compare_displaced(
            causes.model,
            look,
            causes.displacements(look, parameters),
            causes.twists(look) @ parameters,
        )
        for look in looks
    ]
    return learn_baseline(causes, seen, parameters)


def posterior(information: Array, gradient: Array, covariance: Array) -> tuple[Array, Array]:
    """Mean (P,) and covariance (P, P) of parameters that are 0 with `covariance` beforehand.

    A parameter may have no variance at all: it stays what it is.
    """
    seen = np.linalg.solve(
        np.eye(len(gradient)) + information @ covariance,
        np.column_stack([information, gradient]),
    )
    return covariance @ seen[:, -1], covariance - covariance @ seen[:, :-1] @ covariance


def _fitted(causes: Causes, comparisons: Sequence[Comparison], noise: NoiseLevel) -> Baseline:
    free = np.flatnonzero(causes.known)
    keys = np.unique(np.concatenate([one.cells.keys for one in comparisons]))
    information, gradient = np.zeros((len(free), len(free))), np.zeros(len(free))
    cross, own, own_gradient = (
        np.zeros((len(free), len(keys))),
        np.zeros(len(keys)),
        np.zeros(len(keys)),
    )
    looks, shares = len(comparisons) / len(causes.cameras), []
    for one in comparisons:
        camera = causes.cameras.index(one.look.camera)
        variance = noise.point[camera] ** 2 * (1 + one.counts * noise.correlated[camera])
        systematic = one.counts * looks / PIECES * noise.systematic[camera] ** 2
        shares.append(np.average(variance / (variance + systematic), weights=one.counts + 1e-9))
        twists = causes.twists(one.look)[..., free]
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
    # What is off for seconds makes the looks tell as if they were fewer.
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
    return Baseline(noise, parameters, every, SurfaceOffsets(keys, offsets, 1 / own, unknown))


def _measured(
    causes: Causes,
    comparisons: Sequence[Comparison],
    pieces: NDArray[np.int64],
    halves: Sequence[Baseline],
) -> NoiseLevel:
    """The noise of looks, each explained by what the other half of the time told."""
    gradients, squares = [], []
    for one, piece in zip(comparisons, pieces, strict=True):
        gradient, square = unexplained(causes, one, halves[1 - piece % 2])
        gradients.append(gradient)
        squares.append(square)
    return measured_noise(
        np.array([causes.cameras.index(one.look.camera) for one in comparisons]),
        pieces,
        np.stack([one.information for one in comparisons]),
        np.stack(gradients),
        np.stack(squares),
        np.stack([one.counts for one in comparisons]),
        np.stack([one.means for one in comparisons]),
    )


def unexplained(causes: Causes, comparison: Comparison, baseline: Baseline) -> tuple[Array, Array]:
    """((S, 6) gradient, (S,) squares) of a comparison, of what the usual does not explain."""
    cells = comparison.cells
    offsets, _ = baseline.offsets.at(cells.keys)
    count = len(comparison.counts)
    shifted = cells.of_segments(cells.rows * offsets[:, None], count)
    lifted = cells.of_segments(offsets * (offsets * cells.weights - 2 * cells.distances), count)
    twists = causes.twists(comparison.look) @ baseline.parameters
    moved = np.einsum("sij,sj->si", comparison.information, twists)
    gradient = comparison.gradient - shifted
    squares = comparison.squares + lifted - ((2 * gradient - moved) * twists).sum(axis=-1)
    return gradient - moved, squares


def _pieces(comparisons: Sequence[Comparison]) -> NDArray[np.int64]:
    """(L,) number of the piece of time that every look is in."""
    stamps = np.array([one.look.stamp for one in comparisons])
    since = stamps - stamps.min()
    length = min(PIECE, max(float(since.max()), 1e-9) / PIECES)
    return np.asarray(np.minimum(since // length, max(since.max() // length - 1, 0)), np.int64)


def _point_noise(causes: Causes, comparisons: Sequence[Comparison], matched: Array) -> Array:
    """(C,) standard deviation of a point's distance (m) from where it was matched."""
    squares, counts = np.zeros(len(causes.cameras)), np.full(len(causes.cameras), 1e-9)
    for one in comparisons:
        camera = causes.cameras.index(one.look.camera)
        twists = causes.twists(one.look) @ matched
        moved = np.einsum("sij,sj->si", one.information, twists)
        squares[camera] += one.squares.sum() - ((2 * one.gradient - moved) * twists).sum()
        counts[camera] += one.means.sum()
    return np.maximum(np.sqrt(np.maximum(squares, 0.0) / counts), 1e-4)
