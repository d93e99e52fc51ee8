"""The motions before a repair are few, near, within limits, and free with room to spare."""

import pytest
from repaired_arm import compared, observations, written_arm

from autourdf_ros.commanding.screening.keep_out import KeepOut
from autourdf_ros.commanding.screening.obstacles import Obstacles
from autourdf_ros.errors import InputError
from autourdf_ros.model.limits.motion_limits import JointLimits
from autourdf_ros.monitoring.change import Change, Quantity
from autourdf_ros.monitoring.motions.informative_motions import question_of
from autourdf_ros.monitoring.motions.motion_screen import MotionScreen
from autourdf_ros.monitoring.motions.observation_plan import MotionBounds, plan_observations
from autourdf_ros.monitoring.observing.watched_model import load_watched_model

pytestmark = pytest.mark.slow

LIMITS = {
    "shoulder-pan": JointLimits(-0.5, 0.5, 1.0, 3.0),
    "arm/lift": JointLimits(-0.6, 0.11, 1.0, 3.0),
}
START = {"shoulder-pan": 0.3, "arm/lift": 0.05}
OTHERS = {"slide": 0.02, "spin": 0.7}
REACH = 0.15
OFF, STD = 0.04, 0.002
NOTHING = Obstacles()
SLIPPED = Change("joint_zero", "arm/lift", (Quantity("offset", OFF, STD, "rad"),), 20.0, "slipped")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return written_arm(tmp_path_factory.mktemp("results") / "arm")


@pytest.fixture(scope="module")
def question(folder):
    model = load_watched_model(folder)
    seen = compared(model, observations(model, 6, 0))
    return question_of(model, SLIPPED, seen[:8], seen[8:])


def plan(question, folder, obstacles=NOTHING, check=lambda: None):
    return plan_observations(
        question,
        [SLIPPED],
        MotionScreen(folder, list(LIMITS), "base_link", obstacles),
        START,
        lambda: OTHERS,
        MotionBounds(LIMITS, REACH, 3),
        check=check,
    )


def test_they_are_few_near_within_limits_and_free(question, folder):
    found = plan(question, folder)
    assert len(found.targets) == 3 and found.start == START
    assert found.screen.reason([START, *found.targets, START]) is None
    for target in found.targets:
        assert target.keys() == LIMITS.keys()
        assert max(abs(target[name] - START[name]) for name in START) <= REACH
        # The lift may be farther up than it reads.
        assert target["arm/lift"] <= LIMITS["arm/lift"].upper - OFF - 3 * STD + 1e-12
        assert abs(target["shoulder-pan"]) <= 0.5


def test_there_is_room_for_what_is_off_and_not_only_for_what_is_not(question, folder):
    """A wall beside the arm, which points along x and is 6 cm wide."""
    for gap, moves in ((0.2, True), (0.015, False)):
        wall = KeepOut("wall", (0.1, 0.03 + gap, 0.0), (0.4, 0.1 + gap, 0.9))
        obstacles = Obstacles(keep_out=(wall,), clearance=0.0)
        if moves:
            assert plan(question, folder, obstacles).targets
        else:
            with pytest.raises(InputError, match="none of 32 configurations nearby is surely free"):
                plan(question, folder, obstacles)


def test_it_can_be_stopped_while_it_chooses(question, folder):
    def stopped():
        raise RuntimeError("stop")

    with pytest.raises(RuntimeError, match="stop"):
        plan(question, folder, check=stopped)


def test_a_start_outside_the_limits_is_refused(question, folder, monkeypatch):
    monkeypatch.setitem(START, "arm/lift", 0.2)
    with pytest.raises(InputError, match=r"joint arm/lift stands at 0\.2000; accepted is"):
        plan(question, folder)


def test_motors_that_the_model_does_not_have_are_named(folder):
    with pytest.raises(InputError, match=r"joints names nobody, which .* does not have; it has"):
        MotionScreen(folder, ["nobody"], "base_link", NOTHING)
    assert set(MotionScreen(folder, list(LIMITS), "base_link", NOTHING).unmoved) == set(OTHERS)
