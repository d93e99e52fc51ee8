"""Errors of a segmentation into parts, in the literature's definitions."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Labels = NDArray[np.integer]


@dataclass(frozen=True)
class SegmentErrors:
    """How a segmentation differs from the true one.

    Attributes:
        undersegmentation: Levinshtein et al.; see `undersegmentation_error`.
        leakage: Neubert and Protzel; see `leakage_error`.
        global_consistency: Martin et al.; see `global_consistency_error`.
        adjusted_rand: Hubert and Arabie; see `adjusted_rand_index`.
    """

    undersegmentation: float
    leakage: float
    global_consistency: float
    adjusted_rand: float


def segment_errors(found: Labels, true: Labels) -> SegmentErrors:
    """Return the errors of a segmentation (n,) against the true one (n,)."""
    table = _contingency(found, true)
    return SegmentErrors(
        undersegmentation_error(table),
        leakage_error(table),
        global_consistency_error(table),
        adjusted_rand_index(table),
    )


def undersegmentation_error(table: Array) -> float:
    """Return by how much the segments that touch a true one exceed it, mean over the true ones.

    Mean over g of (Σ |s| over the s that meet g, less |g|) / |g|. Source: Levinshtein, Stere,
    Kutulakos, Fleet, Dickinson, Siddiqi, "TurboPixels", PAMI 2009. It has no upper bound: one point
    of a large segment in a tiny true one counts as the whole segment.

    Args:
        table: (segments, true segments) points in both.
    """
    sizes, true = table.sum(1), table.sum(0)
    return float(np.mean((sizes @ (table > 0) - true) / true))


def leakage_error(table: Array) -> float:
    """Return the share of points by which segments leak across true borders, at most 1.

    Σ over g and s of min(|s ∩ g|, |s - g|) / n: the bounded form of the undersegmentation error.
    Source: Neubert, Protzel, "Superpixel benchmark and comparison", Forum Bildverarbeitung 2012.

    Args:
        table: (segments, true segments) points in both.
    """
    outside = table.sum(1)[:, None] - table
    return float(np.minimum(table, outside).sum() / table.sum())


def global_consistency_error(table: Array) -> float:
    """Return how far neither segmentation is a refinement of the other, from 0 to 1.

    The lesser of the mean over points of |S - G| / |S| and of |G - S| / |G|, S and G the segments
    of the point. Source: Martin, Fowlkes, Tal, Malik, ICCV 2001.

    Args:
        table: (segments, true segments) points in both.
    """
    sizes, true = table.sum(1)[:, None], table.sum(0)[None]
    count = table.sum()
    one = (table * (sizes - table) / sizes).sum() / count
    other = (table * (true - table) / true).sum() / count
    return float(min(one, other))


def adjusted_rand_index(table: Array) -> float:
    """Return the share of pairs of points on which both agree, 0 for chance and 1 for equality.

    Source: Hubert, Arabie, "Comparing partitions", Journal of Classification 1985.

    Args:
        table: (segments, true segments) points in both.
    """
    together = _pairs(table)
    found, true, whole = _pairs(table.sum(1)), _pairs(table.sum(0)), _pairs(table.sum())
    if whole == 0:
        return 1.0
    chance = found * true / whole
    most = (found + true) / 2
    return 1.0 if most == chance else float((together - chance) / (most - chance))


def _contingency(found: Labels, true: Labels) -> Array:
    rows = np.unique(found, return_inverse=True)[1]
    columns = np.unique(true, return_inverse=True)[1]
    table = np.zeros((rows.max() + 1, columns.max() + 1))
    np.add.at(table, (rows, columns), 1.0)
    return table


def _pairs(sizes: Array) -> float:
    return float(np.sum(sizes * (sizes - 1) / 2))
