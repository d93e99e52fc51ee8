"""Expansion by motors on small robots of boxes, with pieces where tracking should leave them."""

from dataclasses import replace

import numpy as np
import pytest
import trimesh
from sampled_shapes import angle_between, box, merged_cloud
from scipy.linalg import hadamard

from autourdf_ros.estimation.common.joint_fit import line_point
from autourdf_ros.estimation.common.screw_chain import ScrewChain
from autourdf_ros.estimation.motion.registration.deformation_graph import build_graph
from autourdf_ros.estimation.motion.registration.frame_set import FrameSet
from autourdf_ros.estimation.motion.registration.tracked_graph import (
    TrackedGraph,
    node_bodies,
    tracking_noise,
)
from autourdf_ros.estimation.motion.structure.candidate_building import candidate_by_expansion
from autourdf_ros.estimation.motion.structure.candidate_model import PRIORS
from autourdf_ros.estimation.motion.structure.expansion import motor_expansion
from autourdf_ros.estimation.motion.structure.expansion.motor_expansion import expand_by_motors
from autourdf_ros.geometry.rigid_motion import (
    exp_se3,
    from_translation,
    inverse,
    log_se3,
    revolute_twist,
)

ALONG, ACROSS, UP = np.eye(3)
BASE = box((0.3, 0.3, 0.1))
COLUMN = box((0.1, 0.12, 0.3), (0, 0, 0.205))
ARM = box((0.4, 0.08, 0.1), (0.2, 0, 0.41))
HAND = box((0.12, 0.05, 0.04), (0, 0.03, 0.38))
FINGER = box((0.06, 0.03, 0.05), (0.435, 0, 0.41))
SLIDING = np.concatenate([np.zeros(3), ALONG])


def independent(motors, size=0.35, seed=1):
    """Readings (8, M) of up to seven motors that move independently, and never hardly."""
    amounts = np.random.default_rng(seed).uniform(0.5, 1, (8, motors))
    return size * amounts * hadamard(8)[:, 1 : motors + 1]


class Seen:
    """A robot in frames: what the expansion is given, and the truth (labels, chain, readings)."""

    def __init__(self, shapes, chain, readings, counts, base=None, lost=None):
        """counts: points of every body. base: (F, 4, 4). lost: {body: body taken for}."""
        self.chain, self.readings = chain, readings
        self.base = np.tile(np.eye(4), (len(readings), 1, 1)) if base is None else base
        still = np.tile(np.eye(4), (len(shapes), 1, 1))
        self.reference, self.labels = merged_cloud(shapes, still, counts, 0)
        poses = chain.poses(readings, self.base)
        self.frames = [merged_cloud(shapes, pose, counts, 1 + f)[0] for f, pose in enumerate(poses)]
        graph, neighbours = build_graph(
            self.reference.points, self.reference.spacing, len(self.labels) // 30
        )
        votes = np.zeros((len(graph.centres), len(shapes)))
        np.add.at(votes, (graph.nodes, self.labels), 1)
        owners = votes.argmax(axis=1)
        for body, taken in (lost or {}).items():
            owners[owners == body] = taken
        errors = np.random.default_rng(9).normal(0, 5e-4, (len(readings), len(owners), 6))
        tracked = poses[:, owners] @ exp_se3(errors)
        noise = tracking_noise(graph, self.reference, self.frames, tracked)
        self.frame_set = FrameSet(self.reference, self.frames, neighbours, noise)
        bodies = node_bodies(graph, self.reference, self.frames, tracked)
        self.tracked = TrackedGraph(graph, bodies)

    def expanded(self, readings=None, **options):
        return expand_by_motors(
            self.frame_set,
            self.tracked,
            readings=self.readings if readings is None else readings,
            metre=self.chain.metre,
            **options,
        )

    def candidate(self):
        return candidate_by_expansion(
            self.frame_set,
            self.tracked,
            readings=self.readings,
            metre=self.chain.metre,
        )


def panning(ratio=1.0):
    """A column that pans on the base, by motor 1."""
    return ScrewChain(1.0).with_joint(0, 1, ratio * revolute_twist(UP, np.zeros(3)), "revolute")


def arm():
    """A pan, a lift and a slide, one on the other; motors in another order."""
    chain = panning().with_joint(1, 0, revolute_twist(ACROSS, 0.38 * UP), "revolute")
    return chain.with_joint(2, 2, SLIDING, "prismatic")


def by_motor(motors):
    """Joint of every motor."""
    return {int(motor): joint for joint, motor in enumerate(motors)}


