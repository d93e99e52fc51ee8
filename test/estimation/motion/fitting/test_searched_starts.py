"""Starts for frames that are far from all known ones."""

import numpy as np
import pytest
from synthetic_robot import posed, two_joint_model

from autourdf_ros.estimation.motion.fitting.articulation import Articulation
from autourdf_ros.estimation.motion.fitting.frame_fit import ArticulatedSurface, BasePrior
from autourdf_ros.estimation.motion.fitting.searched_starts import searched_starts
from autourdf_ros.estimation.motion.fitting.surface import surface_of
from autourdf_ros.geometry.point_cloud import prepare_cloud, size_of
from autourdf_ros.geometry.rigid_motion import revolute_twist


def cloud_of(values):
    return prepare_cloud(np.concatenate(posed(two_joint_model(800), np.array(values))))


def arm():
    model = two_joint_model(800)
    axes = np.array([joint.axis for joint in model.joints])
    places = np.array([joint.point for joint in model.joints])
    joints = Articulation(np.array([0, 1]), revolute_twist(axes, places), np.ones(2, bool), places)
    labels = np.repeat(np.arange(3), 800)
    surface = surface_of(cloud_of((0.0, 0.0)), labels)
    return ArticulatedSurface(joints, surface, BasePrior(), 1e-3)


@pytest.mark.parametrize("values", [(2.2, -1.4), (-2.9, 0.9), (0.0, 0.0)])
def test_a_configuration_far_away_is_among_the_first_starts(values):
    target, frame = arm(), cloud_of(values)
    reach = 0.05 * size_of(frame.points)
    starts = searched_starts(target, frame, np.zeros(2), np.eye(4), reach=reach)[:3]
    errors = np.abs((starts - values + np.pi) % (2 * np.pi) - np.pi)
    assert errors.max(axis=1).min() < np.radians(8.0)


def test_a_link_without_points_is_left_where_it_is():
    target = arm()
    surface = target.surface
    kept = surface.labels != 2
    seen = surface_of(prepare_cloud(surface.points[kept]), surface.labels[kept])
    target = ArticulatedSurface(target.model, seen, target.prior, target.noise)
    starts = searched_starts(
        target, cloud_of((1.0, 0.3)), np.array([0.0, 0.2]), np.eye(4), reach=0.05
    )
    assert (starts[:, 1] == 0.2).all()
    assert np.abs(starts[:, 0] - 1.0).min() < np.radians(8.0)


def test_a_joint_that_slides_is_searched_along_its_axis():
    target = arm()
    twists = target.model.twists.copy()
    twists[1] = [0, 0, 0, 1, 0, 0]
    model = Articulation(
        target.model.parents, twists, np.array([True, False]), target.model.anchors
    )
    target = ArticulatedSurface(model, target.surface, target.prior, target.noise)
    points = np.concatenate(posed(two_joint_model(800), np.zeros(2)))
    points[1600:, 0] += 0.15
    starts = searched_starts(target, prepare_cloud(points), np.zeros(2), np.eye(4), reach=0.05)
    assert abs(starts[0, 1] - 0.15) < 0.03
