"""Where an axis may be is as wide as samples of its covariance are."""

from dataclasses import replace

import numpy as np
import pytest
from synthetic_robot import arm_model

from autourdf_ros.report.figures.axis_region import DEVIATIONS, axis_region
from autourdf_ros.report.figures.viewpoint import view_rotation

JOINT = arm_model(count=4).joints[1]  # along y, nearly
FRONT = view_rotation(-70.0, 20.0)


def with_covariance(joint, covariance):
    return replace(joint, estimate=replace(joint.estimate, covariance=covariance))


def test_it_is_as_wide_as_samples_scatter():
    rng = np.random.default_rng(0)
    mixed = rng.normal(size=(4, 4)) * [0.02, 0.02, 0.001, 0.001]
    joint = with_covariance(JOINT, mixed.T @ mixed)
    half = 0.1
    outline = axis_region(joint, half, FRONT)
    count = len(outline) // 2
    widths = np.linalg.norm(outline[:count] - outline[count:][::-1], axis=1)
    draws = rng.multivariate_normal(np.zeros(4), joint.estimate.covariance, 20_000)
    along = FRONT[:2] @ joint.axis
    aside = np.array([-along[1], along[0]]) / np.linalg.norm(along)
    for step, width in zip(np.linspace(-half, half, count), widths, strict=True):
        across = joint.estimate.across
        turned = draws[:, :2] @ np.cross(across, joint.axis)
        moved = (step * turned + draws[:, 2:] @ across) @ FRONT[:2].T
        assert width == pytest.approx(2 * DEVIATIONS * (moved @ aside).std(), rel=0.03)


def test_it_lies_around_the_axis_and_no_wider_than_long():
    joint = with_covariance(JOINT, np.diag([1.0, 1.0, 1.0, 1.0]))
    outline = axis_region(joint, 0.1, FRONT)
    np.testing.assert_allclose(outline.mean(0), FRONT[:2] @ joint.point, atol=1e-12)
    assert np.linalg.norm(outline - outline.mean(0), axis=1).max() <= 0.1 * 2**0.5 + 1e-9


def test_of_a_sliding_joint_the_direction_alone_counts():
    slide = arm_model(count=4).joints[2]
    assert np.isnan(slide.estimate.covariance[2:, 2:]).all()
    outline = axis_region(slide, 0.1, FRONT)
    middle = len(outline) // 4
    np.testing.assert_allclose(outline[middle], FRONT[:2] @ slide.point, atol=1e-12)
    assert np.isfinite(outline).all()


def test_none_where_nothing_can_be_shown():
    toward = view_rotation(90.0, 0.0)
    upright = replace(JOINT, axis=toward[2])
    assert axis_region(upright, 0.1, toward) is None
    assert axis_region(replace(JOINT, estimate=None), 0.1, FRONT) is None
