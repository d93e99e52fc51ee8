import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from motion_strategies import limits

from autourdf_ros.motion.limits import JointLimits
from autourdf_ros.motion.targets import RandomTargets


@settings(max_examples=60, deadline=None)
@given(limits(), st.integers(0, 1000))
def test_targets_are_small_steps_within_the_limits(chosen, seed):
    targets = RandomTargets(chosen, 0.07, 0.14, seed)
    targets.start_sequence()
    current = {name: limit.lower + 0.3 * limit.span for name, limit in chosen.items()}
    for _ in range(30):
        following = targets.next(current)
        for name, limit in chosen.items():
            assert limit.lower <= following[name] <= limit.upper
            step = abs(following[name] - current[name])
            assert min(0.07, 0.15 * limit.span) - 1e-9 <= step <= 0.14 + 1e-9
        current = following


def test_joints_move_independently_and_sweep_both_sides_of_the_start():
    chosen = {name: JointLimits(-3, 3, 1, 1) for name in "abcdef"}
    targets = RandomTargets(chosen, seed=3)
    moves = []
    ends = []
    for _ in range(20):
        targets.start_sequence()
        path = [dict.fromkeys(chosen, 0.0)]
        for _ in range(9):
            path.append(targets.next(path[-1]))
        positions = np.array([list(point.values()) for point in path])
        moves.append(np.diff(positions, axis=0))
        ends.append(positions[-1])
    correlation = np.corrcoef(np.abs(np.vstack(moves)).T) - np.eye(6)
    assert np.abs(correlation).max() < 0.35
    assert (np.sign(ends[::2]) == -np.sign(ends[1::2])).all()
    assert np.abs(ends).min() > 0.6


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
    targets = RandomTargets(chosen, seed=1)
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
