import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from sampled_shapes import random_twists

from autourdf_ros.estimation.common.joint_fit import line_point
from autourdf_ros.estimation.motion.fitting.articulation import (
    Articulation,
    body_poses,
    jacobians,
    move_lines,
)
from autourdf_ros.geometry.rigid_motion import exp_se3, inverse, log_se3, revolute_twist

PARENTS = np.array([0, 1, 1, 3])  # 0 - 1 - 2, and 1 - 3 - 4


def random_model(seed):
    """Four joints on a branching tree, the second and the fourth prismatic."""
    rng = np.random.default_rng(seed)
    axes = rng.normal(size=(4, 3))
    axes /= np.linalg.norm(axes, axis=1, keepdims=True)
    revolute = np.array([True, False, True, False])
    turning = revolute_twist(axes, rng.uniform(-1, 1, (4, 3)))
    sliding = np.concatenate([np.zeros((4, 3)), axes], axis=1)
    twists = np.where(revolute[:, None], turning, sliding)
    anchors = np.where(revolute[:, None], line_point(twists), rng.uniform(-1, 1, (4, 3)))
    return Articulation(PARENTS, twists, revolute, anchors), rng


def left_change(after, before):
    """Left twists (..., 6) between poses."""
    return log_se3(after @ inverse(before))


@settings(max_examples=15)
@given(st.integers(0, 10**6))
def test_jacobians_are_the_finite_differences(seed):
    model, rng = random_model(seed)
    values = rng.uniform(-1, 1, (2, 4))
    base = exp_se3(random_twists(rng, 2, size=0.5))
    own, lines = jacobians(model, values, base)
    step = 1e-6
    for j in range(4):
        ahead, behind = values.copy(), values.copy()
        ahead[:, j] += step
        behind[:, j] -= step
        found = left_change(body_poses(model, ahead, base), body_poses(model, behind, base))
        np.testing.assert_allclose(own[..., j], found / (2 * step), atol=1e-6)
    for k in range(6):
        twist = step * np.eye(6)[k]
        found = left_change(
            body_poses(model, values, exp_se3(twist) @ base),
            body_poses(model, values, exp_se3(-twist) @ base),
        )
        np.testing.assert_allclose(own[..., 4 + k], found / (2 * step), atol=1e-6)
    for k in range(16):
        steps = step * np.eye(16)[k].reshape(4, 4)
        found = left_change(
            body_poses(move_lines(model, steps), values, base),
            body_poses(move_lines(model, -steps), values, base),
        )
        np.testing.assert_allclose(lines[..., k], found / (2 * step), atol=1e-6)


def test_shifting_a_prismatic_joint_changes_nothing():
    model, rng = random_model(1)
    _, lines = jacobians(model, rng.uniform(-1, 1, (2, 4)), np.tile(np.eye(4), (2, 1, 1)))
    assert not lines[..., 4 + 2 : 4 + 4].any()
    assert lines[..., 4 : 4 + 2].any()


def test_bodies_come_in_the_joints_order_and_only_descendants_move():
    model, _ = random_model(2)
    expected = [[0, 0, 0, 0], [1, 0, 0, 0], [1, 1, 0, 0], [1, 0, 1, 0], [1, 0, 1, 1]]
    np.testing.assert_array_equal(model.ancestors, np.array(expected, dtype=bool))
    for j in range(4):
        poses = body_poses(model, 0.3 * np.eye(4)[j], np.eye(4))
        moved = np.abs(poses - np.eye(4)).max(axis=(1, 2)) > 1e-9
        np.testing.assert_array_equal(moved, model.ancestors[:, j])


def test_reference_configuration_leaves_every_body_where_the_base_is():
    model, _ = random_model(3)
    base = exp_se3(np.array([0.1, 0.2, 0.3, 1, 2, 3.0]))
    np.testing.assert_allclose(
        body_poses(model, np.zeros(4), base), np.tile(base, (5, 1, 1)), atol=1e-12
    )


def test_a_child_is_moved_by_its_parent():
    model, _ = random_model(4)
    first, third = (exp_se3(0.4 * model.twists[j]) for j in (0, 2))
    poses = body_poses(model, np.array([0.4, 0, 0.4, 0]), np.eye(4))
    np.testing.assert_allclose(poses[3], first @ third, atol=1e-12)
