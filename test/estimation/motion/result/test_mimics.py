"""Joints that follow another are found; joints that move alike by chance are not."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from autourdf_ros.estimation.motion.reconstruction import SequenceMotion
from autourdf_ros.estimation.motion.result.mimics import (
    directions,
    joint_paths,
    relation,
    with_mimics,
)
from autourdf_ros.model.layers.kinematics import Confidence, JointEstimate, MotorMatch
from autourdf_ros.model.self_model import Joint
from autourdf_ros.model.tree_joint import Mimic

SIGMA = 0.002
seeds = st.integers(0, 2**32 - 1)


def walks(random, joints, sequences=3, frames=10, persistent=False):
    """Joint values (rad) of random walks as captures make them: steps of 4 to 8 degrees.

    persistent: every joint keeps its direction through a sequence, so that all are alike.
    """
    result = []
    for _ in range(sequences):
        signs = random.choice([-1.0, 1.0], (1, joints))
        turns = np.ones((frames - 1, joints))
        if not persistent:
            turns = np.cumprod(random.choice([-1.0, 1.0], turns.shape, p=[0.2, 0.8]), axis=0)
        steps = np.radians(random.uniform(4, 8, turns.shape)) * signs * turns
        result.append(np.vstack([np.zeros(joints), np.cumsum(steps, axis=0)]))
    return result


def seen(random, sequences, sigma=SIGMA):
    """The motions as a reconstruction gives them: the first frame is the reference."""
    motions = []
    for number, values in enumerate(sequences):
        noisy = values + random.normal(0, sigma, values.shape)
        stds = np.full(values.shape, sigma)
        if number == 0:
            noisy[0], stds[0] = values[0], 0.0
        frames = len(values)
        motions.append(
            SequenceMotion(
                noisy,
                stds,
                np.tile(np.eye(4), (frames, 1, 1)),
                np.full(frames, 1e-3),
                np.ones(frames, bool),
                np.zeros(frames, bool),
            )
        )
    return motions


def joint(number, kind="revolute", motor=None, name=None):
    estimate = JointEstimate(np.eye(4), np.eye(3)[:2], Confidence(1, 1, 1), motor)
    return Joint(
        name or f"joint_{number + 1}",
        kind,
        f"link_{number}",
        f"link_{number + 1}",
        np.eye(3)[2],
        np.zeros(3),
        -1.0,
        2.0,
        estimate=estimate,
    )


def mimics(motions, joints=None, coupled=None):
    count = motions[0].joint_values.shape[1]
    joints = joints or [joint(i) for i in range(count)]
    coupled = np.zeros((count, count), bool) if coupled is None else coupled
    return [item.mimic for item in with_mimics(joints, motions, coupled)]


@settings(deadline=None)
@given(seeds, st.integers(2, 8), st.integers(1, 5), st.sampled_from([0.0005, 0.002, 0.01]))
def test_random_walks_mimic_nothing(seed, joints, sequences, sigma):
    random = np.random.default_rng(seed)
    motions = seen(random, walks(random, joints, sequences), sigma)
    assert mimics(motions) == [None] * joints


def test_joints_that_always_move_the_same_way_are_rarely_taken_for_mimics():
    """The hardest case, with noise: 1 in 100 is promised; coupled joints are the easiest."""
    coupled = np.zeros((5, 5), bool)
    coupled[3, 4] = coupled[4, 3] = True
    wrong = 0
    for seed in range(200):
        random = np.random.default_rng(seed)
        sigma = [0.002, 0.01, 0.02, 0.05][seed % 4]
        motions = seen(random, walks(random, 5, persistent=True), sigma)
        wrong += any(mimics(motions, coupled=coupled))
    assert wrong <= 4


@settings(deadline=None)
@given(seeds, st.sampled_from([1, 2, 3]), st.integers(1, 4))
def test_straight_lines_in_joint_space_show_nothing(seed, legs, repeats):
    """All joints move in proportion from pose to pose, again and again, with frames in between."""
    random = np.random.default_rng(seed)
    corners = np.vstack([np.zeros(6), random.uniform(-1, 1, (legs, 6))])
    parts = [np.linspace(a, b, 8) for a, b in pairwise(corners)]
    motions = seen(random, [np.vstack(parts)] * repeats)
    assert mimics(motions) == [None] * 6


def test_joints_that_moved_in_one_leg_only_show_nothing():
    """The first three joints move, then the last three along one line."""
    random = np.random.default_rng(0)
    values = np.zeros((20, 6))
    values[:10, :3] = walks(random, 3, 1)[0]
    values[10:, :3] = values[9, :3]
    values[10:, 3:] = np.arange(1, 11)[:, None] * np.array([0.1, -0.07, 0.05])
    assert mimics(seen(random, [values])) == [None] * 6


def test_two_joints_alone_show_nothing():
    """A robot of one motor, or one that was moved along a line: who knows."""
    random = np.random.default_rng(0)
    line = [walk * [1.0, -0.5] for walk in walks(random, 1, 5)]
    assert mimics(seen(random, line)) == [None] * 2


@settings(deadline=None)
@given(
    seeds,
    st.floats(0.3, 3) | st.floats(-3, -0.3),
    st.floats(-1, 1),
    st.integers(2, 4),
)
@example(0, 1.02, 0.0, 3)
@example(0, -1.0, 0.3, 2)
def test_a_follower_is_found_under_noise(seed, multiplier, offset, sequences):
    random = np.random.default_rng(seed)
    values = walks(random, 5, sequences)
    for walk in values:
        walk[:, 3] = multiplier * walk[:, 1] + offset
    motions = seen(random, values, 0.0005)
    first, second, third, mimic, fifth = mimics(motions)
    assert (first, second, third, fifth) == (None,) * 4
    assert mimic.joint == "joint_2"
    assert mimic.multiplier == pytest.approx(multiplier, abs=0.01)
    assert mimic.offset == pytest.approx(offset, abs=0.003)


def test_ratios_near_one_are_one_and_offsets_near_nothing_are_none():
    random = np.random.default_rng(1)
    values = walks(random, 4, 4)
    for walk in values:
        walk[:, 3] = -1.002 * walk[:, 1] + 0.0001
    assert mimics(seen(random, values))[3] == Mimic("joint_2", -1.0, 0.0)
    # But not between a turn and a slide, whose ratio is no number.
    joints = [joint(0), joint(1), joint(2), joint(3, "prismatic")]
    slide = mimics(seen(random, values), joints)[3]
    assert slide.multiplier != -1.0
    assert slide.multiplier == pytest.approx(-1.002, abs=0.003)


def test_one_frame_that_breaks_it_is_enough_unless_it_was_held_out():
    random = np.random.default_rng(2)
    values = walks(random, 5)
    for walk in values:
        walk[:, 3] = 0.5 * walk[:, 1]
    values[1][4, 3] += 0.1
    motions = seen(random, values)
    assert mimics(motions) == [None] * 5
    held = motions[1].held_out.copy()
    held[4] = True
    motions[1] = replace(motions[1], held_out=held)
    assert mimics(motions)[3].joint == "joint_2"


def test_all_followers_of_a_group_follow_its_first_joint():
    random = np.random.default_rng(3)
    values = walks(random, 6, 4)
    for walk in values:
        walk[:, 5], walk[:, 4] = 2 * walk[:, 2], -walk[:, 2]
    found = mimics(seen(random, values))
    assert found[:4] == [None] * 4
    assert [mimic.joint for mimic in found[4:]] == ["joint_3", "joint_3"]


def test_joints_of_two_motors_never_mimic_and_those_of_one_always_do():
    random = np.random.default_rng(4)
    values = walks(random, 6, 4)
    for walk in values:
        walk[:, 5] = walk[:, 4] = walk[:, 3] = -walk[:, 2]
    joints = [joint(i) for i in range(6)]
    joints[2] = joint(2, motor=MotorMatch("left", -40.0, 2.0, 0.0))
    joints[3] = joint(3, motor=MotorMatch("grip", 20.0, 6.0, 0.0))
    joints[4] = joint(4, motor=MotorMatch("grip", 1.0, 0.0, 0.0), name="grip")
    found = mimics(seen(random, values), joints)
    assert found[2] is None and found[4] is None
    # grip = 20 * value + 6, so that value = 0.05 * grip - 0.3, whatever was seen.
    assert found[3] == Mimic("grip", 0.05, -0.3)
    # The joint that no motor was found for follows one that has one, and none that mimics.
    assert found[5] in (Mimic("grip", 1.0, 0.0), Mimic("joint_3", -1.0, 0.0))


def test_a_follower_gets_the_limits_that_let_it_follow():
    random = np.random.default_rng(5)
    values = walks(random, 4, 4)
    for walk in values:
        walk[:, 3] = -0.5 * walk[:, 1]
    joints = [joint(i) for i in range(4)]
    follower = with_mimics(joints, seen(random, values), np.zeros((4, 4), bool))[3]
    assert (follower.lower, follower.upper) == pytest.approx((-1.0, 0.5), abs=0.02)


def test_few_or_no_frames_are_no_evidence():
    random = np.random.default_rng(6)
    motions = seen(random, walks(random, 3, 1, frames=3))
    assert mimics(motions) == [None] * 3
    unused = [replace(motions[0], used=np.zeros(3, bool))]
    assert mimics(unused) == [None] * 3
    still = seen(random, [np.zeros((10, 3))])
    assert mimics(still) == [None] * 3


def test_noise_makes_a_relation_less_sure():
    random = np.random.default_rng(7)
    values = walks(random, 4, 4)
    for walk in values:
        walk[:, 3] = walk[:, 1]
    problem = [
        relation(joint_paths(seen(random, values, sigma)), 1, 3, same_unit=True).log_evidence
        for sigma in (0.001, 0.005, 0.02, 0.1)
    ]
    assert problem == sorted(problem, reverse=True)
    assert problem[0] > 20 and problem[-1] < 1


def test_steps_back_and_forth_go_in_one_direction():
    steps = np.array([[1.0, 2.0, 0.5], [-0.5, -1.0, -0.25], [1.0, -2.0, 0.5], [0.0, 0.0, 0.0]])
    numbers = directions(steps, np.full(3, 0.001))
    assert numbers[0] == numbers[1] != numbers[2]
