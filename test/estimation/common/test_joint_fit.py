import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sampled_shapes import angle_between, random_pose, random_twists

from autourdf_ros.estimation.common.joint_fit import (
    across_basis,
    fit_prismatic,
    fit_revolute,
    line_point,
    normalise,
    relative_motion,
)
from autourdf_ros.estimation.common.rigid_bodies import Bodies
from autourdf_ros.geometry.rigid_motion import exp_se3, inverse, revolute_twist, transform

VALUES = np.array([0.1, 0.25, 0.4, -0.2, -0.35])


def measured(twist, seed, noise=1e-3):
    """Motions (F, 1, 4, 4) of a joint with errors, and metrics that say how large they are."""
    rng = np.random.default_rng(seed)
    motion = exp_se3(random_twists(rng, len(VALUES), size=noise)) @ exp_se3(VALUES[:, None] * twist)
    return motion[:, None], np.tile(np.eye(6), (len(VALUES), 1, 1, 1))


@settings(max_examples=20)
@given(st.integers(0, 10**6))
def test_recovers_a_revolute_joint(seed):
    rng = np.random.default_rng(seed)
    axis = rng.normal(size=3)
    axis /= np.linalg.norm(axis)
    point = rng.uniform(-0.5, 0.5, 3)
    motion, metric = measured(revolute_twist(axis, point), seed)
    fit = fit_revolute(motion, metric)
    assert angle_between(fit.twists[0, :3], axis) < 0.02
    offset = line_point(fit.twists[0]) - point
    assert np.linalg.norm(offset - (offset @ axis) * axis) < 0.02
    sense = np.sign(fit.twists[0, :3] @ axis)
    np.testing.assert_allclose(sense * fit.values[:, 0], VALUES, atol=0.01)
    assert fit.costs[0] < 1e-4 < fit_prismatic(motion, metric).costs[0]


@settings(max_examples=20)
@given(st.integers(0, 10**6))
def test_recovers_a_prismatic_joint(seed):
    axis = np.random.default_rng(seed).normal(size=3)
    axis /= np.linalg.norm(axis)
    motion, metric = measured(np.concatenate([np.zeros(3), axis]), seed)
    fit = fit_prismatic(motion, metric)
    assert not fit.twists[0, :3].any()
    assert angle_between(fit.twists[0, 3:], axis) < 0.02
    np.testing.assert_allclose(
        np.sign(fit.twists[0, 3:] @ axis) * fit.values[:, 0], VALUES, atol=0.01
    )
    assert fit.costs[0] < 1e-4


def test_without_noise_the_joint_is_exact_and_pairs_do_not_mix():
    first = revolute_twist(np.array([0.0, 0, 1]), np.array([0.3, 0.1, 0]))
    second = revolute_twist(np.array([0.6, 0.8, 0]), np.array([0, 0, -0.4]))
    motion = np.stack([exp_se3(VALUES[:, None] * twist) for twist in (first, second)], axis=1)
    fit = fit_revolute(motion, np.tile(np.eye(6), (5, 2, 1, 1)))
    for twist, found, values in zip((first, second), fit.twists, fit.values.T, strict=True):
        sense = np.sign(found[:3] @ twist[:3])
        np.testing.assert_allclose(sense * found, twist, atol=1e-6)
        np.testing.assert_allclose(sense * values, VALUES, atol=1e-6)


def test_an_invisible_error_costs_nothing():
    twist = revolute_twist(np.array([0.0, 0, 1]), np.array([0.3, 0.1, 0]))
    motion = exp_se3(VALUES[:, None] * twist)
    slides = np.zeros((5, 6))
    slides[:, 5] = [0.1, -0.2, 0.3, 0.1, -0.3]  # along the axis
    blind = np.diag([1.0, 1, 1, 1, 1, 0])
    fit = fit_revolute((exp_se3(slides) @ motion)[:, None], np.tile(blind, (5, 1, 1, 1)))
    assert fit.costs[0] < 1e-8
    np.testing.assert_allclose(np.abs(fit.values[:, 0]), np.abs(VALUES), atol=1e-4)


@given(st.integers(0, 10**6))
def test_basis_across_is_orthonormal(seed):
    axis = np.random.default_rng(seed).normal(size=3)
    axis /= np.linalg.norm(axis)
    frame = np.concatenate([axis[None], across_basis(axis)])
    np.testing.assert_allclose(frame @ frame.T, np.eye(3), atol=1e-12)


def test_normalise_takes_pitch_and_length_away():
    axis, point = np.array([0.0, 0.6, 0.8]), np.array([0.2, 0.5, -0.1])
    screw = 3 * revolute_twist(axis, point)
    screw[3:] += 0.7 * axis
    np.testing.assert_allclose(normalise(screw), revolute_twist(axis, point), atol=1e-12)
    np.testing.assert_allclose(normalise(np.array([0, 0, 0, 0, 3.0, 4])), [0, 0, 0, 0, 0.6, 0.8])


@pytest.mark.parametrize("seed", range(3))
def test_relative_motion_is_that_of_the_child_seen_from_the_parent(seed):
    base, motion = random_pose(seed), random_pose(seed + 10)
    poses = np.stack([base, base @ motion])[None]
    bodies = Bodies(poses, np.tile(np.eye(6), (1, 2, 1, 1)), np.ones((1, 2)))
    relative, metric = relative_motion(bodies, np.array([0]), np.array([1]))
    np.testing.assert_allclose(relative[0, 0], motion, atol=1e-12)
    np.testing.assert_allclose(metric[0, 0], metric[0, 0].T)
    assert (np.linalg.eigvalsh(metric[0, 0]) > 0).all()
    point = np.array([0.1, 0.2, 0.3])
    np.testing.assert_allclose(
        transform(inverse(base), transform(poses[0, 1], point)), transform(motion, point)
    )
