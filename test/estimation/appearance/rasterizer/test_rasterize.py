"""The rasterizer against one that evaluates every Gaussian at every pixel in double precision."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import approx_fprime
from scipy.spatial.transform import Rotation

from autourdf_ros.data.images.posed_camera import PinholeCamera
from autourdf_ros.estimation.appearance.rasterizer.projection import FAINTEST
from autourdf_ros.estimation.appearance.rasterizer.rasterize import (
    BLUR,
    Gaussians,
    gradients,
    rasterize,
)

COUNT, HEIGHT, WIDTH = 6, 14, 18


def camera():
    pose = np.eye(4)
    pose[:3, :3] = Rotation.from_euler("xyz", [0.2, -0.1, 0.3]).as_matrix()
    pose[:3, 3] = [0.05, -0.03, 0.02]
    return PinholeCamera(WIDTH, HEIGHT, (20.0, 22.0), (8.6, 6.7), pose)


def numbers(rng, count=COUNT):
    """One flat vector of means, covariances, opacities and colours before the camera."""
    pose = camera().pose
    local = np.column_stack([rng.uniform(-0.3, 0.3, (count, 2)), rng.uniform(0.7, 1.3, count)])
    means = local @ pose[:3, :3].T + pose[:3, 3]
    factors = Rotation.random(count, random_state=rng).as_matrix() * rng.uniform(
        0.02, 0.12, (count, 1, 3)
    )
    full = factors @ factors.transpose(0, 2, 1)
    packed = full[:, [0, 0, 0, 1, 1, 2], [0, 1, 2, 1, 2, 2]]
    opacities, colors = rng.uniform(0.2, 0.9, count), rng.uniform(0, 1, (count, 3))
    return np.concatenate([v.ravel() for v in (means, packed, opacities, colors)])


def parted(vector):
    count = len(vector) // 13
    means, packed, opacities, colors = np.split(vector, np.cumsum([3, 6, 1]) * count)
    return means.reshape(-1, 3), packed.reshape(-1, 6), opacities, colors.reshape(-1, 3)


def as_gaussians(vector):
    return Gaussians(*(v.astype(np.float32) for v in parted(vector)))


def flattened(by):
    return np.concatenate([v.ravel() for v in (by.means, by.covariances, by.opacities, by.colors)])


def dense(vector, view):
    """Pixels (H, W, 4), every Gaussian evaluated everywhere."""
    means, packed, opacities, colors = parted(vector)
    inverse = np.linalg.inv(view.pose)
    local = means @ inverse[:3, :3].T + inverse[:3, 3]
    places = np.stack(np.meshgrid(np.arange(view.width), np.arange(view.height)), -1)
    image = np.zeros((view.height, view.width, 4))
    image[..., 3] = 1
    for i in np.argsort(local[:, 2]):
        x, y, z = local[i]
        full = packed[i][[[0, 1, 2], [1, 3, 4], [2, 4, 5]]]
        jacobian = np.array(
            [[view.focal[0] / z, 0, -view.focal[0] * x / z**2], [0, view.focal[1] / z, 0]]
        )
        jacobian[1, 2] = -view.focal[1] * y / z**2
        seen = jacobian @ inverse[:3, :3] @ full @ inverse[:3, :3].T @ jacobian.T
        blurred = seen + BLUR * np.eye(2)
        opacity = opacities[i] * np.sqrt(np.linalg.det(seen) / np.linalg.det(blurred))
        offset = places - (np.array(view.focal) * [x, y] / z + view.principal)
        shape = np.exp(-0.5 * np.einsum("hwi,ij,hwj->hw", offset, np.linalg.inv(blurred), offset))
        alpha = np.minimum(opacity * shape, 0.99)
        alpha = np.where(alpha < FAINTEST, 0, alpha)
        image[..., :3] += (alpha * image[..., 3])[..., None] * colors[i]
        image[..., 3] *= 1 - alpha
    return image


@pytest.mark.parametrize("seed", range(5))
def test_an_image_is_that_of_the_dense_reference(seed):
    vector = numbers(np.random.default_rng(seed), 40)
    image = rasterize(as_gaussians(vector), camera())
    # `fading` and single precision.
    assert_allclose(image.pixels, dense(vector, camera()), atol=2e-5)
    assert image.pixels[..., 3].min() < 0.5


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_gradients_are_those_of_the_dense_reference(seed):
    rng = np.random.default_rng(seed)
    vector, view = numbers(rng), camera()
    by_pixels = rng.normal(size=(HEIGHT, WIDTH, 4))
    expected = approx_fprime(vector, lambda v: (by_pixels * dense(v, view)).sum(), 1e-7)
    gaussians = as_gaussians(vector)
    image = rasterize(gaussians, view)
    found = flattened(gradients(gaussians, view, image, by_pixels.astype(np.float32)))
    for name, ours, true in zip(
        ("means", "covariances", "opacities", "colors"),
        parted(found),
        parted(expected),
        strict=True,
    ):
        assert_allclose(ours, true, atol=2e-3 * np.abs(true).max(), err_msg=name)


def test_what_is_dense_hides_and_what_is_behind_the_camera_is_not_seen():
    view = camera()
    vector = numbers(np.random.default_rng(0), 3)
    means, packed, opacities, colors = parted(vector)
    ahead = view.pose[:3, 2]
    means[:] = view.pose[:3, 3] + np.outer([1.0, 1.2, -1.0], ahead)
    packed[:] = [0.04, 0, 0, 0.04, 0, 0.04]
    opacities[:], colors[:] = 1.0, np.eye(3)
    image = rasterize(as_gaussians(vector), view)
    assert list(image.order) == [0, 1] and np.isinf(image.depths[2])
    red, green, blue, left = image.pixels[7, 9]
    assert (red, green) == pytest.approx((0.99, 0.0099), abs=4e-3)
    assert (blue, left) == pytest.approx((0, 0.0001), abs=2e-4)


def test_nothing_in_sight_is_an_empty_image_with_no_gradient():
    view = camera()
    vector = numbers(np.random.default_rng(0))
    parted(vector)[0][:] += 100 * view.pose[:3, 0]
    gaussians = as_gaussians(vector)
    image = rasterize(gaussians, view)
    assert image.pixels[..., :3].max() == 0 and image.pixels[..., 3].min() == 1
    assert not flattened(gradients(gaussians, view, image, image.pixels)).any()
