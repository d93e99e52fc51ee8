from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from motion_strategies import limits
from motor_driven_arm import arm, motor

from autourdf_ros.kinematics.line_knowledge import line_knowledge
from autourdf_ros.kinematics.streaming import LiveEstimate
from autourdf_ros.motion.informative import InformativeTargets
from autourdf_ros.motion.limits import JointLimits
from autourdf_ros.motion.targets import RandomTargets

MOTORS = (motor("a"), motor("b"), motor("c"))
LIMITS = {name: JointLimits(-2, 2, 1, 1) for name in "abc"}
START = {"a": 0.0, "b": 0.1, "c": 0.2}


def estimate(reconstruction):
    return LiveEstimate(10, reconstruction, "", None, 0)


def walk(targets, start, count=9):
    targets.start_sequence()
    path = [start]
    for _ in range(count):
        path.append(targets.next(path[-1]))
    return path


def moved(here, there):
    return {name for name in here if here[name] != there[name]}


@settings(max_examples=30, deadline=None)
@given(limits(), st.integers(0, 3), st.integers(0, 1000))
def test_targets_are_small_steps_within_the_limits(chosen, known, seed):
    targets = InformativeTargets(chosen, 0.07, 0.14, seed)
    if known:
        targets.learn(estimate(arm([motor(name) for name in list(chosen)[:known]])))
    start = {name: limit.lower + 0.3 * limit.span for name, limit in chosen.items()}
    for here, there in pairwise(walk(targets, start)):
        assert moved(here, there)
        for name, limit in chosen.items():
            assert limit.lower <= there[name] <= limit.upper
            step = abs(there[name] - here[name])
            assert step == 0 or min(0.07, 0.15 * limit.span) - 1e-9 <= step <= 0.14 + 1e-9


def test_without_a_model_motors_can_be_told_apart_sooner_than_by_random_targets():
    ratios = []
    for seed in range(10):
        unknown = InformativeTargets(LIMITS, seed=seed)
        unknown.learn(estimate(None))
        paths = walk(unknown, START, 5), walk(RandomTargets(LIMITS, seed=seed), START, 5)
        assert not unknown.finished
        ratios.append(np.divide(*[least_told(path) for path in paths]))
    assert np.median(ratios) > 2


def least_told(path):
    """Of all combinations of motors that moved as one would, how much is known of the least."""
    gone = np.array([[point[name] - START[name] for name in START] for point in path])
    return np.linalg.eigvalsh(gone.T @ gone)[0]


def test_the_same_seed_and_model_give_the_same_targets():
    paths = []
    for _ in range(2):
        targets = InformativeTargets(LIMITS, seed=5)
        targets.learn(estimate(arm(MOTORS)))
        paths.append(walk(targets, START))
    assert paths[0] == paths[1]


@pytest.mark.parametrize("weak", [0, 1, 2])
def test_the_joint_that_is_known_least_moves_and_goes_far(weak):
    deviations = [1e-5] * 3
    deviations[weak] = 0.2
    name, reach = "abc"[weak], []
    for seed in range(5):
        targets = InformativeTargets(LIMITS, seed=seed)
        targets.learn(estimate(arm(MOTORS, deviations)))
        path = walk(targets, START, 5)
        assert name in moved(*path[:2])
        reach.append(max(abs(point[name] - START[name]) for point in path))
    assert np.median(reach) > 0.5


def test_targets_leave_less_unknown_than_random_ones():
    knowledge = line_knowledge(arm(MOTORS, (0.05, 0.1, 0.2)))

    def left(path):
        known = knowledge
        for target in path[1:]:
            known = known.with_frame(target)
        return known.remaining([START], 0.01, 0.001)[0]

    ratios = []
    for seed in range(5):
        targets = InformativeTargets(LIMITS, seed=seed)
        targets.learn(estimate(arm(MOTORS, (0.05, 0.1, 0.2))))
        random = RandomTargets(LIMITS, seed=seed)
        ratios.append(left(walk(targets, START)) / left(walk(random, START)))
    assert np.median(ratios) < 0.6


def test_motors_without_a_joint_move_in_every_step_and_apart():
    targets = InformativeTargets(LIMITS)
    targets.learn(estimate(arm(MOTORS[:1])))
    path = walk(targets, START, 6)
    assert all(moved(*pair) & {"b", "c"} for pair in pairwise(path))
    gone = np.array([[point[name] - START[name] for name in "bc"] for point in path])
    assert np.ptp(gone, axis=0).min() > 0.5
    assert abs(np.corrcoef(gone.T)[0, 1]) < 0.9


def test_what_frames_told_since_the_model_was_found_is_not_forgotten():
    """Without that, all of them go the way that told most when it was found."""
    deviations = (0.2, 1e-5, 1e-5)
    model, told = arm(MOTORS, deviations), InformativeTargets(LIMITS, seed=1)
    alone = InformativeTargets(LIMITS, seed=1)
    told.learn(estimate(model))
    alone.learn(estimate(model))
    path = walk(alone, START, 5)
    told.start_sequence()
    here = START
    for stale, expected in enumerate(path[1:], start=1):
        here = told.next(here)
        assert here == expected
        told.learn(LiveEstimate(10 + stale, arm(MOTORS, deviations), "", None, stale))


def test_refused_targets_count_as_not_seen():
    ways = []
    for refused in (0, 3):
        targets = InformativeTargets(LIMITS, seed=2)
        targets.learn(estimate(arm(MOTORS)))
        targets.start_sequence()
        for number in range(refused):
            targets.next(START)
            targets.turn(number + 1)
        ways.append(targets)
    first, second = (targets._knowledge.information for targets in ways)
    assert np.array_equal(first, second)


def test_a_robot_that_stands_outside_its_limits_by_noise_is_sent_within():
    limit = JointLimits(0.0, 2.0, 1, 1)
    targets = InformativeTargets(dict.fromkeys("abc", limit))
    for model in (None, arm(MOTORS[:1]), arm(MOTORS)):
        targets.learn(LiveEstimate(1 + targets._found_at, model, "", None, 0))
        for _ in range(10):
            target = targets.next(dict.fromkeys("abc", -0.01))
            assert all(limit.lower <= value <= limit.upper for value in target.values())


@pytest.mark.parametrize(
    ("motors", "deviation", "finished"),
    [(MOTORS, 0.0009, True), (MOTORS, 0.002, False), (MOTORS[:2], 0.0009, False)],
)
def test_it_is_enough_when_every_motor_has_a_joint_that_is_known(motors, deviation, finished):
    targets = InformativeTargets(LIMITS, target_axis_std=0.01, target_line_std=0.001)
    assert not targets.finished
    targets.learn(estimate(arm(motors, [deviation] * 3)))
    assert targets.finished is finished


def test_all_joints_move_after_a_refusal():
    targets = InformativeTargets(LIMITS)
    targets.learn(estimate(arm(MOTORS)))
    walk(targets, START, 2)
    targets.turn(1)
    assert moved(START, targets.next(START)) == set("abc")
