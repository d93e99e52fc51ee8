"""Every part of the camera noise, by its statistics."""

from dataclasses import replace

import numpy as np
import pytest

from autourdf_ros.errors import InputError
from autourdf_ros.simulation.cameras.noise import (
    NO_NOISE,
    REAL_CAMERA,
    CameraNoise,
    measured_depth,
    miscalibrated,
)
from autourdf_ros.simulation.cameras.pinhole_camera import Camera, Intrinsics
from autourdf_ros.simulation.cameras.renderer import View

SHAPE = (240, 320)


def flat_view(depth=1.0, incidence=1.0):
    view = View.empty(*SHAPE)
    view.depth[:] = depth
    view.incidence[:] = incidence
    view.body[:] = 0
    return view


def step_view(near=1.0, far=2.0):
    view = flat_view(far)
    view.depth[:, : SHAPE[1] // 2] = near
    return view


def measure(view, noise, seed=0):
    return measured_depth(view, noise, np.random.default_rng(seed))


def test_no_noise_changes_nothing():
    view = step_view()
    view.depth[:10] = np.nan
    np.testing.assert_array_equal(measure(view, NO_NOISE), view.depth)


@pytest.mark.parametrize("depth", [0.5, 1.0, 3.0])
def test_axial_noise_increases_with_the_square_of_the_depth(depth):
    noise = CameraNoise(disparity_sigma=0.05)
    error = measure(flat_view(depth), noise) - depth
    expected = depth**2 * 0.05 / (640 * 0.095)
    baseline = noise.stereo_focal * noise.stereo_baseline
    assert depth**2 * noise.disparity_sigma / baseline == pytest.approx(expected)
    assert error.std() == pytest.approx(expected, rel=0.03)
    assert abs(error.mean()) < expected / 20


def test_disparity_is_quantized():
    noise = CameraNoise(disparity_step=1 / 8)
    depths = np.linspace(0.5, 3, SHAPE[1], dtype=np.float32)
    measured = measure(flat_view(np.broadcast_to(depths, SHAPE)), noise)
    steps = 640 * 0.095 / measured / (1 / 8)
    np.testing.assert_allclose(steps, np.round(steps), atol=1e-3)
    assert len(np.unique(measured)) < len(depths) * 4
    assert np.abs(measured - depths).max() <= 3.0**2 / (640 * 0.095) / 16 * 1.01


def test_flying_pixels_lie_between_the_two_sides_of_an_edge():
    measured = measure(step_view(), CameraNoise(flying_share=0.25))
    flying = (measured > 1) & (measured < 2)
    columns = np.unique(np.nonzero(flying)[1])
    assert columns.tolist() == [SHAPE[1] // 2 - 1]
    assert flying.sum() == pytest.approx(0.25 * SHAPE[0], rel=0.3)
    assert measured[flying].std() > 0.2


def test_there_are_no_flying_pixels_before_nothing_or_on_slopes():
    view = step_view()
    view.depth[:, SHAPE[1] // 2 :] = np.nan
    noise = CameraNoise(flying_share=1.0)
    np.testing.assert_array_equal(measure(view, noise), view.depth)
    slope = flat_view(np.broadcast_to(np.linspace(1, 2, SHAPE[1], dtype=np.float32), SHAPE))
    np.testing.assert_array_equal(measure(slope, noise), slope.depth)


@pytest.mark.parametrize(("cosine", "share"), [(0.3, 0.0), (0.2, 0.0), (0.1, 0.5), (0.0, 1.0)])
def test_grazing_surfaces_drop_out(cosine, share):
    measured = measure(flat_view(incidence=cosine), CameraNoise(grazing_cosine=0.2))
    assert np.isnan(measured).mean() == pytest.approx(share, abs=0.02)


def test_patches_drop_out():
    noise = CameraNoise(dropout_share=0.1, dropout_size=10.0)
    lost = np.isnan(measure(flat_view(), noise))
    assert lost.mean() == pytest.approx(0.1, abs=0.03)
    # Lost pixels are together: the pixel beside a lost one is mostly lost as well.
    assert lost[:, 1:][lost[:, :-1]].mean() > 0.7


def test_calibration_errors():
    camera = Camera(Intrinsics(4, 4, 4.0), np.eye(4))
    noise = CameraNoise(extrinsic_shift=0.002, extrinsic_turn=0.01)
    rng = np.random.default_rng(0)
    poses = np.array([miscalibrated(camera, noise, rng).pose for _ in range(2000)])
    np.testing.assert_allclose(poses[:, :3, 3].std(axis=0), 0.002, rtol=0.08)
    np.testing.assert_allclose(poses[:, 2, 1].std(), 0.01, rtol=0.08)
    assert (miscalibrated(camera, NO_NOISE, rng).pose == np.eye(4)).all()


def test_the_same_seed_gives_the_same_noise():
    view = step_view()
    first, again, other = (measure(view, REAL_CAMERA, seed) for seed in (1, 1, 2))
    np.testing.assert_array_equal(first, again)
    assert not np.array_equal(first, other, equal_nan=True)


def test_measuring_leaves_the_view_as_it_was():
    view = step_view()
    before = view.copy()
    measure(view, REAL_CAMERA)
    np.testing.assert_array_equal(view.depth, before.depth)


@pytest.mark.parametrize(
    ("name", "value"),
    [("disparity_sigma", -1.0), ("flying_share", 1.5), ("stereo_baseline", 0.0),
     ("dropout_size", np.nan), ("extrinsic_turn", np.inf)],
)  # fmt: skip
def test_parameters_out_of_range_are_named(name, value):
    with pytest.raises(InputError, match=name):
        replace(REAL_CAMERA, **{name: value})
