"""The losses of the baseline by bones."""

import numpy as np
import pytest

from autourdf_ros.assessment.metrics.mechanisms.image_error import ssim

torch = pytest.importorskip("torch")


def test_structural_similarity_is_that_of_the_metric():
    from autourdf_ros.estimation.appearance.bones.bone_losses import structural_similarity

    rng = np.random.default_rng(0)
    one = np.kron(rng.uniform(size=(12, 10, 3)), np.ones((5, 5, 1)))
    two = (one + rng.normal(0, 0.1, one.shape)).clip(0, 1)
    tensors = (torch.tensor(image, dtype=torch.float32)[None] for image in (one, two))
    # the metric mirrors images at their borders, where zeros stand here
    assert structural_similarity(*tensors).item() == pytest.approx(ssim(one, two), abs=0.02)


def test_a_rigid_motion_costs_nothing():
    from autourdf_ros.estimation.appearance.bones.bone_losses import motion_losses
    from autourdf_ros.estimation.appearance.bones.bone_options import BoneWeights
    from autourdf_ros.estimation.appearance.bones.turns import turn_matrices

    rest = torch.rand(20, 3, generator=torch.Generator().manual_seed(0))
    near = torch.arange(20)[:, None].roll(1, 0)
    turn = turn_matrices(torch.tensor([[0.9, 0.1, -0.4, 0.2]])).expand(1, 20, 3, 3)
    moved = (turn * rest[:, None]).sum(-1) + torch.tensor([0.1, 0.2, 0.3])
    free = motion_losses(rest, moved, turn, near, 1.0, BoneWeights())
    assert free.item() < 1e-5
    bent = moved * torch.tensor([1.0, 1.0, 1.1])
    assert motion_losses(rest, bent, turn, near, 1.0, BoneWeights()).item() > 1e-3


def test_bones_at_one_place_or_of_different_volume_cost():
    from autourdf_ros.estimation.appearance.bones.bone_losses import bone_losses
    from autourdf_ros.estimation.appearance.bones.bone_options import BoneWeights
    from autourdf_ros.estimation.appearance.bones.bone_skinning import Bones

    apart = Bones(torch.eye(3), 1, 0.2)
    alone = BoneWeights(bone_center=1.0, bone_volume=1.0)
    assert bone_losses(apart, 0.1, alone).item() == pytest.approx(0, abs=1e-6)
    assert bone_losses(Bones(torch.zeros(3, 3), 1, 0.2), 0.1, alone).item() == pytest.approx(1)
    apart.sizes.data[0] = 3.0
    assert bone_losses(apart, 0.1, alone).item() > 1e-3
