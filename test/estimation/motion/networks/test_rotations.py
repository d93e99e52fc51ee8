import numpy as np
import pytest
from scipy.spatial.transform import Rotation

torch = pytest.importorskip("torch", exc_type=ImportError)

from autourdf_ros.estimation.motion.networks.pose_network import PoseNetwork, encoded  # noqa: E402
from autourdf_ros.estimation.motion.networks.rotations import (  # noqa: E402
    IDENTITY,
    normalised,
    rotation_matrices,
)

RANDOM = np.random.default_rng(0)


def test_quaternions_have_their_real_part_first_and_any_length():
    rotations = Rotation.random(20, rng=RANDOM)
    quaternions = 3 * rotations.as_quat(scalar_first=True)
    matrices = rotation_matrices(torch.tensor(quaternions)).numpy()
    np.testing.assert_allclose(matrices, rotations.as_matrix(), atol=1e-12)


def test_pairs_of_columns_give_the_matrix_that_they_are_of():
    matrices = Rotation.random(20, rng=RANDOM).as_matrix()
    columns = np.concatenate([matrices[:, :, 0], matrices[:, :, 1]], axis=1)
    np.testing.assert_allclose(rotation_matrices(torch.tensor(columns)), matrices, atol=1e-12)
    # Neither orthogonal nor of unit length: the first is kept, the second made orthogonal.
    bent = columns.copy()
    bent[:, 3:] = 2 * (bent[:, 3:] + 0.3 * bent[:, :3])
    np.testing.assert_allclose(rotation_matrices(torch.tensor(bent)), matrices, atol=1e-12)
    np.testing.assert_allclose(normalised(torch.tensor(bent)), columns, atol=1e-12)


@pytest.mark.parametrize("representation", ["quaternion", "6d"])
def test_a_network_keeps_rotations_rotations(representation):
    torch.manual_seed(0)
    identity = torch.tensor(IDENTITY[representation])
    network = PoseNetwork(len(identity))
    positions, rotations = network(torch.randn(9, 3), identity.expand(9, -1))
    assert positions.shape == (9, 3) and rotations.shape == (9, len(identity))
    np.testing.assert_allclose(normalised(rotations).detach(), rotations.detach(), atol=1e-6)
    turned = rotation_matrices(rotations)
    np.testing.assert_allclose(torch.linalg.det(turned).detach(), np.ones(9), atol=1e-5)


def test_a_network_is_of_the_size_that_is_published():
    sizes = [tuple(layer.shape) for name, layer in PoseNetwork(4).named_parameters() if "w" in name]
    assert sizes == [(512, 56), (256, 512), (3, 256), (512, 512), (4, 512)]


def test_inputs_are_encoded_at_four_frequencies():
    code = encoded(torch.tensor([[0.1, -0.2]])).numpy()[0]
    phases = np.outer([1, 2, 4, 8], [0.1, -0.2]).ravel()
    np.testing.assert_allclose(code, np.concatenate([np.sin(phases), np.cos(phases)]), atol=1e-6)
