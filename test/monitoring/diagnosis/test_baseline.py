"""What is learnt of a healthy robot: the parameters, the surface's errors and the noise."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from autourdf_ros.monitoring.diagnosis.baseline import BLOCKS, in_blocks, taught_beside
from autourdf_ros.monitoring.diagnosis.noise_measure import (
    LEAST_CORRELATED,
    LEAST_SYSTEMATIC,
    measured_noise,
    pseudo_inverse,
)
from autourdf_ros.monitoring.observing.surface_cells import (
    SurfaceOffsets,
    cell_keys,
    cell_sums,
)

SEGMENTS, POINTS = 3, 80

CELL = 0.02  # m


def observations(seed, correlated, systematic, sigma=0.002, pieces=12, each=20):
    """Return noisy gradients of random rows, with common parts of observations and pieces."""
    rng = np.random.default_rng(seed)
    out = [[], [], [], [], []]
    for piece in range(pieces):
        off = rng.normal(size=(SEGMENTS, 6))
        for _ in range(each):
            information, gradient = np.zeros((SEGMENTS, 6, 6)), np.zeros((SEGMENTS, 6))
            squares = np.zeros(SEGMENTS)
            for segment in range(SEGMENTS):
                rows = rng.normal(size=(POINTS, 6))
                own = rows.T @ rows
                root = np.linalg.cholesky(np.linalg.inv(own / POINTS))
                twist = systematic * root @ off[segment]
                twist += sigma * np.sqrt(correlated) * root @ rng.normal(size=6)
                distances = rows @ twist + rng.normal(0, sigma, POINTS)
                information[segment], gradient[segment] = own, rows.T @ distances
                squares[segment] = (distances**2).sum()
            for values, value in zip(
                out,
                (piece, information, gradient, squares, np.full(SEGMENTS, float(POINTS))),
                strict=True,
            ):
                values.append(value)
    piece, information, gradient, squares, counts = map(np.array, out)
    camera = np.zeros(len(piece), int)
    return measured_noise(camera, piece, information, gradient, squares, counts, counts)


def test_noise_is_separated_from_what_observations_and_pieces_have_in_common():
    alone = observations(0, 0.0, 0.0)
    assert alone.point == pytest.approx(0.002, rel=0.05)
    assert (alone.correlated < 5 * LEAST_CORRELATED).all()
    assert (alone.systematic < 3 * LEAST_SYSTEMATIC).all()
    together = observations(1, 0.2, 0.0)
    shared = together.correlated * together.point**2
    np.testing.assert_allclose(shared, 0.2 * 0.002**2, rtol=0.3)
    lasting = observations(2, 0.0, 0.0015)
    np.testing.assert_allclose(lasting.systematic, 0.0015, rtol=0.35)


@given(st.integers(0, 1000), st.integers(1, 6))
def test_pseudo_inverse_is_of_what_is_seen(seed, seen):
    rows = np.random.default_rng(seed).normal(size=(seen, 6)) * 10
    information = rows.T @ rows
    inverse, free = pseudo_inverse(information, 1e-10)
    np.testing.assert_allclose(information @ inverse @ information, information, atol=1e-5)
    assert free == seen


@given(st.integers(0, 1000))
@settings(max_examples=30)
def test_cells_hold_all_points_and_separate_the_sides_of_a_plate(seed):
    rng = np.random.default_rng(seed)
    places = rng.uniform(-0.1, 0.1, (60, 3))
    segments = rng.integers(0, SEGMENTS, 60)
    normals = rng.normal(size=(60, 3))
    rows, distances, weights = rng.normal(size=(60, 6)), rng.normal(size=60), rng.random(60)
    cells = cell_sums(segments, places, normals, rows, distances, weights, CELL)
    assert (np.diff(cells.keys) > 0).all()
    found = cells.of_segments(cells.weights, SEGMENTS)
    np.testing.assert_allclose(found, np.bincount(segments, weights, SEGMENTS))
    np.testing.assert_allclose(cells.rows.sum(axis=0), weights @ rows)
    here = cell_keys(segments, places, normals, CELL)
    assert not np.isin(cell_keys(segments, places, -normals, CELL), here).all()
    assert (cell_keys(segments, places + 3 * CELL, normals, CELL) != here).all()


def test_offsets_are_of_their_cells_and_elsewhere_unknown():
    offsets = SurfaceOffsets(np.array([3, 7]), np.array([0.001, -0.002]), np.ones(2), 4.0)
    values, variances = offsets.at(np.array([7, 5, 3, 9]))
    np.testing.assert_array_equal(values, [-0.002, 0, 0.001, 0])
    np.testing.assert_array_equal(variances, [1, 4, 1, 4])
    nothing = SurfaceOffsets(np.zeros(0, int), np.zeros(0), np.zeros(0), 4.0)
    np.testing.assert_array_equal(nothing.at(np.array([1]))[1], [4.0])


@given(st.integers(1, 40), st.integers(1, 4))
def test_a_block_is_in_one_piece_and_taught_by_all_others(count, each):
    pieces = np.repeat(np.arange(count), each)
    blocks = in_blocks(pieces)
    assert (np.diff(blocks) >= 0).all() and blocks[0] == 0 and blocks[-1] < BLOCKS
    for block in np.unique(blocks):
        taught = taught_beside(pieces.tolist(), blocks, block)
        assert not set(taught) & set(pieces[blocks == block])
        assert len(taught) == (blocks != block).sum()
    if count >= BLOCKS:
        sizes = np.bincount(blocks)
        assert len(sizes) == BLOCKS and np.ptp(sizes) <= each
