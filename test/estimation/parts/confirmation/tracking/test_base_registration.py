"""An assembly is found where a recording shows it, far from where its files have it."""

import numpy as np
import pytest
import trimesh
from sample_assembly import cabinet

from autourdf_ros.data.frame import Frame
from autourdf_ros.estimation.parts.confirmation.confirmation_options import ConfirmationOptions
from autourdf_ros.estimation.parts.confirmation.tracking.base_registration import register_base
from autourdf_ros.estimation.parts.confirmation.tracking.observed_frame import observe
from autourdf_ros.estimation.parts.confirmation.tracking.surface_samples import sample_parts
from autourdf_ros.geometry.rigid_motion import exp_se3, inverse, log_se3, transform

pytestmark = pytest.mark.slow

OPTIONS = ConfirmationOptions()


def test_a_shift_of_a_seventh_of_the_size_leaves_no_trace():
    whole, rng = cabinet(), np.random.default_rng(0)
    meshes = [trimesh.Trimesh(part.vertices, part.triangles) for part in whole.parts]
    points = np.vstack([trimesh.sample.sample_surface(m, 2500, seed=1)[0] for m in meshes])
    away = exp_se3(np.array([0.05, -0.04, 0.08, 0.1, -0.1, 0.05]))
    away[:3, 3] *= whole.size
    seen = transform(away, points) + rng.normal(0, 0.0005, points.shape)
    frame = observe(Frame(seen.astype(np.float32)), np.eye(4), 9000, 110, 0)
    found = register_base(sample_parts(whole, OPTIONS), frame, whole.size, OPTIONS)
    assert np.abs(log_se3(inverse(away) @ found)).max() < 0.01
