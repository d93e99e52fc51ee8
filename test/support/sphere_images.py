"""A sphere before cameras all around: as plain as an outline can be."""

import numpy as np

from autourdf_ros.data.images.posed_camera import PinholeCamera, look_at

CENTRE, RADIUS, SIZE, FOCAL, AWAY = np.array([0.3, -0.1, 0.5]), 0.2, 48, 80.0, 1.5


def cameras_at(count):
    """All around the sphere."""
    rng = np.random.default_rng(0)
    ways = rng.normal(size=(count, 3))
    ways /= np.linalg.norm(ways, axis=1, keepdims=True)
    lens = (SIZE, SIZE, (FOCAL, FOCAL), (SIZE / 2 - 0.5, SIZE / 2 - 0.5))
    return [PinholeCamera(*lens, look_at(CENTRE + AWAY * way, CENTRE)) for way in ways]


def sphere_mask(camera):
    """What a camera sees of the sphere."""
    rays = camera.directions @ camera.pose[:3, :3].T
    rays /= np.linalg.norm(rays, axis=2, keepdims=True)
    away = CENTRE - camera.pose[:3, 3]
    near = np.linalg.norm(away - (rays @ away)[..., None] * rays, axis=2)
    return (near < RADIUS).astype(np.float32)
