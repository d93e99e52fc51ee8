"""Solve symmetric systems of 6 x 6 blocks on a graph, by a banded Cholesky factorisation.

Nodes are numbered by reverse Cuthill-McKee, which keeps neighbours near one another: the work is
proportional to the number of nodes times the squared bandwidth, not to the cube of their number.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import solveh_banded
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import reverse_cuthill_mckee

from autourdf_ros.geometry.arrays import Array

BLOCK = 6


@dataclass(frozen=True)
class BandLayout:
    """Where the blocks of K nodes and E edges lie in a banded matrix.

    Attributes:
        place: (K,) number of every node in the new order.
        edges: (E, 2) pairs of nodes.
        width: number of sub-diagonals.
    """

    place: NDArray[np.int64]
    edges: NDArray[np.int64]
    width: int


def band_layout(count: int, edges: NDArray[np.int64]) -> BandLayout:
    """Return the layout for `count` nodes with edges (E, 2)."""
    adjacency = csr_matrix((np.ones(len(edges)), (edges[:, 0], edges[:, 1])), (count, count))
    order = reverse_cuthill_mckee((adjacency + adjacency.T).tocsr(), symmetric_mode=True)
    place = np.empty(count, dtype=np.int64)
    place[order] = np.arange(count)
    reach = int(np.abs(place[edges[:, 0]] - place[edges[:, 1]]).max(initial=0))
    return BandLayout(place, edges, BLOCK * (reach + 1) - 1)


def solve_blocks(layout: BandLayout, diagonal: Array, coupling: Array, right: Array) -> Array:
    """Solve a system of K block rows.

    Args:
        layout: of the K nodes and E edges.
        diagonal: (K, 6, 6) diagonal blocks.
        coupling: (E, 6, 6) block of every edge, in the row of its first node and the column of its
            second.
        right: (K, 6) right side.

    Returns:
        The solution (K, 6).

    Raises:
        numpy.linalg.LinAlgError: where the matrix is not positive definite.
    """
    count = len(diagonal)
    band = np.zeros((layout.width + 1, BLOCK * count))
    _write(band, layout.place, layout.place, diagonal)
    first, second = layout.place[layout.edges].T
    later = first > second
    lower = np.where(later[:, None, None], coupling, np.swapaxes(coupling, 1, 2))
    _write(band, np.maximum(first, second), np.minimum(first, second), lower)
    ordered = np.empty_like(right)
    ordered[layout.place] = right
    solution = solveh_banded(band, ordered.ravel(), lower=True, check_finite=False)
    return solution.reshape(count, BLOCK)[layout.place]


def _write(band: Array, rows: NDArray[np.int64], columns: NDArray[np.int64], blocks: Array) -> None:
    """Write blocks (B, 6, 6) at block rows and columns into the lower band."""
    inner_row, inner_column = np.indices((BLOCK, BLOCK))
    row = BLOCK * rows[:, None, None] + inner_row
    column = BLOCK * columns[:, None, None] + inner_column
    below = row >= column
    band[(row - column)[below], column[below]] = blocks[below]
