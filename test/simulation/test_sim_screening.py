"""Looking ahead."""

import numpy as np
import pytest
from toy_robot import DRIVEN, FOLDED

from autourdf_ros.simulation.live import command_lookahead
from autourdf_ros.simulation.live.command_lookahead import full_values, screen
from autourdf_ros.simulation.live.controller_commands import Reference, RefusedError
from autourdf_ros.simulation.live.motor_drive import DriveLimits, at_rest
from autourdf_ros.simulation.workspace import Workspace

LIMITS = DriveLimits(np.ones(5), np.full(5, 4.0))
REST = at_rest(np.zeros(5))


def at(**given):
    return np.array([given.get(name, 0.0) for name in DRIVEN])


def test_a_free_motion_is_accepted(workspace):
    screen(workspace, Reference(np.zeros(1), at(pan=1.0, lift=-0.5)[None]), REST, LIMITS)


@pytest.mark.parametrize(
    ("goal", "reason"),
    [
        ({"pan": 2.5}, r"a point has joint 'pan' at 2.5000, outside its limits \[-2"),
        ({"slide": -0.01}, "joint 'slide'"),
        ({"slide": 0.081}, "joint 'slide'"),
        (FOLDED, "on the way, .* collides with"),
    ],
)
def test_goals_that_cannot_be_reached_are_refused(workspace, goal, reason):
    with pytest.raises(RefusedError, match=reason):
        screen(workspace, Reference(np.zeros(1), at(**goal)[None]), REST, LIMITS)


def test_a_collision_between_two_free_ends_is_refused(workspace):
    """The arm swings through the base to its other side."""
    there = at(lift=2.9)
    assert workspace.is_free(full_values(workspace, there))
    with pytest.raises(RefusedError, match="collides"):
        screen(workspace, Reference(np.zeros(1), there[None]), REST, LIMITS)


def test_points_between_which_the_path_leaves_the_ground_are_refused(toy):
    above = Workspace(toy, ground=0.15)
    points = np.stack([at(), at(lift=0.5), at()])
    with pytest.raises(RefusedError, match="into the ground"):
        screen(above, Reference(np.array([0.0, 3.0, 6.0]), points), REST, LIMITS)


def test_the_motion_is_screened_as_the_motors_make_it(workspace):
    """A detour too fast for the motors is cut short: it never gets where it would collide."""
    points = np.stack([at(), at(**FOLDED), at()])
    screen(workspace, Reference(np.array([0.0, 0.2, 0.4]), points), REST, LIMITS)
    with pytest.raises(RefusedError, match="collides"):
        screen(workspace, Reference(np.array([0.0, 4.0, 8.0]), points), REST, LIMITS)


def smooth(times, points):
    """A spline that rests at its points."""
    return Reference(np.array(times), np.stack(points), np.zeros((len(points), 5)))


def test_motors_are_where_a_motion_is_that_they_can_hold(workspace, monkeypatch):
    reference = smooth([0.0, 3.0, 6.0], [at(), at(pan=0.8, lift=-0.4), at(pan=0.2)])
    held = np.array(list(command_lookahead._way(reference, REST, LIMITS)))
    monkeypatch.setattr(command_lookahead, "_can_hold", lambda *_: False)
    predicted = np.array(list(command_lookahead._way(reference, REST, LIMITS)))
    count = min(len(held) - 1, len(predicted))
    assert count > 290
    np.testing.assert_allclose(held[1 : count + 1], predicted[:count], atol=1e-4)


def test_a_motion_that_they_cannot_hold_is_predicted(workspace):
    points = [at(), at(**FOLDED), at()]
    screen(workspace, smooth([0.0, 0.2, 0.4], points), REST, LIMITS)
    with pytest.raises(RefusedError, match=r"on the way, .* collides"):
        screen(workspace, smooth([0.0, 9.0, 18.0], points), REST, LIMITS)


def test_endless_motions_are_refused(workspace):
    crawling = DriveLimits(np.full(5, 1e-3), np.full(5, 4.0))
    with pytest.raises(RefusedError, match="longer than 300 s"):
        screen(workspace, Reference(np.zeros(1), at(pan=1.5)[None]), REST, crawling)


def test_mimic_joints_are_filled_in(workspace):
    values = full_values(workspace, at(slide=0.06, pan=0.2))
    np.testing.assert_allclose(values, [0.2, 0, 0, 0, 0.06, 0.01])
