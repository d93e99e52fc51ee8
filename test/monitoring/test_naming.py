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

    def __init__(self, whole):
        self.whole = whole

    def is_whole(self, alarm):
        return self.whole

    @property
    def together(self):
        return (self,)


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


def test_two_causes_that_explain_all_together_are_both_named(monkeypatch, worded):
    zero = Change("joint_zero", "lift", (), 900.0, "its zero slipped")
    other = Found(True)

    class Pair(Found):
        @property
        def together(self):
            return (self, other)

    monkeypatch.setattr(naming, "change_of", lambda found, model: BEND if found is other else zero)
    assert named_changes(worded, Pair(True), None, 20.0) == ((zero, BEND), "")
