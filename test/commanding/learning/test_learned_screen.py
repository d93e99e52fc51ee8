"""What a model of a few frames would run into."""

import numpy as np
import pytest
from motor_driven_arm import folding_arm, motor

from autourdf_ros.commanding.learning.learned_screen import LearnedScreen

pytestmark = pytest.mark.slow

FOLDED = {"swing": 0.0, "fold": np.pi}
STRETCHED = {"swing": 0.0, "fold": 0.0}
HALF = {"swing": 0.3, "fold": np.pi / 2}


def test_links_that_would_touch_are_named_and_where(tmp_path):
    screen = LearnedScreen(folding_arm(), tmp_path)
    assert screen.reason([STRETCHED, HALF]) is None
    reason = screen.reason([STRETCHED, FOLDED])
    assert reason.startswith("links 'link_0' and 'link_2' touch (at swing 0.00, fold ")
    # On the way, though both ends are free.
    assert screen.reason([HALF, {"swing": 0.3, "fold": 3 * np.pi / 2}]) is not None


@pytest.mark.parametrize(("ratio", "offset"), [(1.0, 0.0), (-2.0, 0.7)])
def test_positions_are_those_of_the_motors(tmp_path, ratio, offset):
    screen = LearnedScreen(folding_arm(drive=motor("drive", ratio, offset)), tmp_path)

    def at(value):
        return {"swing": 0.0, "drive": ratio * value + offset, "unknown": 5.0}

    assert screen.reason([at(0.0), at(np.pi / 2)]) is None
    assert screen.reason([at(0.0), at(np.pi)]) is not None


def test_a_pair_that_the_model_lets_touch_where_the_robot_stood_is_not_asked(tmp_path):
    screen = LearnedScreen(folding_arm(stood=(0.0, np.pi)), tmp_path / "recorded")
    assert screen.reason([STRETCHED, FOLDED]) is None


def test_nor_one_that_it_lets_touch_where_the_robot_stands(tmp_path):
    screen = LearnedScreen(folding_arm(), tmp_path)
    assert screen.reason([FOLDED, HALF]) is None
    assert screen.reason([STRETCHED, FOLDED]) is None
