import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sampled_shapes import random_pose

from autourdf_ros.estimation.common.rigid_bodies import parallel_sum, to_reference
from autourdf_ros.geometry.rigid_motion import adjoint


@given(st.integers(0, 10**6))
def test_parallel_sum_is_the_inverse_of_the_summed_inverses(seed):
    roots = np.random.default_rng(seed).normal(size=(2, 6, 6))
    a, b = roots @ np.swapaxes(roots, 1, 2) + 0.5 * np.eye(6)
    expected = np.linalg.inv(np.linalg.inv(a) + np.linalg.inv(b))
    np.testing.assert_allclose(parallel_sum(a, b), expected, rtol=1e-2, atol=1e-3)


def test_parallel_sum_sees_what_both_see():
    a, b = np.diag([1.0, 1, 0, 0, 0, 0]), np.diag([0, 1.0, 1, 0, 0, 0])
    np.testing.assert_allclose(parallel_sum(a, b), np.diag([0, 0.5, 0, 0, 0, 0]), atol=1e-5)


@given(st.integers(0, 10**6))
def test_information_changes_its_frame_with_the_twists(seed):
    pose, rng = random_pose(seed), np.random.default_rng(seed)
    root = rng.normal(size=(6, 6))
    information, twist = root @ root.T, rng.normal(size=6)
    moved = adjoint(pose) @ twist
    assert twist @ to_reference(pose, information) @ twist == pytest.approx(
        moved @ information @ moved, rel=1e-6, abs=1e-6
    )
