import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from autourdf_ros.estimation.common.block_banded import BLOCK, band_layout, solve_blocks


def random_system(count, extra, seed):
    """A positive definite block system on a random connected graph, and its dense matrix."""
    rng = np.random.default_rng(seed)
    chain = [(i, i + 1) for i in range(count - 1)]
    others = [tuple(sorted(rng.choice(count, 2, replace=False))) for _ in range(extra)]
    edges = np.array(sorted(set(chain + others)), dtype=np.int64).reshape(-1, 2)
    turned = rng.random(len(edges)) < 0.5
    edges[turned] = edges[turned][:, ::-1]
    dense = np.zeros((BLOCK * count, BLOCK * count))
    diagonal = np.zeros((count, BLOCK, BLOCK))
    coupling = rng.normal(size=(len(edges), BLOCK, BLOCK))
    for (a, b), block in zip(edges, coupling, strict=True):
        dense[BLOCK * a : BLOCK * (a + 1), BLOCK * b : BLOCK * (b + 1)] = block
        dense[BLOCK * b : BLOCK * (b + 1), BLOCK * a : BLOCK * (a + 1)] = block.T
    reach = np.abs(dense).sum(axis=1).max() + 1
    for i in range(count):
        root = rng.normal(size=(BLOCK, BLOCK))
        diagonal[i] = root @ root.T + reach * np.eye(BLOCK)
        dense[BLOCK * i : BLOCK * (i + 1), BLOCK * i : BLOCK * (i + 1)] = diagonal[i]
    return edges, diagonal, coupling, dense, rng.normal(size=(count, BLOCK))


@settings(max_examples=25)
@given(st.integers(2, 14), st.integers(0, 12), st.integers(0, 10**6))
def test_solves_as_the_dense_matrix_does(count, extra, seed):
    edges, diagonal, coupling, dense, right = random_system(count, extra, seed)
    solution = solve_blocks(band_layout(count, edges), diagonal, coupling, right)
    np.testing.assert_allclose(solution.ravel(), np.linalg.solve(dense, right.ravel()), atol=1e-9)


def test_one_node_without_edges():
    edges, diagonal = np.zeros((0, 2), dtype=np.int64), 2 * np.eye(BLOCK)[None]
    layout = band_layout(1, edges)
    solution = solve_blocks(layout, diagonal, np.zeros((0, 6, 6)), np.ones((1, 6)))
    np.testing.assert_allclose(solution, 0.5)


def test_a_shuffled_chain_keeps_a_narrow_band():
    shuffled = np.random.default_rng(0).permutation(100)
    edges = np.stack([shuffled[:-1], shuffled[1:]], axis=1)
    assert band_layout(100, edges).width == 2 * BLOCK - 1


def test_refuses_a_matrix_that_is_not_positive_definite():
    layout = band_layout(1, np.zeros((0, 2), dtype=np.int64))
    with pytest.raises(np.linalg.LinAlgError):
        solve_blocks(layout, -np.eye(BLOCK)[None], np.zeros((0, 6, 6)), np.ones((1, 6)))
