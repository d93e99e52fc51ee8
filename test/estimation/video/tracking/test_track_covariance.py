"""Covariances of a track by what each side of a body shows."""

from types import SimpleNamespace

import numpy as np
from scipy.spatial.transform import Rotation

from autourdf_ros.estimation.video.tracking.track_covariance import _inflations


def seen(degrees, factor):
    """A body 1 m away, turned, whose errors have `factor` times the variance of its pixels'."""
    pose = np.eye(4)
    pose[:3, :3] = Rotation.from_euler("y", degrees, degrees=True).as_matrix()
    pose[2, 3] = 1.0
    return SimpleNamespace(pose=pose, information=np.eye(6), scores=factor * np.eye(6))


def test_a_side_that_errs_more_has_larger_covariances():
    body = SimpleNamespace(radius=1.0)
    front = [seen(float(angle) / 20, 1.0) for angle in range(20)]
    edge = [seen(80 + float(angle) / 20, 9.0) for angle in range(20)]
    found = _inflations(body, [*front, *edge])[:, 0, 0]
    assert found[:20].max() < 2.5
    assert found[20:].min() > 7.0
    assert _inflations(body, []).shape == (0, 6, 6)
