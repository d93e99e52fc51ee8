"""Deviations of observations from their expectation: of points, correlated, and lasting."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.monitoring.diagnosis.noise_level import NoiseLevel

Array = NDArray[np.float64]

LEAST_POINT, LEAST_CORRELATED, LEAST_SYSTEMATIC = 1e-4, 0.001, 1e-4  # m, 1, m
_OF_OTHERS = 20.0  # degrees of freedom that a segment's noise shares with its camera's others
_SEEN = 0.01  # share of the best twist's information below which a twist counts as not seen


def measured_noise(
    camera: NDArray[np.int64],
    piece: NDArray[np.int64],
    information: Array,
    gradient: Array,
    squares: Array,
    counts: Array,
    means: Array,
) -> NoiseLevel:
    """Measure the noise of C cameras from L observations of S segments.

    With n points of variance s², an observation's best twist costs s² (1 + n correlated) for every
    degree of freedom on average about that of its piece of time, and a piece's, of N points in all,
    N systematic² more about zero: moments separate the two.

    Args:
        camera: (L,) number of the camera.
        piece: (L,) number of the piece of time; systematic errors stay the same in a piece.
        information: (L, S, 6, 6) as in `Comparison`.
        gradient: (L, S, 6) as in `Comparison`, with everything expected removed.
        squares: (L, S) likewise.
        counts: (L, S) as in `Comparison`.
        means: (L, S) as in `Comparison`.
    """
    cameras = int(camera.max()) + 1
    point = np.array(
        [
            np.sqrt(max(squares[camera == one].sum(), 0.0) / max(means[camera == one].sum(), 1e-9))
            for one in range(cameras)
        ]
    )
    point = np.maximum(point, LEAST_POINT)
    correlated, systematic = [], []
    for one in range(cameras):
        shares, pieces = [], []
        for number in np.unique(piece[camera == one]):
            own = (camera == one) & (piece == number)
            within, between = _moments(information[own], gradient[own], counts[own], point[one])
            shares.append(within)
            pieces.append(between)
        correlated.append(_shared(np.array(shares)))
        systematic.append(_shared(np.array(pieces)))
    return NoiseLevel(
        point,
        np.maximum(correlated, LEAST_CORRELATED),
        np.sqrt(np.maximum(systematic, LEAST_SYSTEMATIC**2)),
    )


def _moments(
    information: Array, gradient: Array, counts: Array, point: float
) -> tuple[Array, Array]:
    """(S, 3) sums for the correlated share of an observation, and for the piece's squared error.

    Each row: excess, its divisor, and degrees of freedom.
    """
    count = len(information)
    whole = information.sum(axis=0)
    twist = np.einsum("sij,sj->si", pseudo_inverse(whole)[0], gradient.sum(axis=0))
    left = gradient - np.einsum("lsij,sj->lsi", information, twist)
    inverse, free = pseudo_inverse(information)
    cost = np.einsum("lsi,lsij,lsj->ls", left, inverse, left) / point**2
    # The piece's own twist takes its share of the freedom.
    freedom = free * (1 - 1 / count)
    within = np.stack([cost - freedom, freedom * counts, freedom], axis=-1).sum(axis=0)
    share = np.maximum(within[:, 0], 0) / np.maximum(within[:, 1], 1e-9)
    inverse, free = pseudo_inverse(whole)
    cost = np.einsum("si,sij,sj->s", gradient.sum(axis=0), inverse, gradient.sum(axis=0))
    number = counts.sum(axis=0)
    squares = (counts**2).sum(axis=0) / np.maximum(number, 1e-9)
    excess = cost - free * point**2 * (1 + share * squares)
    return within, np.stack([excess, free * number, free], axis=-1)


def _shared(sums: Array) -> Array:
    """(S,) ratios of sums (K, S, 3) over K pieces, shrunk towards that of all segments together."""
    excess, divisor, freedom = np.moveaxis(sums.sum(axis=0), -1, 0)
    every = excess.sum() / max(divisor.sum(), 1e-9)
    own = excess / np.maximum(divisor, 1e-9)
    return np.asarray((freedom * own + _OF_OTHERS * every) / (freedom + _OF_OTHERS))


def pseudo_inverse(information: Array, least: float = _SEEN) -> tuple[Array, Array]:
    """Return the (..., 6, 6) pseudo-inverse and the (...,) number of directions that are seen.

    Args:
        information: (..., 6, 6).
        least: Share of the largest eigenvalue from which a direction counts as seen.
    """
    values, vectors = np.linalg.eigh(information)
    seen = (values > least * values[..., -1:]) & (values > 1e-9)
    inverse = np.where(seen, 1 / np.where(seen, values, 1.0), 0.0)
    return (vectors * inverse[..., None, :]) @ np.swapaxes(vectors, -1, -2), seen.sum(axis=-1)
