"""The Chamfer loss against all distances. Needs torch, as the method does."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.distance import cdist

torch = pytest.importorskip("torch", exc_type=ImportError)

from autourdf_ros.estimation.motion.networks.chamfer_loss import ChamferLoss, nearest_of_all  # noqa: E402


def by_all_distances(one, other):
    distances = cdist(one, other, "cityblock")
    return distances.min(axis=1).mean() + distances.min(axis=0).mean()


@pytest.mark.slow
@settings(max_examples=30)
@given(st.integers(0, 10_000), st.integers(1, 200), st.integers(1, 200), st.floats(1e-3, 0.5))
def test_it_is_exact(seed, moved, there, spacing):
    rng = np.random.default_rng(seed)
    target = rng.uniform(-1, 1, (there, 3))
    loss = ChamferLoss(torch.tensor(target), spacing)
    points = rng.uniform(-1.5, 1.5, (moved, 3))
    for _ in range(3):  # the second time it begins with what was nearest
        value = float(loss(torch.tensor(points)))
        assert value == pytest.approx(by_all_distances(points, target), abs=1e-6)
        points = points + rng.normal(0, 0.05, points.shape)


def test_its_gradient_is_that_of_finite_differences():
    rng = np.random.default_rng(0)
    target, points = rng.uniform(-1, 1, (60, 3)), rng.uniform(-1, 1, (40, 3))
    moved = torch.tensor(points, requires_grad=True)
    ChamferLoss(torch.tensor(target), 0.2)(moved).backward()
    step = 1e-7
    for row, column in ((0, 0), (13, 1), (39, 2)):
        ahead, behind = points.copy(), points.copy()
        ahead[row, column] += step
        behind[row, column] -= step
        slope = (by_all_distances(ahead, target) - by_all_distances(behind, target)) / (2 * step)
        assert float(moved.grad[row, column]) == pytest.approx(slope, abs=1e-6)


def test_the_way_of_other_devices_finds_the_same():
    rng = np.random.default_rng(0)
    queries, points = (torch.tensor(rng.normal(size=(3000, 3))) for _ in range(2))
    distances = cdist(queries, points, "cityblock")
    found = nearest_of_all(queries, points).numpy()
    np.testing.assert_allclose(distances[np.arange(3000), found], distances.min(axis=1))