def assert_found(expanded, seen, right=0.93, angle=0.02, distance=0.006, ratio=1e-9):
    """The same motors, parents, types, ratios and lines; the labels mostly right."""
    truth, found = seen.chain, expanded.chain
    assert sorted(found.motors) == sorted(truth.motors)
    joints, wanted = by_motor(found.motors), by_motor(truth.motors)
    body = {0: 0} | {wanted[motor] + 1: joints[motor] + 1 for motor in wanted}
    for motor, joint in wanted.items():
        own = joints[motor]
        assert found.parents[own] == body[truth.parents[joint]]
        assert found.types[own] == truth.types[joint]
        assert found.ratios[own] == pytest.approx(truth.ratios[joint], rel=ratio)
        part = slice(0, 3) if truth.types[joint] == "revolute" else slice(3, 6)
        assert angle_between(found.twists[own, part], truth.twists[joint, part]) < angle
        assert found.twists[own, part] @ truth.twists[joint, part] > 0
        if truth.types[joint] == "revolute":
            axis = truth.twists[joint, :3] / np.linalg.norm(truth.twists[joint, :3])
            off = line_point(found.twists[own]) - line_point(truth.twists[joint])
            assert np.linalg.norm(off - (off @ axis) * axis) < distance
    order = np.array([body[b] for b in range(len(truth.parents) + 1)])
    assert (expanded.labels == order[seen.labels]).mean() > right


@pytest.fixture(scope="module")
def seen_arm():
    return Seen(
        [BASE, COLUMN, ARM, FINGER], arm(), independent(3) * [1, 1, 0.15], [800, 500, 500, 300]
    )


@pytest.mark.slow
def test_an_arm_is_expanded_link_by_link(seen_arm):
    expanded = seen_arm.expanded()
    assert_found(expanded, seen_arm)
    assert expanded.root_motion == "still"
    assert expanded.chain.motors[0] == 1 and expanded.chain.motors[2] == 2
    poses = expanded.chain.poses(seen_arm.readings, seen_arm.base)
    assert expanded.bodies.poses.shape == poses.shape
    errors = np.linalg.norm(log_se3(inverse(poses) @ expanded.bodies.poses), axis=-1)
    assert np.median(errors) < 0.01


@pytest.mark.slow
def test_an_expanded_candidate_is_of_the_chain(seen_arm):
    found = seen_arm.candidate()
    assert found.matched_count == 3
    joints = by_motor(found.tree.motors.columns)
    order = [joints[motor] for motor in range(3)]
    np.testing.assert_array_equal(found.model.revolute[order], [True, True, False])
    values = found.states.values
    np.testing.assert_allclose(values[:, order], seen_arm.readings[:, [0, 1, 2]], rtol=1e-9)
    np.testing.assert_allclose(found.predicted(seen_arm.readings), values, rtol=1e-9)
    np.testing.assert_array_equal(found.states.base, found.segmentation.bodies.poses[:, 0])
    assert found.prior == PRIORS["still"]
    np.testing.assert_allclose(np.linalg.norm(found.model.twists[order][:2, :3], axis=1), 1)
    assert found.labels.max() == 3
    assert found.explained == (found.labels >= 0).mean() > 0.95


@pytest.mark.slow
def test_two_links_on_one_parent_are_separated():
    shapes = [BASE, *(box((0.08, 0.1, 0.25), (x, 0, 0.18)) for x in (-0.09, 0.09))]
    chain = ScrewChain(1.0)
    for motor, axis, x in ((1, ACROSS, -0.09), (0, ALONG, 0.09)):
        point = np.array([x, 0, 0.06])
        chain = chain.with_joint(0, motor, revolute_twist(axis, point), "revolute")
    seen = Seen(shapes, chain, independent(2), [800, 400, 400])
    expanded = seen.expanded()
    assert_found(expanded, seen)
    assert expanded.chain.parents == (0, 0)


@pytest.mark.slow
@pytest.mark.parametrize("metre", [1.0, 0.4])
def test_a_link_that_slides_hangs_on_a_prismatic_joint(metre):
    slide = np.concatenate([np.zeros(3), 0.6 * ALONG + 0.8 * UP])
    chain = ScrewChain(metre).with_joint(0, 0, metre * slide, "prismatic")
    seen = Seen([BASE, COLUMN], chain, 0.15 / metre * independent(1), [600, 400])
    assert_found(seen.expanded(), seen)


@pytest.mark.slow
def test_motors_that_move_nothing_get_no_joint():
    seen = Seen([BASE, COLUMN], panning(), independent(3), [600, 400])
    assert_found(seen.expanded(), seen, right=0.9)


@pytest.mark.slow
def test_a_robot_that_stands_still_is_its_root():
    seen = Seen([BASE, COLUMN], panning(), np.zeros((8, 2)), [600, 400])
    seen.readings = independent(2)
    expanded = seen.expanded()
    assert expanded.chain.parents == ()
    assert not expanded.labels.any()
    assert seen.candidate() is None


@pytest.mark.slow
def test_a_motor_that_moves_its_joint_by_a_gear_is_found_with_its_ratio():
    hinge = 0.5 * revolute_twist(ACROSS, 0.38 * UP)
    chain = ScrewChain(1.0).with_joint(0, 1, hinge, "revolute")
    seen = Seen([BASE, ARM], chain, independent(2), [600, 500])
    assert_found(seen.expanded(), seen, ratio=0.02)


