import numpy as np
import pytest
from mechanism_scenes import chain
from mechanism_tracks import TrackNoise, joint_line_errors, observed_track

from autourdf_ros.estimation.video.joints.joints_options import JointsOptions, RansacOptions
from autourdf_ros.estimation.video.joints.mechanism_joints import find_joints
from autourdf_ros.estimation.video.joints.ransac.sampled_joint import joint_of_sample
from autourdf_ros.estimation.video.joints.ransac.spanning_forest import spanning_forest
from autourdf_ros.geometry.rigid_motion import exp_se3

EXACT = TrackNoise(turn=1e-4, shift=2e-5)
OPTIONS = JointsOptions("ransac", ransac=RansacOptions(samples=100))


def sampled(kinds, seed, noise=EXACT):
    """What the published method finds in a chain of joints, and the truth."""
    rng = np.random.default_rng(seed)
    true = chain(kinds, rng, 60)
    return find_joints(observed_track(true, rng, noise), (), OPTIONS, lambda *_: None), true


def test_the_cheapest_pairs_join_every_component_at_its_first_body():
    costs = {(0, 1): 3.0, (1, 2): 1.0, (0, 2): 2.0, (3, 4): 1.0}
    assert spanning_forest(costs, 6) == [(0, [(0, 2), (2, 1)]), (3, [(3, 4)]), (5, [])]


def test_a_turn_between_two_frames_shows_axis_and_pivot():
    twist = np.array([0, 0, 1.0, 0.2, -0.1, 0])  # about z through (0.1, 0.2, 0)
    relative = exp_se3(np.array([0.0, 1e-4])[:, None] * twist)
    edge = joint_of_sample("revolute", relative, 0, 1)
    np.testing.assert_allclose(edge.frame[:3, 2], [0, 0, 1], atol=1e-6)
    np.testing.assert_allclose(edge.frame[:2, 3], [0.1, 0.2], atol=1e-4)


@pytest.mark.slow
def test_precise_poses_of_a_cart_and_its_pole_give_a_rail_and_a_hinge():
    found, true = sampled(("prismatic", "revolute"), 1)
    assert [(e.parent, e.child, e.kind) for e in found.trace.tree] == [
        (-1, 0, "prismatic"),
        (0, 1, "revolute"),
    ]
    for joint, edge in zip(true.joints, found.trace.adjusted.fit.edges, strict=True):
        assert joint_line_errors(joint, edge.frame)[0] < 3.0
    assert np.isnan(found.joint_stds).all()
    assert not found.model.kinematics.joints


@pytest.mark.slow
def test_a_thrown_body_has_no_joint():
    found, _ = sampled(("free",), 2)
    assert [edge.kind for edge in found.trace.tree] == ["free"]
