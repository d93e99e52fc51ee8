"""A motor that may read backwards is named where no other cause explains what changed."""

import pytest

from autourdf_ros.monitoring import naming
from autourdf_ros.monitoring.change import Change
from autourdf_ros.monitoring.naming import named_changes

SIGN = Change("joint_sign", "lift", (), 80.0, "it reads backwards")
BEND = Change("link_shape", "column", (), 400.0, "it is bent")


class Found:
    """An explanation that leaves nothing, or something."""

    class cause:
        named, kind = ("link_shape", "column"), "link_shape"

    def __init__(self, whole, beside=None, alternatives=()):
        self.whole, self.beside, self.alternatives = whole, beside, alternatives

    def is_whole(self, alarm):
        return self.whole

    @property
    def together(self):
        return (self,) if self.beside is None else (self, self.beside)


@pytest.fixture
def worded(monkeypatch):
    """Causes need a whole model for their words alone."""
    monkeypatch.setattr(naming, "change_of", lambda found, model: BEND)
    monkeypatch.setattr(naming, "undecided", lambda causes, found: "something changed")

    class Causes:
        model = None

    return Causes()


@pytest.mark.parametrize(
    ("found", "named"), [(Found(True), (BEND,)), (Found(False), (SIGN,)), (None, (SIGN,))]
)
def test_a_sign_yields_to_a_cause_that_explains_all(worded, found, named):
    assert named_changes(worded, found, None, 20.0, (), SIGN) == (named, "")


def test_without_a_sign_what_no_cause_explains_stays_undecided(worded):
    assert named_changes(worded, Found(False), None, 20.0) == ((), "something changed")


ZERO = Change("joint_zero", "lift", (), 900.0, "its zero slipped")
OTHERS = (("joint_zero", "pan"),)


@pytest.mark.parametrize(
    ("first", "second", "named", "doubt"),
    [
        ((), (), (ZERO, BEND), ""),
        ((), OTHERS, (ZERO,), "something else changed"),
        (OTHERS, (), (BEND,), "something else changed"),
        (OTHERS, OTHERS, (), "something changed"),
    ],
)
def test_of_two_causes_those_are_named_that_no_other_explains_as_well(
    monkeypatch, worded, first, second, named, doubt
):
    other = Found(True, None, second)
    monkeypatch.setattr(naming, "change_of", lambda found, model: BEND if found is other else ZERO)
    monkeypatch.setattr(naming, "undecided_beside", lambda causes, one: "something else changed")
    assert named_changes(worded, Found(True, other, first), None, 20.0) == (named, doubt)


def test_one_cause_is_named_with_its_alternatives(worded):
    assert named_changes(worded, Found(True, None, OTHERS), None, 20.0) == ((BEND,), "")
