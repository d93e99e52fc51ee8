"""The baseline as a whole, on two coloured rods and the joint between them."""

from dataclasses import replace

import numpy as np
import pytest

from autourdf_ros.data.images.posed_camera import PinholeCamera, look_at
from autourdf_ros.errors import InputError
from autourdf_ros.estimation.appearance.fitting.posed_image import PosedImage
from autourdf_ros.estimation.appearance.rasterizer.rasterize import Gaussians, rasterize

torch = pytest.importorskip("torch")
SIZE = 48


def camera_at(azimuth):
    pose = look_at(2.2 * np.array([np.cos(azimuth), np.sin(azimuth), 0.6]), np.zeros(3))
    return PinholeCamera(SIZE, SIZE, (60.0, 60.0), (SIZE / 2, SIZE / 2), pose)


def rods(angle):
    """Return places and colours of two rods, of which the second is turned about z."""
    along = np.linspace(-0.5, 0.5, 24)
    turned = along > 0
    turn = np.where(turned, angle, 0)
    means = np.column_stack([along * np.cos(turn), along * np.sin(turn), 0 * along])
    return means, np.where(turned[:, None], [0.9, 0.2, 0.1], [0.1, 0.3, 0.9])


def image(angle, azimuth):
    means, colors = rods(angle)
    covariances = np.tile(np.array([1, 0, 0, 1, 0, 1]) * 0.04**2, (24, 1))
    values = (means, covariances, np.full(24, 0.95), colors)
    camera = camera_at(azimuth)
    pixels = rasterize(Gaussians(*(v.astype(np.float32) for v in values)), camera).pixels
    return PosedImage(camera, np.eye(4)[None], pixels[..., :3], 1 - pixels[..., 3])


def images(angles):
    from autourdf_ros.estimation.appearance.bones.bone_images import PositionRange, bone_images

    azimuths = np.arange(len(angles)) * 2.4
    found = [image(*pair) for pair in zip(angles, azimuths, strict=True)]
    positions = np.asarray(angles)[:, None]
    spans = PositionRange(np.zeros(1), np.ones(1))
    return bone_images(found, positions, spans, torch.device("cpu"))


def options():
    from autourdf_ros.estimation.appearance.bones.bone_options import BoneOptions, StaticOptions

    static = StaticOptions(steps=60, points=3000, degree=0, interval=20)
    return BoneOptions(static, steps=150, images=2, rate=1e-3, neighbours=3, cycled=24)


def rod_splats():
    from autourdf_ros.estimation.appearance.bones.colored_splats import ColoredSplats

    means, colors = rods(0.0)
    values = (
        means,
        np.tile([1.0, 0, 0, 0], (24, 1)),
        np.full((24, 3), np.log(0.04)),
        np.full(24, 3.0),
        (colors[:, None] - 0.5) / 0.28209479,
        np.zeros((24, 0, 3)),
    )
    return ColoredSplats(*(torch.tensor(v, dtype=torch.float32).requires_grad_() for v in values))


@pytest.mark.slow
def test_bones_learn_how_a_joint_moves():
    from autourdf_ros.estimation.appearance.bones.fit_bones import fit_bones

    angles = np.r_[np.zeros(4), np.random.default_rng(0).uniform(-1, 1, 24)]
    robot = fit_bones(images(angles), options(), splats=rod_splats())
    data = images([0.9, -0.8, 0.7, -0.6])
    cameras, colors, _ = data.batch(torch.arange(4))
    with torch.no_grad():
        moved = robot.drawn(data.positions, cameras)[..., :3]
        still = robot.drawn(torch.zeros(4, 1), cameras)[..., :3]
    errors = [((one - colors) ** 2).mean().item() for one in (moved, still)]
    assert errors[0] < 0.3 * errors[1]
    assert set(robot.parts().tolist()) == {0, 1}


@pytest.mark.slow
def test_splats_at_rest_come_from_random_points():
    from autourdf_ros.estimation.appearance.bones.rest_splats import fit_at_rest

    data = images(np.zeros(8))
    losses = []
    for steps in (1, 60):
        own = replace(options().static, steps=steps)
        splats = fit_at_rest(data, 0.1, own, 0, lambda *_: None)
        cameras, colors, _ = data.batch(torch.arange(8))
        with torch.no_grad():
            pixels = drawn_at_rest(splats, cameras)
        losses.append(((pixels[..., :3] - colors) ** 2).mean().item())
    assert losses[1] < 0.5 * losses[0]


def drawn_at_rest(splats, cameras):
    from autourdf_ros.estimation.appearance.bones.colored_splats import drawn

    means = splats.means.expand(len(cameras.turns), -1, -1)
    return drawn(splats, means, None, cameras, 0)[0]


def test_images_all_at_rest_are_refused():
    from autourdf_ros.estimation.appearance.bones.fit_bones import fit_bones

    with pytest.raises(InputError, match="3 of 3 images are at rest"):
        fit_bones(images(np.zeros(3)), options())
