from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from motion_strategies import limits
from motor_driven_arm import arm, motor

from autourdf_ros.commanding.targets.informative_targets import InformativeTargets
from autourdf_ros.commanding.targets.random_targets import RandomTargets
from autourdf_ros.estimation.motion.streaming import LiveEstimate
from autourdf_ros.estimation.motion.uncertainty.line_knowledge import line_knowledge
from autourdf_ros.model.limits.motion_limits import JointLimits

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


@pytest.mark.slow
@settings(max_examples=30, deadline=None)
@given(limits(), st.integers(0, 1000))
def test_targets_are_small_steps_within_the_limits(chosen, seed):
    targets = InformativeTargets(chosen, 0.07, 0.14, seed)
    targets.learn(estimate(arm([motor(name) for name in chosen])))
    start = {name: limit.lower + 0.3 * limit.span for name, limit in chosen.items()}
    for here, there in pairwise(walk(targets, start)):
        assert moved(here, there)
        for name, limit in chosen.items():
            assert limit.lower <= there[name] <= limit.upper
            step = abs(there[name] - here[name])
            assert step == 0 or min(0.07, 0.15 * limit.span) - 1e-9 <= step <= 0.14 + 1e-9


def test_without_a_model_targets_are_random():
    expected = walk(RandomTargets(LIMITS, seed=3), START)
    targets = InformativeTargets(LIMITS, seed=3)
    assert walk(targets, START) == expected
    unknown = InformativeTargets(LIMITS, seed=3)
    unknown.learn(estimate(None))
    assert walk(unknown, START) == expected and not unknown.finished


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


def test_motors_without_a_joint_move_alone_every_second_time():
    targets = InformativeTargets(LIMITS)
    targets.learn(estimate(arm(MOTORS[:1])))
    steps = [moved(*pair) for pair in pairwise(walk(targets, START, 6))]
    assert {frozenset(step) for step in steps[::2]} == {
        frozenset("b"),
        frozenset("c"),
        frozenset("bc"),
    }


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
