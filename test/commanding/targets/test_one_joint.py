from itertools import combinations, pairwise

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from motion_strategies import limits

from autourdf_ros.commanding.targets.one_joint import OneJointTargets
from autourdf_ros.model.limits.motion_limits import JointLimits

WIDE = {name: JointLimits(-3, 3, 1, 1) for name in "abcde"}


def middle(chosen):
    return {name: limit.lower + 0.4 * limit.span for name, limit in chosen.items()}


def moves(targets, chosen, count):
    """The joints that each of `count` targets moves, and the targets themselves."""
    path = [middle(chosen)]
    for _ in range(count):
        path.append(targets.next(path[-1]))
    groups = [
        tuple(sorted(name for name in chosen if here[name] != there[name]))
        for here, there in pairwise(path)
    ]
    return groups, path


def one_round(chosen):
    count = len(chosen)
    return count + count * (count - 1) // 2


@settings(max_examples=60, deadline=None)
@given(limits(joints=7), st.integers(0, 1000), st.integers(1, 9))
def test_every_joint_moves_alone_and_then_every_pair_once(chosen, seed, length):
    targets = OneJointTargets(chosen, seed=seed)
    groups = []
    while len(groups) < 2 * one_round(chosen):  # in sequences, each from the middle
        targets.start_sequence()
        groups += moves(targets, chosen, length)[0]
    names, count = sorted(chosen), one_round(chosen)
    for lap in (groups[:count], groups[count : 2 * count]):
        assert sorted(lap[: len(names)]) == [(name,) for name in names]
        assert sorted(lap[len(names) :]) == list(combinations(names, 2))


@settings(max_examples=60, deadline=None)
@given(limits(joints=5), st.integers(0, 1000))
def test_targets_are_small_steps_within_the_limits(chosen, seed):
    targets = OneJointTargets(chosen, 0.07, 0.14, seed)
    targets.start_sequence()
    _, path = moves(targets, chosen, 40)
    for here, there in pairwise(path):
        for name, limit in chosen.items():
            assert limit.lower <= there[name] <= limit.upper
            step = abs(there[name] - here[name])
            least = min(0.07, 0.15 * limit.span)
            assert step == 0 or least - 1e-9 <= step <= 0.14 + 1e-9


@given(st.integers(0, 1000))
def test_the_same_seed_gives_the_same_targets(seed):
    paths = []
    for _ in range(2):
        targets = OneJointTargets(WIDE, seed=seed)
        targets.start_sequence()
        paths.append(moves(targets, WIDE, 30)[1])
    assert paths[0] == paths[1]


def test_pairs_of_neighbouring_targets_share_no_joint_where_possible():
    groups, _ = moves(OneJointTargets(WIDE), WIDE, one_round(WIDE))
    shared = [set(a) & set(b) for a, b in pairwise(groups[5:])]
    assert np.count_nonzero(shared) <= 5


def test_what_was_refused_is_tried_once_more_before_the_next_round():
    targets, here = OneJointTargets(WIDE), middle(WIDE)
    targets.start_sequence()

    def moved():
        target = targets.next(here)
        return tuple(sorted(name for name in WIDE if target[name] != here[name]))

    refused = moved()
    targets.turn(1)
    assert moved() == tuple(WIDE)  # all of them, which shows one that is stuck
    others = [moved() for _ in range(one_round(WIDE) - 1)]
    assert refused not in others and len(set(others)) == len(others)
    assert moved() == refused
    targets.turn(1)
    assert moved() == tuple(WIDE)
    assert sorted(moved() for _ in WIDE) == [(name,) for name in WIDE]
