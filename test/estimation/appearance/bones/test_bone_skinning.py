"""Bones, and how splats move with them."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

torch = pytest.importorskip("torch")


def bones(count=3, motors=2):
    from autourdf_ros.estimation.appearance.bones.bone_skinning import first_bones

    rng = np.random.default_rng(0)
    places = np.repeat(np.arange(count), 40)[:, None] * [0.5, 0, 0]
    means = torch.tensor(places + rng.normal(0, 0.03, (40 * count, 3)), dtype=torch.float32)
    torch.manual_seed(0)
    return means, first_bones(means, count, motors, 0.3, 0)


def test_bones_begin_at_the_clusters_and_at_rest():
    means, found = bones()
    assert_allclose(np.sort(found.centers[:, 0].detach()), [0, 0.5, 1.0], atol=0.03)
    turns, shifts = found.kinematics(torch.zeros(1, 2))
    assert_allclose(turns[0].detach(), np.tile(np.eye(3), (3, 1, 1)), atol=0.1)
    assert np.abs(shifts.detach().numpy()).max() < 0.1
    weights = found.at_rest(means, torch.zeros(2))
    assert_allclose(weights.sum(1).detach(), 1, rtol=1e-5)
    nearest = (means[:, None] - found.centers).norm(dim=-1).argmin(1)
    assert (weights.argmax(1) == nearest).all()


def test_the_inverse_motion_undoes_that_of_a_single_bone():
    from autourdf_ros.estimation.appearance.bones.bone_skinning import (
        backward_moved,
        forward_moved,
    )
    from autourdf_ros.estimation.appearance.bones.turns import turn_matrices

    means, found = bones(1)
    turns = turn_matrices(torch.tensor([[[0.9, 0.1, -0.4, 0.2]], [[0.2, 0.1, 0.4, 0.2]]]))
    shifts = torch.tensor([[[0.1, 0.2, -0.3]], [[0.0, -0.5, 0.3]]])
    weights = found.at_rest(means, torch.zeros(2))
    moved, blended = forward_moved(means, weights, found, turns, shifts)
    center = found.centers[0].detach().numpy()
    expected = (means.numpy() - center) @ turns[1, 0].numpy().T + center + shifts[1, 0].numpy()
    assert_allclose(moved[1].detach(), expected, atol=1e-6)
    assert_allclose(blended[1, 0].detach(), turns[1, 0], atol=1e-6)
    back = backward_moved(moved, torch.zeros(2, 2), found, turns, shifts)
    assert_allclose(back.detach(), means.expand(2, -1, -1), atol=1e-5)
