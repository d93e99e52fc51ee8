import numpy as np
import pytest

from autourdf_ros.recording.normals import normals


@pytest.mark.parametrize("known", [True, False])
def test_normals_point_out_of_a_sphere(known):
    outward = np.random.default_rng(0).normal(size=(2000, 3))
    outward /= np.linalg.norm(outward, axis=1, keepdims=True)
    points = outward * 0.2 + (1.0, 2.0, 3.0)
    viewpoints = points + outward if known else None
    found = normals(points, viewpoints)
    assert (found * outward).sum(axis=1).min() > 0.95
