import numpy as np
import pytest
import trimesh

from autourdf_ros.assessment.metrics.segments.hausdorff import hausdorff_distance

BOX = trimesh.creation.box((3.0, 4.0, 12.0))  # of diagonal 13


def test_a_shifted_surface_is_as_far_as_its_shift():
    points = trimesh.sample.sample_surface(BOX, 20_000, seed=0)[0]
    assert hausdorff_distance(points, BOX, points) == pytest.approx(0, abs=1e-5)
    shifted = hausdorff_distance(points + np.array([0, 0, 1.3]), BOX, points)
    assert shifted == pytest.approx(0.1, rel=0.05)


def test_a_missing_end_counts():
    points = trimesh.sample.sample_surface(BOX, 20_000, seed=0)[0]
    lacking = points[points[:, 2] < 3.4]
    assert hausdorff_distance(lacking, BOX, points) == pytest.approx(
        np.hypot(2.6, 1.5) / 13, rel=0.05
    )
