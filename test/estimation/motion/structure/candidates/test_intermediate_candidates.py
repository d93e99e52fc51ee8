"""A link that no surface shows is known from how its neighbours move on one another."""

import numpy as np
import pytest

from autourdf_ros.estimation.common.chain_fit import ChainFit
from autourdf_ros.estimation.common.joint_fit import fit_revolute, relative_motion
from autourdf_ros.estimation.common.rigid_bodies import Bodies
from autourdf_ros.estimation.motion.fitting.articulation import Articulation, body_poses
from autourdf_ros.estimation.motion.structure.candidates.intermediate_candidates import (
    Chain,
    LinkMotions,
    find_chains,
    with_chains,
)
from autourdf_ros.geometry.rigid_motion import exp_se3, revolute_twist

NOISE = 0.001
FRAMES = 10
HAND = Articulation(
    np.array([0, 1, 2, 0]),
    revolute_twist(
        np.array([[0, 0, 1.0], [0, 1, 0], [0, 1, 0], [0, 1, 0]]),
        np.array([[0, 0, 0.1], [0.03, 0, 0.1], [0.1, 0, 0.1], [-0.1, 0, 0]]),
    ),
    np.ones(4, dtype=bool),
    np.zeros((4, 3)),
)
"""A palm, a knuckle, two links of a finger, and a thumb."""


def seen(bodies, rng, off=0.0):
    """The bodies (B,) of a moving hand in all frames; off: noise of their poses."""
    poses = body_poses(
        HAND, rng.uniform(-0.6, 0.6, (FRAMES, 4)), np.tile(np.eye(4), (FRAMES, 1, 1))
    )
    poses = poses[:, bodies] @ exp_se3(off * rng.normal(size=(FRAMES, len(bodies), 6)))
    information = np.tile(np.diag([0.5] * 3 + [100.0] * 3), (*poses.shape[:2], 1, 1))
    return Bodies(poses, information, np.full(poses.shape[:2], 100.0))


def fitted(bodies, parents):
    """A model of single joints between the bodies, and its values."""
    children = np.arange(1, len(parents) + 1)
    fit = fit_revolute(*relative_motion(bodies, np.array(parents), children))
    turns = np.ones(len(parents), dtype=bool)
    return Articulation(
        np.array(parents), fit.twists, turns, np.zeros((len(parents), 3))
    ), fit.values


def test_a_knuckle_that_was_not_seen_is_found():
    bodies = seen([0, 2, 3, 4], np.random.default_rng(0), 1e-4)
    model, values = fitted(bodies, [0, 1, 0])
    (chain,) = find_chains(
        LinkMotions(model, values, np.arange(4), bodies), range(len(values[0])), NOISE
    )
    assert chain.joint == 0 and len(chain.fit.twists) == 2
    assert chain.cost < chain.before / 10
    axes = np.abs(np.sum(chain.fit.twists[:, :3] * HAND.twists[:2, :3], axis=1))
    np.testing.assert_allclose(axes, 1.0, atol=1e-3)


def test_a_wrist_of_three_joints_is_found_where_two_are_hardly_better_than_one():
    axes, points = np.eye(3)[::-1], np.array([[0, 0, 0.0], [0.05, 0, 0], [0.1, 0, 0]])
    wrist = Articulation(
        np.array([0, 1, 2]), revolute_twist(axes, points), np.ones(3, bool), np.zeros((3, 3))
    )
    rng = np.random.default_rng(0)
    still = np.tile(np.eye(4), (FRAMES, 1, 1))
    poses = body_poses(wrist, rng.uniform(-0.5, 0.5, (FRAMES, 3)), still)[:, [0, 3]]
    information = np.tile(np.diag([0.5] * 3 + [100.0] * 3), (FRAMES, 2, 1, 1))
    bodies = Bodies(poses, information, np.full((FRAMES, 2), 100.0))
    model, values = fitted(bodies, [0])
    (chain,) = find_chains(LinkMotions(model, values, np.arange(2), bodies), [0], NOISE)
    found = np.abs(np.sum(chain.fit.twists[:, :3] * axes, axis=1))
    np.testing.assert_allclose(found, 1.0, atol=1e-3)


def test_nothing_is_found_where_every_link_was_seen():
    bodies = seen([0, 1, 2, 3, 4], np.random.default_rng(1), 1e-4)
    model, values = fitted(bodies, [0, 1, 2, 0])
    assert (
        find_chains(LinkMotions(model, values, np.arange(5), bodies), range(len(values[0])), NOISE)
        == []
    )


@pytest.mark.slow
def test_a_link_lost_in_a_few_frames_is_not_given_more_joints():
    rng = np.random.default_rng(2)
    bodies = seen([0, 1, 2, 3, 4], rng, 1e-4)
    poses = bodies.poses.copy()
    poses[:3, 3] = poses[:3, 3] @ exp_se3(0.3 * rng.normal(size=(3, 6)))
    lost = Bodies(poses, bodies.information, bodies.weights)
    model, values = fitted(bodies, [0, 1, 2, 0])
    assert (
        find_chains(LinkMotions(model, values, np.arange(5), lost), range(len(values[0])), NOISE)
        == []
    )


def test_a_link_without_a_body_is_left_alone():
    bodies = seen([0, 2, 3, 4], np.random.default_rng(0))
    model, values = fitted(bodies, [0, 1, 0])
    assert (
        find_chains(
            LinkMotions(model, values, np.array([0, -1, 2, 3]), bodies),
            range(len(values[0])),
            NOISE,
        )
        == []
    )


def test_a_chain_takes_its_joints_place_and_moves_alike():
    model = Articulation(HAND.parents, HAND.twists, HAND.revolute, HAND.anchors)
    values = np.random.default_rng(3).uniform(-0.5, 0.5, (FRAMES, 4))
    halves = ChainFit(
        np.tile(HAND.twists[1], (2, 1)), np.tile(values[:, [1]] / 2, 2), np.zeros(FRAMES)
    )
    extended = with_chains(model, values, [Chain(1, halves, 0.0, 1.0)])
    assert extended.links.tolist() == [0, 1, -1, 2, 3, 4]
    assert extended.joints.tolist() == [0, 1, 1, 2, 3]
    assert extended.model.parents.tolist() == [0, 1, 2, 3, 0]
    base = np.tile(np.eye(4), (FRAMES, 1, 1))
    np.testing.assert_allclose(
        body_poses(extended.model, extended.values, base)[:, extended.links >= 0],
        body_poses(model, values, base),
        atol=1e-12,
    )
