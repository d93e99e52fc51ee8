"""Losses of the paper's tasks and their gradients, descents, and the search by shapes."""

from dataclasses import replace
from functools import cache
from itertools import pairwise

import numpy as np
import pytest
from splat_arm import splat_arm

from autourdf_ros.commanding.screening.keep_out import KeepOut
from autourdf_ros.errors import InputError
from autourdf_ros.workflows.appearance.reaching.clear_reach import (
    ClearReachOptions,
    reach_clear,
    straight,
)
from autourdf_ros.workflows.appearance.reaching.descent import DescentOptions, descend
from autourdf_ros.workflows.appearance.reaching.splat_tasks import (
    Reach,
    ReachAround,
    Touch,
    box_distances,
    link_center,
    link_number,
    splat_places,
)

BOX = KeepOut("box", (0.1, -0.1, 0.3), (0.5, 0.3, 0.7))
FEW = ClearReachOptions(starts=4)
FREE = np.array([0.4, -0.6, 0.03])


@cache
def arm():
    return splat_arm(40)


def place(task, free):
    pose = arm().gaussians(np.array(free))[2][link_number(arm(), task.link)]
    return pose[:3, :3] @ task.point + pose[:3, 3]


def reach(at=(0.9, 0.5, 0.01), link="finger"):
    """To where a link's middle is in a configuration."""
    task = Reach(arm(), link, link_center(arm(), link), np.zeros(3))
    return replace(task, target=place(task, at))


@pytest.mark.parametrize(
    "task",
    [
        reach(),
        reach(link="fore"),
        Touch(arm(), "fore", np.array([0.3, 0.5, 0.4]), 0.05),
        ReachAround(reach(), BOX, 0.05),
    ],
)
def test_gradients_are_those_of_differences(task):
    found = task.state(FREE).slopes
    steps = 1e-6 * np.eye(3)
    differences = [
        (task.state(FREE + step).loss - task.state(FREE - step).loss) / 2e-6 for step in steps
    ]
    assert np.abs(differences).max() > 1e-3
    assert found == pytest.approx(np.array(differences), abs=1e-5 * max(np.abs(differences)))


def test_losses_are_those_of_the_paper():
    task = reach()
    away = place(task, FREE) - task.target
    assert task.state(FREE).loss == pytest.approx((away**2).mean())  # Eq. 26
    places = splat_places(arm(), arm().gaussians(FREE)[2])
    ball = np.array([0.3, 0.5, 0.4])
    own = places[arm().links == link_number(arm(), "fore")]
    nearest = np.linalg.norm(own - ball, axis=1).min() - 0.05
    assert Touch(arm(), "fore", ball, 0.05).state(FREE).loss == pytest.approx(nearest)  # Eq. 28
    distances = box_distances(places, BOX)[0]
    added = ReachAround(task, BOX, 0.05).state(FREE).loss - task.state(FREE).loss
    assert added == pytest.approx(np.maximum(0, 0.05 - distances).sum())  # Eq. 29


def test_distances_of_a_box_are_signed_and_lead_out_of_it():
    points = np.array([[0.6, 0.1, 0.5], [0.6, 0.4, 0.5], [0.45, 0.1, 0.5], [0.3, 0.1, 0.31]])
    distances, ways = box_distances(points, BOX)
    assert distances == pytest.approx([0.1, np.hypot(0.1, 0.1), -0.05, -0.01])
    assert ways == pytest.approx(
        np.array([[1, 0, 0], [np.sqrt(0.5)] * 2 + [0], [1, 0, 0], [0, 0, -1]])
    )


def test_a_descent_reaches_the_target_within_the_ranges():
    task = reach()
    found = descend(task, np.array([0.4, 0.2, 0.0]))
    lower, upper = arm().ranges
    assert found.done and found.distances[-1] < 0.001 and len(found.free) < 600
    assert (found.free >= lower).all() and (found.free <= upper).all()
    assert found.free[0] == pytest.approx([0.4, 0.2, 0.001]), "a joint at its end is moved in"
    assert place(task, found.free[-1]) == pytest.approx(task.target, abs=0.001)


def test_a_descent_that_cannot_succeed_says_so():
    away = replace(reach(), target=np.array([3.0, 0.0, 0.0]))
    found = descend(away, np.zeros(3), DescentOptions(steps=50))
    assert not found.done and len(found.free) == 50 and found.distances[-1] > 2


def test_the_first_step_is_that_of_adamw():
    options = DescentOptions(steps=2)
    task = reach()
    lower, upper = arm().ranges
    middle, half = (lower + upper) / 2, (upper - lower) / 2
    first, second = descend(task, FREE, options).free
    before, after = np.arcsin((np.array([first, second]) - middle) / half)
    # Adam's first step has the size of the rate; decay takes its share of what was before.
    assert after == pytest.approx(
        before - 0.01 * (np.sign(task.state(FREE).slopes) + 0.01 * before)
    )


def test_what_is_no_link_or_start_is_named():
    with pytest.raises(InputError, match="link 'toe' is none; accepted are base, upper"):
        link_number(arm(), "toe")
    with pytest.raises(InputError, match="accepted are 3 finite values, of turn, bend, slide"):
        descend(reach(), np.zeros(2))


class Space:
    """The arm's splats in place of shapes, and a box."""

    def __init__(self, box, margin=0.02):
        self.box, self.margin = box, margin

    def free(self, start, end):
        for free in straight(start, end, 15):
            places = splat_places(arm(), arm().gaussians(free)[2])
            if box_distances(places, self.box)[0].min() < self.margin:
                return False
        return True


@pytest.mark.slow
def test_the_search_keeps_the_whole_path_clear():
    task, start = reach(), np.array([-0.9, 0.5, 0.05])
    space = Space(KeepOut("post", (0.3, -0.05, 0.2), (0.4, 0.05, 0.5)))
    end = descend(task, start).free[-1]
    assert space.free(start, start) and not space.free(start, end), "the box is in the way"
    found = reach_clear(task, space, start, FEW)
    assert found.reached >= found.apart >= 1
    assert np.array_equal(found.path[0], start) and len(found.path) > 2
    assert all(space.free(*pair) for pair in pairwise(found.path))
    assert place(task, found.path[-1]) == pytest.approx(task.target, abs=0.001)


def test_no_path_is_found_where_the_target_is_in_the_obstacle():
    task = reach()
    box = KeepOut("on it", tuple(task.target - 0.05), tuple(task.target + 0.05))
    found = reach_clear(task, Space(box), np.array([-1.5, 0.0, 0.02]), FEW)
    assert found.path is None and found.reached > 0 and found.apart == 0
