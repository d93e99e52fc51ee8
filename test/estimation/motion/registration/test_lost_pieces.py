"""An arm that hangs down beside its base, which its hand touches in the reference frame."""

import numpy as np
import pytest
from sampled_shapes import box, merged_cloud

from autourdf_ros.estimation.motion.registration import graph_tracking as registration
from autourdf_ros.estimation.motion.registration.deformation_graph import build_graph
from autourdf_ros.estimation.motion.registration.graph_tracking import track_sequence
from autourdf_ros.estimation.motion.registration.lost_pieces import lost_pieces, retries
from autourdf_ros.geometry.point_cloud import size_of
from autourdf_ros.geometry.rigid_motion import exp_se3, revolute_twist, transform

BASE, ARM, HAND = range(3)
SHAPES = [
    box((0.4, 0.4, 0.4)) + box((0.1, 0.1, 0.5), (0, 0, 0.45)),
    box((0.3, 0.08, 0.08), (0.2, 0, 0.66)) + box((0.06, 0.08, 0.5), (0.32, 0, 0.42)),
    box((0.1, 0.2, 0.25), (0.252, 0, 0.04)),
]
COUNTS = (1200, 500, 300)
ELBOW = revolute_twist(np.eye(3)[1], np.array([0.05, 0, 0.66]))
WRIST = revolute_twist(np.eye(3)[0], np.array([0.3, 0, 0.17]))


def posed(lift, turn):
    """Poses (3, 4, 4) with the arm lifted and the hand turned on it (rad)."""
    arm = exp_se3(-ELBOW * lift)
    return np.array([np.eye(4), arm, arm @ exp_se3(WRIST * turn)])


MOVES = [posed(0.15 * k, 0.1 * k) for k in (1, 2)]


@pytest.fixture(scope="module")
def scene():
    reference, labels = merged_cloud(SHAPES, posed(0, 0), COUNTS, 0)
    frames = [merged_cloud(SHAPES, poses, COUNTS, 1 + k)[0] for k, poses in enumerate(MOVES)]
    graph, _ = build_graph(reference.points, reference.spacing, 60)
    return reference, labels, frames, graph


def hand_errors(scene):
    """Median distance, in point spacings, of the hand's points from where they went, by frame."""
    reference, labels, frames, graph = scene
    found = track_sequence(graph, reference, frames, size_of(reference.points), lambda _: None)
    hand = reference.points[labels == HAND]
    nodes = graph.nodes[labels == HAND]
    return [
        np.median(
            np.linalg.norm(transform(poses[nodes], hand) - transform(true[HAND], hand), axis=1)
        )
        / reference.spacing
        for poses, true in zip(found.poses, MOVES, strict=True)
    ]


def test_a_hand_that_touches_the_base_goes_with_its_arm(scene, monkeypatch):
    assert max(hand_errors(scene)) < 1
    monkeypatch.setattr(registration, "lost_pieces", lambda graph, costs: [])
    assert min(hand_errors(scene)) > 5


def test_a_piece_is_lost_where_its_points_cost_much_and_are_not_few(scene):
    _, labels, _, graph = scene
    assert lost_pieces(graph, np.where(labels == HAND, 5.0, 1.0)) == []
    (piece,) = lost_pieces(graph, np.where(labels == HAND, 12.0, 1.0))
    assert np.mean(piece[graph.nodes[labels == HAND]]) > 0.8
    assert not piece[graph.nodes[labels == ARM]].all()
    few = np.flatnonzero(graph.nodes == graph.nodes[0])[:5]
    assert lost_pieces(graph, np.where(np.isin(np.arange(len(labels)), few), 12.0, 1.0)) == []


def test_a_piece_is_tied_to_one_side_at_a_time_and_starts_where_that_went(scene):
    _, labels, _, graph = scene
    (piece,) = lost_pieces(graph, np.where(labels == HAND, 12.0, 0.0))
    owners = np.array([np.bincount(labels[graph.nodes == k]).argmax() for k in range(len(piece))])
    owners[piece] = HAND
    tries = retries(graph, MOVES[0][owners], piece)
    assert len(tries) >= 2
    ties = [
        {owners[k] for edge in cut.edges if piece[edge].sum() == 1 for k in edge if not piece[k]}
        for cut, _ in tries
    ]
    assert {ARM} in ties and {BASE} in ties
    for side, (_, start) in zip(ties, tries, strict=True):
        if len(side) == 1:
            poses = MOVES[0][[side.copy().pop()]]
            np.testing.assert_allclose(start[piece], np.broadcast_to(poses, start[piece].shape))
        np.testing.assert_allclose(start[~piece], MOVES[0][owners[~piece]])
