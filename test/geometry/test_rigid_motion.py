import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from autourdf_ros.geometry.rigid_motion import (
    adjoint,
    exp_se3,
    from_translation,
    inverse,
    left_jacobian,
    log_se3,
    log_so3,
    revolute_twist,
    skew,
    transform,
)

small = arrays(float, (4, 6), elements=st.floats(-1.7, 1.7))  # rotations below pi
tiny = arrays(float, (3, 6), elements=st.floats(-1e-7, 1e-7))
vectors = arrays(float, (5, 3), elements=st.floats(-10, 10))


@pytest.mark.slow
@given(small)
def test_log_undoes_exp(twists):
    np.testing.assert_allclose(log_se3(exp_se3(twists)), twists, atol=1e-6)
    np.testing.assert_allclose(log_so3(exp_se3(twists)[:, :3, :3]), twists[:, :3], atol=1e-8)


@given(tiny)
def test_tiny_twists_survive(twists):
    np.testing.assert_allclose(log_se3(exp_se3(twists)), twists, atol=1e-12)


@given(small)
def test_inverse_gives_identity(twists):
    poses = exp_se3(twists)
    np.testing.assert_allclose(
        poses @ inverse(poses), np.broadcast_to(np.eye(4), (4, 4, 4)), atol=1e-9
    )
    np.testing.assert_allclose(inverse(poses), exp_se3(-twists), atol=1e-9)


@given(small, small)
def test_adjoint_changes_the_frame_of_twists(first, second):
    poses = exp_se3(first)
    moved = np.einsum("nij,nj->ni", adjoint(poses), second)
    np.testing.assert_allclose(exp_se3(moved), poses @ exp_se3(second) @ inverse(poses), atol=1e-7)


@given(small, small)
def test_adjoint_of_a_composition_is_the_product(first, second):
    a, b = exp_se3(first), exp_se3(second)
    np.testing.assert_allclose(adjoint(a @ b), adjoint(a) @ adjoint(b), atol=1e-8)


@given(small, small)
def test_left_jacobian_is_the_rate_of_exp(twists, directions):
    step = 1e-5
    ahead, behind = exp_se3(twists + step * directions), exp_se3(twists - step * directions)
    rate = log_se3(ahead @ inverse(behind)) / (2 * step)
    moved = np.einsum("nij,nj->ni", left_jacobian(twists), directions)
    np.testing.assert_allclose(moved, rate, atol=1e-5)


@given(small)
def test_left_jacobian_keeps_the_twist_itself(twists):
    moved = np.einsum("nij,nj->ni", left_jacobian(twists), twists)
    np.testing.assert_allclose(moved, twists, atol=1e-9)


@given(small, st.floats(0, 2 * np.pi))
def test_left_jacobian_is_exact_up_to_a_full_turn(twists, angle):
    turns = np.linalg.norm(twists[:, :3], axis=1, keepdims=True)
    twists = np.where(turns > 0.1, twists * angle / np.maximum(turns, 0.1), twists)
    bracket = np.zeros((4, 6, 6))
    bracket[:, :3, :3] = bracket[:, 3:, 3:] = skew(twists[:, :3])
    bracket[:, 3:, :3] = skew(twists[:, 3:])
    term = series = np.broadcast_to(np.eye(6), (4, 6, 6))
    for order in range(2, 60):
        term = term @ bracket / order
        series = series + term
    scale = 1 + np.abs(twists).max()
    np.testing.assert_allclose(left_jacobian(twists), series, atol=1e-9 * scale)


def test_left_jacobian_of_no_motion_is_the_identity():
    np.testing.assert_allclose(left_jacobian(np.zeros((2, 3, 6)))[1, 2], np.eye(6), atol=1e-12)


@given(small, vectors)
def test_transform_is_the_homogeneous_product(twists, points):
    pose = exp_se3(twists)[0]
    homogeneous = np.column_stack([points, np.ones(5)]) @ pose.T
    np.testing.assert_allclose(transform(pose, points), homogeneous[:, :3], atol=1e-9)


@given(vectors, vectors)
def test_skew_is_the_cross_product(a, b):
    np.testing.assert_allclose((skew(a) @ b[..., None])[..., 0], np.cross(a, b), atol=1e-9)


def test_points_on_a_revolute_axis_stay():
    axis, point = np.array([0.0, 0.6, 0.8]), np.array([0.3, -0.2, 0.5])
    pose = exp_se3(1.2 * revolute_twist(axis, point))
    for along in (-1.0, 0.0, 2.0):
        on_axis = point + along * axis
        np.testing.assert_allclose(transform(pose, on_axis), on_axis, atol=1e-12)
    assert np.isclose(np.linalg.norm(log_so3(pose[:3, :3])), 1.2)


def test_first_order_motion_of_a_point_is_the_twist_field():
    twist, point = np.array([0.3, -0.2, 0.5, 0.1, 0.4, -0.6]), np.array([0.7, 0.1, -0.4])
    step = 1e-7
    moved = (transform(exp_se3(step * twist), point) - point) / step
    np.testing.assert_allclose(moved, np.cross(twist[:3], point) + twist[3:], atol=1e-6)


def test_from_translation_moves_every_point():
    shifts = np.arange(12.0).reshape(2, 2, 3)
    np.testing.assert_allclose(transform(from_translation(shifts), np.ones(3)), shifts + 1)
