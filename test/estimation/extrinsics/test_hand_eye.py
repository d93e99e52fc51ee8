"""Where one camera stands in another's frame, from bodies' motions alone."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from moving_scene import camera_poses, seen_motions

from autourdf_ros.errors import InputError
from autourdf_ros.estimation.extrinsics.hand_eye import hand_eye
from autourdf_ros.geometry.rigid_motion import exp_se3, from_translation, inverse, log_se3

FIRST, SECOND = camera_poses(2)


def error_about(found, true):
    """(6,) twist about the centre by which the pose is off."""
    shift = from_translation(-found.centre)
    return log_se3(shift @ found.pose @ inverse(true) @ inverse(shift))


@settings(max_examples=15, deadline=None)
@given(
    twist=st.lists(st.floats(-2, 2), min_size=6, max_size=6), order=st.permutations([0, 1, 2, 3])
)
def test_exact_motions_give_any_pose(twist, order):
    """Wherever the second camera is, and in whatever order it names the bodies."""
    second = FIRST @ exp_se3(np.array(twist))
    found = hand_eye(seen_motions(FIRST), seen_motions(second, bodies=order))
    np.testing.assert_allclose(found.pose, inverse(FIRST) @ second, atol=1e-6)
    matched = {tuple(pair) for pair in found.bodies.tolist()}
    assert matched == {(body, order.index(body)) for body in (1, 2, 3)}


@pytest.mark.parametrize("seed", range(6))
def test_errors_are_within_three_sigma(seed):
    one = seen_motions(FIRST, 2 * seed, noise=np.radians(0.5))
    other = seen_motions(SECOND, 2 * seed + 1, noise=np.radians(0.5))
    found = hand_eye(one, other)
    error = error_about(found, inverse(FIRST) @ SECOND)
    assert (np.abs(error) < 3 * np.sqrt(np.diag(np.linalg.inv(found.information)))).all()
    assert np.abs(error).max() < 0.03


def test_the_world_does_not_matter():
    """Moving both cameras and the scene by one rigid motion changes nothing that they see."""
    world = exp_se3(np.array([0.4, -1.0, 0.3, 2.0, -1.0, 0.5]))
    motions = seen_motions(SECOND, noise=0.01)
    found = hand_eye(seen_motions(FIRST, 1, noise=0.01), motions)
    moved = inverse(world @ FIRST) @ (world @ SECOND)
    assert np.abs(error_about(found, moved)).max() < 0.05


def test_a_body_that_only_one_camera_sees_does_no_harm():
    one = seen_motions(FIRST, bodies=(0, 1, 2))
    other = seen_motions(SECOND, bodies=(3, 2, 1))
    found = hand_eye(one, other)
    assert {tuple(pair) for pair in found.bodies.tolist()} == {(1, 2), (2, 1)}
    np.testing.assert_allclose(found.pose, inverse(FIRST) @ SECOND, atol=1e-6)


def test_a_wrong_body_among_right_ones_is_left_out():
    other = seen_motions(SECOND)
    poses = other.poses.copy()
    poses[:, 1] = (
        inverse(SECOND) @ exp_se3(np.random.default_rng(3).normal(0, 0.3, (len(poses), 6))) @ SECOND
    )
    found = hand_eye(seen_motions(FIRST), type(other)(poses, other.centres, other.used))
    assert {tuple(pair) for pair in found.bodies.tolist()} == {(2, 2), (3, 3)}
    np.testing.assert_allclose(found.pose, inverse(FIRST) @ SECOND, atol=1e-6)


def test_parallel_axes_leave_the_slide_along_them_open():
    parallel = np.tile([0.0, 0, 1], (3, 1))
    found = hand_eye(seen_motions(FIRST, axes=parallel), seen_motions(SECOND, axes=parallel))
    values, vectors = np.linalg.eigh(found.information)
    assert values[0] < 1e-6 * values[1]
    along = vectors[3:, 0] / np.linalg.norm(vectors[3:, 0])
    assert abs(along @ (inverse(FIRST)[:3, :3] @ parallel[0])) > 0.999
    # All else is known: the lines of the axes are apart.
    error = error_about(found, inverse(FIRST) @ SECOND)
    assert np.abs(error[:3]).max() < 1e-3


def test_bodies_that_turn_otherwise_give_an_error():
    one, other = seen_motions(FIRST), seen_motions(SECOND)
    mixed = type(other)(other.poses[[0, *range(11, 0, -1)]], other.centres, other.used)
    with pytest.raises(InputError, match="no body of the one turns as one of the other does"):
        hand_eye(one, mixed)
    few = type(other)(other.poses, other.centres, np.arange(12) < 4)
    with pytest.raises(InputError, match="in 3 frames only; accepted are 4"):
        hand_eye(one, few)
