"""Chosen motions tell more of a change than others, and as much as the looks then do."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from watched_arm import CAMERAS, LINKS, MOTORS, model, path, watch

from autourdf_ros.errors import InputError
from autourdf_ros.monitoring.causes import Causes
from autourdf_ros.monitoring.change import Change, Quantity
from autourdf_ros.monitoring.comparison import compare_observation
from autourdf_ros.monitoring.displacement import beside, farthest
from autourdf_ros.monitoring.expected_look import expected_comparison, viewpoints
from autourdf_ros.monitoring.linear_system import look_sums
from autourdf_ros.monitoring.telling_motions import nearby, question_of, telling_targets
from autourdf_ros.motion.limits import JointLimits

LIMITS = {
    "pan": JointLimits(-1.0, 1.0, 1.0, 3.0),
    "lift": JointLimits(-0.2, 1.0, 1.0, 3.0),
    "roll": JointLimits(-0.01, 0.01, 0.1, 1.0),
}
START = {"pan": 0.1, "lift": -0.1, "roll": 0.0}
REACH = 0.3


def change(kind, subject, values=()):
    told = tuple(Quantity("off", value, 0.001, "rad") for value in values)
    return Change(kind, subject, told, 20.0, "it is seen")


@pytest.fixture(scope="module")
def arm():
    return model()


@pytest.fixture(scope="module")
def looks(arm):
    """As it was, and some that were seen at one place since."""
    healthy = [compare_observation(arm, one) for one in watch(path(4))]
    still = np.tile(list(START.values()), (2, 1))
    return healthy, [compare_observation(arm, one) for one in watch(still, first=9)]


@pytest.fixture(scope="module", params=[("joint_axis", "lift"), ("link_shape", "arm")])
def question(arm, looks, request):
    return question_of(arm, change(*request.param), *looks)


def told(question, targets):
    return question.gain([question.expected(one) for one in targets])


def test_chosen_motions_tell_more_than_any_random_ones(question):
    candidates = nearby(START, LIMITS, REACH, 16)
    chosen = telling_targets(question, START, candidates, 3)
    rng = np.random.default_rng(1)
    others = [told(question, [candidates[n] for n in rng.permutation(16)[:3]]) for _ in range(25)]
    assert len(chosen) == 3 and told(question, chosen) >= max(others) - 1e-9
    assert told(question, chosen) > np.mean(others) > question.gain() > 0


def test_where_the_way_is_not_free_it_does_not_go(question):
    candidates = nearby(START, LIMITS, REACH, 12)
    asked = []

    def free(here, there):
        asked.append((here, there))
        return there["pan"] < 0.1

    chosen = telling_targets(question, START, candidates, 3, free)
    assert chosen and all(one["pan"] < 0.1 for one in chosen)
    assert asked[0][0] == START
    assert {tuple(here.items()) for here, _ in asked} <= {
        tuple(one.items()) for one in (START, *chosen)
    }
    assert telling_targets(question, START, candidates, 3, lambda *_: False) == []


def test_a_look_tells_about_as_much_as_was_expected(arm, looks, question):
    healthy, recent = looks
    stood = {one.camera: one for one in viewpoints(arm, [one.look for one in healthy])}
    for one in recent:
        expected = expected_comparison(arm, stood[one.look.camera], START)
        causes, usual = question.causes, question.usual
        sums = [look_sums(causes, which, usual) for which in (one, expected)]
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
def test_what_has_no_parameters_cannot_be_asked(arm, looks, kind, subject):
    with pytest.raises(InputError, match=f"{kind} of '{subject}' has no parameters to be told"):
        question_of(arm, change(kind, subject), *looks)


def test_without_looks_nothing_can_be_asked(arm, looks):
    with pytest.raises(InputError, match="0 looks from before the change and 4 since then"):
        question_of(arm, change("joint_zero", "lift"), [], looks[1])


@pytest.mark.parametrize(
    ("kind", "subject", "values"),
    [("joint_zero", "lift", [0.02]), ("link_shape", "column", [0.01, 0.02, 0, 0.001, 0, 0.002])],
)
def test_nothing_stands_farther_off_than_is_told(arm, looks, kind, subject, values):
    causes = Causes(arm, CAMERAS)
    told_change = change(kind, subject, values)
    seen = [one.look for one in looks[0]]
    most = farthest(causes, told_change, seen)
    for cause in (one for one in causes.table if one.named == (kind, subject)):
        for look in seen:
            twists = causes.twists(look)[..., cause.columns] @ np.array(values)
            own = twists[arm.vertex_segment]
            moved = np.cross(own[:, :3], arm.vertices) + own[:, 3:]
            assert np.linalg.norm(moved, axis=1).max() <= most
    assert most < 0.1


def test_of_a_camera_nothing_is_displaced(arm, looks):
    causes, moved = Causes(arm, CAMERAS), change("camera_pose", "left", [0.1] * 6)
    assert farthest(causes, moved, [looks[0][0].look]) == 0.0
    assert not beside(causes, moved)("base", "hand")
    with pytest.raises(InputError, match="it is not told how far it is off"):
        farthest(causes, change("attachment", "hand", [0.1] * 6), [looks[0][0].look])


def test_links_with_the_change_or_a_neighbour_between_them_need_room(arm):
    causes = Causes(arm, CAMERAS)
    assert set(MOTORS) == set(arm.joints)
    apart = beside(causes, change("joint_zero", "lift", [0.1]))
    # The joint moves the arm; the column and the hand are its neighbours.
    for pair in [("base", "arm"), ("base", "hand"), ("column", "hand"), ("arm", None)]:
        assert apart(*pair) and apart(*pair[::-1]) if pair[1] else apart(*pair)
    assert not apart("base", "column") and not apart("base", None)
    assert not apart("arm", "arm")
    ground = beside(causes, change("base_pose", LINKS[0], [0.1] * 6))
    assert ground("base", None) and ground("hand", None) and not ground("base", "hand")
