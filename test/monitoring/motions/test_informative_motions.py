"""Chosen motions are more informative than others, and as informative as expected."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from watched_arm import model, path, watch

from autourdf_ros.errors import InputError
from autourdf_ros.model.limits.motion_limits import JointLimits
from autourdf_ros.monitoring.change import Change
from autourdf_ros.monitoring.diagnosis.linear_system import observation_sums
from autourdf_ros.monitoring.motions.informative_motions import (
    most_informative_targets,
    nearby,
    question_of,
)
from autourdf_ros.monitoring.observing.expected_observation import expected_comparison, viewpoints
from autourdf_ros.monitoring.observing.observation_comparison import compare_observation

LIMITS = {
    "pan": JointLimits(-1.0, 1.0, 1.0, 3.0),
    "lift": JointLimits(-0.2, 1.0, 1.0, 3.0),
    "roll": JointLimits(-0.01, 0.01, 0.1, 1.0),
}
START = {"pan": 0.1, "lift": -0.1, "roll": 0.0}
REACH = 0.3


def change(kind, subject):
    return Change(kind, subject, (), 20.0, "it is seen")


@pytest.fixture(scope="module")
def arm():
    return model()


@pytest.fixture(scope="module")
def comparisons(arm):
    """As it was, and some that were seen at one place since."""
    healthy = [compare_observation(arm, one) for one in watch(path(4))]
    still = np.tile(list(START.values()), (2, 1))
    return healthy, [compare_observation(arm, one) for one in watch(still, first=9)]


@pytest.fixture(scope="module", params=[("joint_axis", "lift"), ("link_shape", "arm")])
def question(arm, comparisons, request):
    return question_of(arm, change(*request.param), *comparisons)


def gained(question, targets):
    return question.gain([question.expected(one) for one in targets])


def chosen_of(question, candidates, count, free=lambda *_: True):
    expected = [question.expected(one) for one in candidates]
    return most_informative_targets(question, START, candidates, expected, count, free)


@pytest.mark.slow
def test_chosen_motions_are_more_informative_than_any_random_ones(question):
    candidates = nearby(START, LIMITS, REACH, 16)
    chosen = chosen_of(question, candidates, 3)
    rng = np.random.default_rng(1)
    others = [gained(question, [candidates[n] for n in rng.permutation(16)[:3]]) for _ in range(25)]
    assert len(chosen) == 3 and gained(question, chosen) >= max(others) - 1e-9
    assert gained(question, chosen) > np.mean(others) > question.gain() > 0


def test_where_the_way_is_not_free_it_does_not_go(question):
    candidates = nearby(START, LIMITS, REACH, 12)
    asked = []

    def free(here, there):
        asked.append((here, there))
        return there["pan"] < 0.1

    chosen = chosen_of(question, candidates, 3, free)
    assert chosen and all(one["pan"] < 0.1 for one in chosen)
    assert asked[0][0] == START
    assert {tuple(here.items()) for here, _ in asked} <= {
        tuple(one.items()) for one in (START, *chosen)
    }
    assert chosen_of(question, candidates, 3, lambda *_: False) == []


def test_an_observation_is_about_as_informative_as_expected(arm, comparisons, question):
    healthy, recent = comparisons
    stood = {one.camera: one for one in viewpoints(arm, healthy)}
    for one in recent:
        expected = expected_comparison(arm, stood[one.observation.camera], START)
        causes, baseline = question.causes, question.baseline
        sums = [observation_sums(causes, which, baseline) for which in (one, expected)]
        seen, predicted = (np.trace(own.own, axis1=1, axis2=2).sum() for own in sums)
        assert predicted == pytest.approx(seen, rel=0.35)


@settings(max_examples=25, deadline=None)
@given(
    st.floats(0.01, 0.5),
    st.integers(0, 1000),
    st.fixed_dictionaries({n: st.floats(one.lower, one.upper) for n, one in LIMITS.items()}),
)
def test_targets_are_within_the_limits_and_near(reach, seed, start):
    for target in nearby(start, LIMITS, reach, 5, seed):
        assert target.keys() == LIMITS.keys()
        for name, limit in LIMITS.items():
            assert limit.lower <= target[name] <= limit.upper
            assert abs(target[name] - start[name]) <= min(reach, 0.15 * limit.span) + 1e-12


@pytest.mark.parametrize(("kind", "subject"), [("attachment", "hand"), ("joint_zero", "nobody")])
def test_what_has_no_parameters_cannot_be_asked(arm, comparisons, kind, subject):
    with pytest.raises(InputError, match=f"{kind} of '{subject}' has no parameters"):
        question_of(arm, change(kind, subject), *comparisons)


def test_without_observations_nothing_can_be_asked(arm, comparisons):
    with pytest.raises(InputError, match="0 observations from before the change and 4 since then"):
        question_of(arm, change("joint_zero", "lift"), [], comparisons[1])
