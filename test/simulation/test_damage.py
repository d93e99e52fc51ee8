"""What is changed of a simulated robot, and that nothing else is."""

import numpy as np
import pytest

from autourdf_ros.geometry.rigid_motion import inverse, log_se3
from autourdf_ros.simulation import damage


def at(robot):
    rng = np.random.default_rng(0)
    return robot.follow_mimics(
        robot.lower + rng.random(len(robot.lower)) * np.ptp([robot.lower, robot.upper], axis=0)
    )


def long_body(robot):
    """Return a body with a surface that a joint turns and that another is attached to."""
    parents = {joint.parent for joint in robot.joints}
    return next(
        body
        for body in range(1, len(robot.surfaces))
        if body in parents
        and robot.surfaces[body] is not None
        and np.linalg.norm(damage.body_way(robot, body)[1]) > 0.05
    )


def test_zero_off_is_what_other_readings_would_be(toy):
    readings = at(toy)
    slipped = damage.with_zero_off(toy, 0, 0.02)
    assert slipped.zeros[0] == 0.02
    np.testing.assert_allclose(
        slipped.body_poses(readings), toy.body_poses(readings + slipped.zeros), atol=1e-12
    )
    np.testing.assert_array_equal(
        damage.undamaged(toy).body_poses(readings), toy.body_poses(readings)
    )


@pytest.mark.parametrize("twist", [[0.05, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, -0.01]])
def test_bend_moves_what_is_beyond_by_as_much(toy, twist):
    body, readings = long_body(toy), at(toy)
    bent = damage.bent(toy, body, 0.5, np.array(twist, float))
    off = inverse(toy.body_poses(readings)) @ bent.body_poses(readings)
    moved = np.linalg.norm(log_se3(off), axis=1) > 1e-9
    attached = {body}
    for number, joint in enumerate(toy.joints):
        if joint.parent in attached:
            attached.add(number + 1)
    assert set(np.flatnonzero(moved)) == attached - {body}
    turn = np.linalg.norm(log_se3(off)[moved, :3], axis=1)
    np.testing.assert_allclose(turn, np.linalg.norm(twist[:3]), atol=1e-6)
    before, after = toy.surfaces[body].vertices, bent.surfaces[body].vertices
    share = (np.abs(after - before).max(axis=1) > 1e-7).mean()
    assert 0 < share < 1


def test_tool_is_added_to_its_body_alone(toy):
    body = long_body(toy)
    tooled = damage.with_tool(toy, body, 0.1)
    count = len(toy.surfaces[body].vertices)
    assert len(tooled.surfaces[body].vertices) > count
    box = tooled.surfaces[body].vertices[count:]
    assert np.linalg.norm(box.max(axis=0) - box.min(axis=0)) > 0.1
    others = [n for n in range(len(toy.surfaces)) if n != body]
    assert all(tooled.surfaces[n] is toy.surfaces[n] for n in others)
