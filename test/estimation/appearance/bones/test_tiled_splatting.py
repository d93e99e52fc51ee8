"""Images in PyTorch against those of our own rasterizer."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.spatial.transform import Rotation

from autourdf_ros.data.images.posed_camera import PinholeCamera
from autourdf_ros.estimation.appearance.rasterizer.rasterize import (
    BLUR,
    Gaussians,
    gradients,
    rasterize,
)

torch = pytest.importorskip("torch")
SIX = [0, 1, 2, 1, 3, 4, 2, 4, 5]


def scene(count):
    rng = np.random.default_rng(count)
    means = np.column_stack([rng.uniform(-0.4, 0.4, (count, 2)), rng.uniform(0.7, 1.3, count)])
    factors = Rotation.random(count, random_state=rng).as_matrix()
    factors *= rng.uniform(0.02, 0.12, (count, 1, 3))
    full = (factors @ factors.transpose(0, 2, 1)).reshape(count, 9)
    values = (means, full[:, [0, 1, 2, 4, 5, 8]], rng.uniform(0.2, 0.9, count))
    return Gaussians(*(v.astype(np.float32) for v in (*values, rng.uniform(0, 1, (count, 3)))))


@pytest.mark.parametrize("count", [1, 60])
def test_images_and_gradients_are_those_of_the_rasterizer(count):
    from autourdf_ros.estimation.appearance.bones.bone_images import camera_batch
    from autourdf_ros.estimation.appearance.bones.tiled_splatting import blend, project

    gaussians = scene(count)
    cameras = [
        PinholeCamera(50, 37, (40.0, 42.0), (24.6, 17.7), np.diag([1.0, 1, 1, 1])),
        PinholeCamera(50, 37, (60.0, 42.0), (20.6, 17.7), np.diag([-1.0, -1, 1, 1])),
    ]
    means, packed, opacities, colors = (
        torch.tensor(v)
        for v in (gaussians.means, gaussians.covariances, gaussians.opacities, gaussians.colors)
    )
    full = packed[:, SIX].reshape(-1, 3, 3)
    for leaf in (means, full, opacities, colors):
        leaf.requires_grad_()
    batch = camera_batch(cameras, torch.device("cpu"))
    flat = project(means.expand(2, -1, -1), full.expand(2, -1, -1, -1), opacities, batch, BLUR)
    pixels = blend(flat, colors.expand(2, -1, -1), 50, 37)
    by = np.random.default_rng(0).normal(size=pixels.shape).astype(np.float32)
    (pixels * torch.tensor(by)).sum().backward()
    expected = []
    for number, camera in enumerate(cameras):
        own = rasterize(gaussians, camera)
        assert_allclose(pixels[number].detach().numpy(), own.pixels, atol=1e-5)
        expected.append(gradients(gaussians, camera, own, by[number]))
    for leaf, name in ((means, "means"), (opacities, "opacities"), (colors, "colors")):
        total = sum(getattr(one, name) for one in expected)
        assert_allclose(leaf.grad.numpy(), total, atol=1e-4 * np.abs(total).max())
    total = sum(one.covariances for one in expected)
    folded = (full.grad + full.grad.transpose(1, 2)).numpy().reshape(-1, 9)
    folded = folded[:, [0, 1, 2, 4, 5, 8]] / np.array([2, 1, 1, 2, 1, 2])
    assert_allclose(folded, total, atol=1e-4 * np.abs(total).max())


def test_nothing_in_sight_is_black():
    from autourdf_ros.estimation.appearance.bones.bone_images import camera_batch
    from autourdf_ros.estimation.appearance.bones.tiled_splatting import blend, project

    camera = PinholeCamera(20, 10, (20.0, 20.0), (9.5, 4.5), np.eye(4))
    batch = camera_batch([camera], torch.device("cpu"))
    behind = torch.tensor([[[0.0, 0, -1]]])
    flat = project(behind, 0.01 * torch.eye(3)[None, None], torch.tensor([0.9]), batch, BLUR)
    pixels = blend(flat, torch.ones(1, 1, 3), 20, 10)
    assert pixels.shape == (1, 10, 20, 4)
    assert (pixels[..., :3] == 0).all()
    assert (pixels[..., 3] == 1).all()
