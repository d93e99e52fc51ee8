"""How far looks are off what was expected of them: by noise, together, and for some time."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.monitoring.diagnosis.noise_level import NoiseLevel

Array = NDArray[np.float64]

LEAST_POINT, LEAST_CORRELATED, LEAST_SYSTEMATIC = 1e-4, 0.001, 1e-4  # m, 1, m
_OF_OTHERS = 20.0  # degrees of freedom that a segment's noise shares with its camera's others
_SEEN = 0.01  # of the best seen twist's information, below which a twist counts as not seen


def measured_noise(
    camera: NDArray[np.int64],
    piece: NDArray[np.int64],
    information: Array,
    gradient: Array,
    squares: Array,
    counts: Array,
    means: Array,
) -> NoiseLevel:
    """The noise of C cameras from L looks at S segments, of which nothing expected is left.

    camera, piece: (L,) numbers; systematic errors stay the same in a piece of time. information:
    (L, S, 6, 6), gradient: (L, S, 6), squares, counts, means: (L, S), as in `Comparison`.

    With n points of variance s², a look's best twist costs s² (1 + n correlated) for every degree
    of freedom on average about that of its piece, and a piece's, of N points in all, N systematic²
    more about none: the two are told by moments.
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
        looks, pieces = [], []
        for number in np.unique(piece[camera == one]):
            own = (camera == one) & (piece == number)
            within, between = _moments(information[own], gradient[own], counts[own], point[one])
            looks.append(within)
            pieces.append(between)
        correlated.append(_shared(np.array(looks)))
        systematic.append(_shared(np.array(pieces)))
    return NoiseLevel(
        point,
        np.maximum(correlated, LEAST_CORRELATED),
        np.sqrt(np.maximum(systematic, LEAST_SYSTEMATIC**2)),
    )


def _moments(
    information: Array, gradient: Array, counts: Array, point: float
) -> tuple[Array, Array]:
    """(S, 3) sums that tell the share in common of a look, and the squared error of the piece.

    Each row: excess, what it is to be divided by, and degrees of freedom.
    """
    looks = len(information)
    whole = information.sum(axis=0)
    twist = np.einsum("sij,sj->si", pseudo_inverse(whole)[0], gradient.sum(axis=0))
    left = gradient - np.einsum("lsij,sj->lsi", information, twist)
    inverse, free = pseudo_inverse(information)
    cost = np.einsum("lsi,lsij,lsj->ls", left, inverse, left) / point**2
    # The piece's own twist takes its share of the freedom.
    freedom = free * (1 - 1 / looks)
    within = np.stack([cost - freedom, freedom * counts, freedom], axis=-1).sum(axis=0)
    share = np.maximum(within[:, 0], 0) / np.maximum(within[:, 1], 1e-9)
    inverse, free = pseudo_inverse(whole)
    cost = np.einsum("si,sij,sj->s", gradient.sum(axis=0), inverse, gradient.sum(axis=0))
    number = counts.sum(axis=0)
    squares = (counts**2).sum(axis=0) / np.maximum(number, 1e-9)
    excess = cost - free * point**2 * (1 + share * squares)
    return within, np.stack([excess, free * number, free], axis=-1)


def _shared(sums: Array) -> Array:
    """(S,) ratios of sums (K, S, 3) over K pieces, drawn to that of all segments together."""
    excess, divisor, freedom = np.moveaxis(sums.sum(axis=0), -1, 0)
    every = excess.sum() / max(divisor.sum(), 1e-9)
    own = excess / np.maximum(divisor, 1e-9)
    return np.asarray((freedom * own + _OF_OTHERS * every) / (freedom + _OF_OTHERS))


def pseudo_inverse(information: Array, least: float = _SEEN) -> tuple[Array, Array]:
    """((..., 6, 6) pseudo-inverse of what is seen, (...,) so many degrees of freedom).

    least: share of the largest eigenvalue from which on one is seen.
    """
    values, vectors = np.linalg.eigh(information)
    seen = (values > least * values[..., -1:]) & (values > 1e-9)
    inverse = np.where(seen, 1 / np.where(seen, values, 1.0), 0.0)
    return (vectors * inverse[..., None, :]) @ np.swapaxes(vectors, -1, -2), seen.sum(axis=-1)