@pytest.mark.slow
def test_a_base_that_shifts_is_followed():
    shifts = np.random.default_rng(3).uniform(-0.05, 0.05, (8, 3))
    base = from_translation(shifts)
    seen = Seen([BASE, COLUMN], panning(), independent(2), [600, 400], base=base)
    expanded = seen.expanded()
    assert expanded.root_motion == "shifts"
    assert_found(expanded, seen, right=0.9)
    np.testing.assert_allclose(expanded.bodies.poses[:, 0], base, atol=0.002)
    np.testing.assert_allclose(seen.candidate().states.base, base, atol=0.002)


def test_without_a_root_nothing_is_expanded():
    base = exp_se3(np.random.default_rng(3).normal(0, 0.2, (8, 6)))
    seen = Seen([BASE, COLUMN], panning(), independent(2), [600, 400], base=base)
    assert seen.expanded() is None
    assert seen.candidate() is None


@pytest.fixture(scope="module")
def lost_hand():
    """A small hand that turns on the column, which tracking took for a part of it."""
    chain = panning().with_joint(1, 0, revolute_twist(UP, 0.38 * UP), "revolute")
    return Seen([BASE, COLUMN, HAND], chain, independent(2), [600, 400, 150], lost={2: 1})


@pytest.mark.slow
def test_a_patch_that_tracking_lost_is_found_among_all_screws(lost_hand):
    expanded = lost_hand.expanded()
    assert_found(expanded, lost_hand, right=0.88, angle=0.05, distance=0.012)
    assert (expanded.labels[lost_hand.labels == 2] == 2).mean() > 0.9


@pytest.mark.slow
def test_a_known_link_is_kept_where_others_are_found(lost_hand, monkeypatch):
    known = lost_hand.expanded(small_links=False)
    assert known.chain.motors == (1,)
    monkeypatch.setattr(motor_expansion, "node_branches", lambda *_: [])
    assert lost_hand.expanded(small_links=False).chain.motors == ()
    assert_found(lost_hand.expanded(known=known), lost_hand, right=0.88, angle=0.05, distance=0.012)


@pytest.mark.slow
def test_a_joint_known_by_a_ratio_is_found_anew(lost_hand):
    known = lost_hand.expanded()
    assert known.chain.motors == (1, 0)
    wrong = known.chain.with_ratios(known.chain.ratios * [0.6, 1.0])
    expanded = lost_hand.expanded(known=replace(known, chain=wrong))
    assert_found(expanded, lost_hand, right=0.88, angle=0.05, distance=0.012)


def test_the_nodes_do_not_show_such_a_patch(lost_hand, monkeypatch):
    monkeypatch.setattr(motor_expansion, "patch_branches", lambda *_: [])
    assert lost_hand.expanded().chain.motors == (1,)


@pytest.mark.slow
def test_a_link_whose_motor_is_not_read_gets_no_joint(lost_hand):
    expanded = lost_hand.expanded(lost_hand.readings * [0, 1])
    assert expanded.chain.motors == (1,)
    assert set(np.unique(expanded.labels)) <= {-1, 0, 1}


@pytest.mark.slow
def test_a_link_that_takes_all_of_a_small_round_root_gives_none():
    base = trimesh.creation.cylinder(0.06, 0.06, sections=96)
    column = box((0.2, 0.12, 0.3), (0, 0, 0.18))
    seen = Seen([base, column], panning(), independent(2), [60, 500])
    assert seen.candidate() is None


@pytest.mark.slow
def test_a_motor_moves_both_fingers_of_a_gripper():
    block = box((0.06, 0.05, 0.08))
    fingers = [block.copy().apply_translation((0, y, 0.095)) for y in (-0.08, 0.08)]
    chain = ScrewChain(1.0)
    for direction in (ACROSS, -ACROSS):
        chain = chain.with_joint(0, 0, np.concatenate([np.zeros(3), direction]), "prismatic")
    lost = {1: 0, 2: 0}
    seen = Seen([BASE, *fingers], chain, 0.05 * independent(1) / 0.35, [600, 60, 60], lost=lost)
    expanded = seen.expanded()
    assert expanded.chain.motors == (0, 0) and expanded.chain.parents == (0, 0)
    assert expanded.chain.types == ("prismatic", "prismatic")
    first, second = expanded.chain.twists[:, 3:]
    assert angle_between(first, -second) < np.radians(5)
    counts = np.array(
        [np.bincount(expanded.labels[seen.labels == body] + 1, minlength=4) for body in (1, 2)]
    )
    assert sorted(counts.argmax(axis=1)) == [2, 3]
    assert (counts.max(axis=1) > 0.7 * counts.sum(axis=1)).all()
