"""A ball of many colours in splats, and images of it."""

from dataclasses import replace

import numpy as np

from autourdf_ros.data.images.posed_camera import PinholeCamera, look_at
from autourdf_ros.estimation.appearance.fitting.posed_image import PosedImage
from autourdf_ros.estimation.appearance.rasterizer.rasterize import rasterize
from autourdf_ros.estimation.appearance.splats.first_splats import first_splats
from autourdf_ros.estimation.appearance.splats.splat_model import posed

HOME = np.eye(4)[None]


def colored_ball(count, size=32):
    """Grey splats to begin with, their links (all one), and `count` images of the coloured ones."""
    rng = np.random.default_rng(0)
    normals = rng.normal(size=(300, 3))
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    links = np.zeros(len(normals), np.int64)
    begin = first_splats(0.2 * normals, normals, np.full_like(normals, 0.4))
    true = true_ball(begin)
    images = []
    for eye in rng.normal(size=(count, 3)):
        pose = look_at(eye / np.linalg.norm(eye), np.zeros(3))
        middle = (size - 1) / 2
        camera = PinholeCamera(size, size, (1.25 * size,) * 2, (middle, middle), pose)
        pixels = rasterize(posed(true, links, HOME), camera).pixels
        images.append(PosedImage(camera, HOME, pixels[..., :3], 1 - pixels[..., 3]))
    return begin, links, images


def true_ball(begin):
    """The splats with their colours."""
    return replace(begin, albedos=np.asarray(0.15 + 0.35 * (begin.normals + 1) / 2, np.float32))
