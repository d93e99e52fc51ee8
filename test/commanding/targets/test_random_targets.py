import math

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from motion_strategies import limits

from autourdf_ros.commanding.targets.random_targets import RandomTargets
from autourdf_ros.model.limits.motion_limits import JointLimits


def sequence(targets, joints):
    """Ten positions (10, J) of a new sequence from zero."""
    targets.start_sequence()
    path = [dict.fromkeys(joints, 0.0)]
    for _ in range(9):
        path.append(targets.next(path[-1]))
    return np.array([list(point.values()) for point in path])


@settings(max_examples=60, deadline=None)
@given(limits(), st.sampled_from([0.0, 0.5, 1.0]), st.integers(0, 1000))
def test_targets_are_small_steps_within_the_limits(chosen, share, seed):
    targets = RandomTargets(chosen, 0.07, 0.14, share, seed)
    targets.start_sequence()
    current = {name: limit.lower + 0.3 * limit.span for name, limit in chosen.items()}
    for _ in range(30):
        following = targets.next(current)
        steps = {name: abs(following[name] - current[name]) for name in chosen}
        assert any(steps.values())
        for name, limit in chosen.items():
            assert limit.lower <= following[name] <= limit.upper
            if steps[name] or share == 1.0:
                least = min(0.07, 0.15 * limit.span)
                assert least - 1e-9 <= steps[name] <= 0.14 + 1e-9
        current = following


@pytest.mark.parametrize("share", [0.5, 1.0])
def test_joints_move_independently(share):
    chosen = {name: JointLimits(-3, 3, 1, 1) for name in "abcdef"}
    targets = RandomTargets(chosen, share=share, seed=3)
    moves = []
    for _ in range(100):
        moves.append(np.diff(sequence(targets, chosen), axis=0))
    steps = np.vstack(moves)
    for quantity in (steps, np.abs(steps)):
        correlation = np.corrcoef(quantity.T) - np.eye(6)
        assert np.abs(correlation).max() < 0.35
    assert np.mean(steps != 0) == pytest.approx(share, abs=0.05)


def test_every_second_sequence_sets_out_the_opposite_way():
    chosen = {name: JointLimits(-3, 3, 1, 1) for name in "abcdef"}
    targets = RandomTargets(chosen, share=1.0, seed=3)
    here = dict.fromkeys(chosen, 0.0)
    for _ in range(10):
        targets.start_sequence()
        first = np.sign(list(targets.next(here).values()))
        targets.start_sequence()
        assert (first == -np.sign(list(targets.next(here).values()))).all()


def test_small_shares_move_one_joint_at_a_time():
    chosen = {name: JointLimits(-3, 3, 1, 1) for name in "abcdef"}
    targets = RandomTargets(chosen, share=0.0, seed=3)
    targets.start_sequence()
    here = dict.fromkeys(chosen, 0.0)
    assert all(np.count_nonzero(list(targets.next(here).values())) == 1 for _ in range(50))


def test_the_same_seed_gives_the_same_targets():
    chosen = {"a": JointLimits(-3, 3, 1, 1)}
    first, second = RandomTargets(chosen, seed=7), RandomTargets(chosen, seed=7)
    for targets in (first, second):
        targets.start_sequence()
    assert first.next({"a": 0.0}) == second.next({"a": 0.0})


def test_a_start_outside_the_limits_by_noise_leads_back_inside():
    targets = RandomTargets({"finger": JointLimits(0.0, 0.04, 1, 1)})
    targets.start_sequence()
    for start in (-0.0003, 0.0403):
        assert 0.0 <= targets.next({"finger": start})["finger"] <= 0.04


def test_a_refused_target_is_followed_by_others_and_every_third_leads_back():
    chosen = {name: JointLimits(-3, 3, 1, 1) for name in "abcdef"}
    targets = RandomTargets(chosen, share=1.0, seed=1)
    targets.start_sequence()
    here = dict.fromkeys(chosen, 0.0)

    def signs():
        return tuple(np.sign(list(targets.next(here).values())))

    first = signs()
    tried = []
    for refusals in range(1, 7):
        targets.turn(refusals)
        tried.append(signs())
    assert tried[2] == tried[5] == tuple(-sign for sign in first)
    assert len({first, *tried}) >= 5


@settings(max_examples=60, deadline=None)
@given(st.integers(2, 12), st.integers(0, 1000))
@example(5, 28)
def test_every_joint_sweeps_a_range_in_every_sequence(count, seed):
    chosen = {f"joint_{index}": JointLimits(-3, 3, 1, 1) for index in range(count)}
    targets = RandomTargets(chosen, seed=seed)
    for _ in range(2):
        assert (np.ptp(sequence(targets, chosen), axis=0) >= 3 * math.radians(7)).all()


def test_joints_turn_round_at_different_times():
    chosen = {name: JointLimits(-3, 3, 1, 1) for name in "abcdef"}
    targets = RandomTargets(chosen, seed=3)
    turned = np.zeros(6)
    for _ in range(20):
        steps = np.diff(sequence(targets, chosen), axis=0)
        turned += (steps.max(axis=0) > 0) & (steps.min(axis=0) < 0)
    assert (turned > 3).all() and (turned < 17).all()


def test_all_joints_move_after_a_refusal():
    chosen = {name: JointLimits(-3, 3, 1, 1) for name in "abcdef"}
    targets = RandomTargets(chosen, share=0.0, seed=3)
    targets.start_sequence()
    here = dict.fromkeys(chosen, 0.0)
    targets.next(here)
    targets.turn(1)
    assert np.count_nonzero(list(targets.next(here).values())) == 6
    assert np.count_nonzero(list(targets.next(here).values())) == 1
