"""Random motion."""

import numpy as np
import pytest
from toy_robot import FOLDED, values

from autourdf_ros.errors import InputError
from autourdf_ros.model.urdf.robot_library import find_urdf
from autourdf_ros.model.urdf.simulated_robot import SimulatedRobot
from autourdf_ros.simulation.random_motion import (
    DEFAULT_STEP,
    StepSize,
    random_walk,
    start_configuration,
)
from autourdf_ros.simulation.workspace import Workspace, ground_height


def walk(workspace, frames=40, seed=0, step=DEFAULT_STEP):
    rng = np.random.default_rng(seed)
    return random_walk(workspace, start_configuration(workspace, rng), frames, rng, step)


@pytest.mark.parametrize("seed", range(5))
def test_all_joints_move_in_every_frame_within_the_step(workspace, seed):
    path = walk(workspace, seed=seed)
    low, high = DEFAULT_STEP.bounds(workspace.robot)
    driven = workspace.robot.driven
    moved = np.abs(np.diff(path, axis=0))[:, driven]
    assert (moved <= high[driven] + 1e-12).all()
    assert (moved >= low[driven] - 1e-12).all()
    np.testing.assert_allclose(path[:, 5], -0.5 * path[:, 4] + 0.04)


def test_steps_of_the_paper_and_in_proportion_to_narrow_ranges(toy):
    low, high = DEFAULT_STEP.bounds(toy)
    np.testing.assert_allclose(np.degrees([low[0], high[0]]), [4, 8])
    np.testing.assert_allclose([low[4], high[4]], [0.05 * 0.08, 0.1 * 0.08])


def test_joints_keep_their_direction_for_a_while(workspace):
    path = walk(workspace, frames=100, step=StepSize(np.radians(1), np.radians(2)))
    signs = np.sign(np.diff(path[:, :2], axis=0))
    assert (signs[1:] == signs[:-1]).mean() > 0.7


def test_joints_move_independently(workspace):
    steps = np.diff(walk(workspace, frames=400), axis=0)[:, workspace.robot.driven]
    correlation = np.corrcoef(steps.T)
    assert np.abs(correlation[~np.eye(len(correlation), dtype=bool)]).max() < 0.4


@pytest.mark.parametrize("name", ["solo12", "allegro_right_hand"])
def test_never_through_a_collision_nor_out_of_limits(name):
    workspace = Workspace(SimulatedRobot(find_urdf(name)))
    for configuration in walk(workspace, frames=20):
        assert workspace.obstacle(configuration) is None


def test_collisions_are_rejected(toy):
    class Narrow(Workspace):
        """Free only near zero."""

        def obstacle(self, values):
            return "far" if np.abs(values[:2]).max() > 0.3 else None

    path = walk(Narrow(toy), frames=60)
    assert np.abs(path[:, :2]).max() <= 0.3
    assert (np.diff(path[:, :2], axis=0) != 0).all()


def test_a_robot_that_cannot_move_is_named(toy):
    class Blocked(Workspace):
        def obstacle(self, values):
            return "blocked"

    with pytest.raises(InputError, match=r"toy\.urdf: no start configuration"):
        start_configuration(Blocked(toy), np.random.default_rng(0))
    with pytest.raises(InputError, match=r"toy\.urdf: no step without collisions"):
        random_walk(Blocked(toy), toy.neutral, 3, np.random.default_rng(0), DEFAULT_STEP)


def test_workspace_says_what_is_in_the_way(toy):
    workspace = Workspace(toy, ground=0.0)
    assert workspace.obstacle(toy.neutral) is None
    assert "'pan' at 2.5000, outside its limits" in workspace.obstacle(values(toy, pan=2.5))
    assert "collides with" in workspace.obstacle(values(toy, **FOLDED))
    low = Workspace(toy, ground=0.2)
    assert "into the ground" in low.obstacle(values(toy, lift=0.4))
    assert workspace.obstacle(values(toy, roll=50.0)) is None  # continuous
    assert "nan" in workspace.obstacle(values(toy, roll=np.nan))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "lowest", "highest"),
    [
        ("ur5_gripper", -0.004, -0.002),  # its base, although the neutral wrist hangs lower
        ("solo12", -0.35, -0.32),  # its feet
        ("tiago_no_hand", -0.01, 0.01),  # its wheels
    ],
)
def test_the_ground_is_where_the_robot_stands(name, lowest, highest):
    robot = SimulatedRobot(find_urdf(name))
    height = ground_height(robot)
    assert lowest <= height <= highest
    start_configuration(Workspace(robot, height), np.random.default_rng(0))
