"""DW-CAVL: values by hand, gradients against finite differences, the ablation."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import expit

from autourdf_ros.estimation.parts.assembly_options import MctsOptions
from autourdf_ros.estimation.parts.mcts.virtual_linkage import (
    by_direction,
    virtual_linkage,
)


class Ball:
    """Signed distance of a ball of radius 1."""

    def values(self, points):
        return np.linalg.norm(points, axis=1) - 1

    def with_gradients(self, points, unsigned=0.0):
        lengths = np.linalg.norm(points, axis=1)
        return lengths - 1, points / lengths[:, None]


class Floor:
    """Signed distance of the half-space z < 0."""

    def values(self, points):
        return points[:, 2].copy()

    def with_gradients(self, points, unsigned=0.0):
        return points[:, 2].copy(), np.tile([0.0, 0.0, 1.0], (len(points), 1))


def around_ball(seed, count=60):
    rng = np.random.default_rng(seed)
    directions = rng.normal(size=(count, 3)) + np.array([0, 0, 2])
    directions /= np.linalg.norm(directions, axis=1)[:, None]
    return directions * rng.uniform(0.9, 1.3, (count, 1))


def linkage(field, points, centre=(0.0, 0.0, 1.0), **options):
    return virtual_linkage(field, points, np.array(centre), (2.0, 0.5, 0.0), MctsOptions(**options))


def test_a_slide_off_the_floor_costs_what_the_equations_say():
    points = np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.03]])
    made = linkage(Floor(), points, angles=(0.2, -0.2), pivot_weight=0.0)
    band, margin = 0.02 * 2, 0.005 * 2
    start = points[:, 2]
    inverse = expit(4 * (start / margin - 1))
    weights = (1 - inverse) * np.exp(-(start**2) / (2 * band**2))
    up, down = start + 0.2 * 0.5, start - 0.2 * 0.5
    leaving = weights @ np.maximum(0, up - margin) ** 2 / weights.sum()
    entering = inverse @ np.maximum(0, -down - margin) ** 2 / inverse.sum()
    cost = made.cost("prismatic", np.zeros(3), np.array([0.0, 0.0, 1.0]))
    assert cost.consistency == pytest.approx(leaving / 2 / band**2)
    assert cost.collision == pytest.approx(entering / 2 / band**2)
    assert cost.total == pytest.approx((leaving + entering) / 2 / band**2)
    assert cost.score == pytest.approx(1 / (1 + cost.total))


def test_a_slide_along_the_floor_and_a_turn_about_its_normal_are_free():
    points = np.random.default_rng(0).uniform(-1, 1, (50, 3)) * [1, 1, 0]
    made = linkage(Floor(), points, centre=(0.0, 0.0, 0.0))
    assert made.cost("prismatic", np.zeros(3), np.array([1.0, 0, 0])).total == 0
    assert made.cost("revolute", np.zeros(3), np.array([0, 0, 1.0])).total == 0
    assert made.cost("revolute", np.zeros(3), np.array([1.0, 0, 0])).total > 0


def test_the_pivot_is_held_at_the_contact():
    points = np.random.default_rng(0).uniform(-1, 1, (50, 3)) * [1, 1, 0]
    made = linkage(Floor(), points, centre=(0.0, 0.0, 0.0), pivot_weight=0.3)
    cost = made.cost("revolute", np.array([0.4, 0, 0]), np.array([0, 0, 1.0]))
    assert cost.total == pytest.approx(0.3 * (0.4 / (0.02 * 2)) ** 2)
    assert cost.pivot == pytest.approx(cost.total)


def test_without_the_anchor_the_collision_alone_counts():
    points = around_ball(1)
    made = linkage(Ball(), points, anchor=False)
    away = np.array([0.0, 0.0, 1.0])
    cost = made.cost("revolute", np.array([5.0, 0, 0]), away)
    assert cost.total == pytest.approx(cost.collision)
    anchored = linkage(Ball(), points).cost("revolute", np.array([5.0, 0, 0]), away)
    assert anchored.total > cost.total
    assert cost.pivot == 0


def test_points_that_cannot_count_change_nothing():
    points = around_ball(2)
    far = np.vstack([points, 50 + np.random.default_rng(0).random((30, 3))])
    one, two = linkage(Ball(), points), linkage(Ball(), far)
    pivot, axis = np.array([0.3, 0, 0.9]), np.array([0, 0.6, 0.8])
    first, second = (made.cost("revolute", pivot, axis) for made in (one, two))
    assert first.consistency == pytest.approx(second.consistency)
    shared = one.outside.max() / two.outside[: len(points)].max()
    assert first.collision == pytest.approx(second.collision * shared)


@settings(max_examples=40, deadline=None)
@given(
    st.sampled_from(["revolute", "prismatic"]),
    st.integers(0, 1000),
    st.booleans(),
)
def test_the_gradient_agrees_with_finite_differences(motion, seed, anchor):
    made = linkage(Ball(), around_ball(seed), anchor=anchor)
    rng = np.random.default_rng(seed)
    x = np.concatenate([rng.normal(size=3), rng.normal(size=3)])

    def total(x):
        return made.cost(motion, x[3:], x[:3] / np.linalg.norm(x[:3])).total

    cost = made.cost(motion, x[3:], x[:3] / np.linalg.norm(x[:3]))
    gradient = np.concatenate([by_direction(x[:3], cost.by_axis), cost.by_pivot])
    step = 1e-6
    numeric = [(total(x + step * e) - total(x - step * e)) / (2 * step) for e in np.eye(6)]
    np.testing.assert_allclose(gradient, numeric, rtol=2e-4, atol=1e-4 * (1 + cost.total))


@given(st.integers(0, 1000))
def test_the_jacobian_of_a_direction_is_blind_to_its_length(seed):
    rng = np.random.default_rng(seed)
    vector, slope = rng.normal(size=3), rng.normal(size=3)
    assert by_direction(vector, slope) @ vector == pytest.approx(0, abs=1e-9)
    np.testing.assert_allclose(by_direction(2 * vector, slope), by_direction(vector, slope) / 2)
