"""Simulated robots move as the capture moves them."""

from itertools import combinations, pairwise

import numpy as np
import pytest
from toy_robot import DRIVEN

from autourdf_ros.commanding.session.planning import plan
from autourdf_ros.commanding.session.settings import SessionSettings
from autourdf_ros.errors import InputError
from autourdf_ros.simulation.random_motion import start_configuration
from autourdf_ros.simulation.recordings.captured_motion import captured_paths, drawn_limits
from autourdf_ros.simulation.workspace import Workspace


def paths(workspace, excitation, frames=10, seed=0):
    start = start_configuration(workspace, np.random.default_rng(4))
    return captured_paths(workspace, start, 2, frames, excitation=excitation, seed=seed)


class Anywhere(Workspace):
    """Nothing is refused."""

    def obstacle(self, values):
        return None


@pytest.mark.parametrize("excitation", ["random", "one_joint"])
def test_configurations_are_those_that_the_capture_plans(toy, excitation):
    found = paths(Anywhere(toy), excitation, seed=3)
    start = dict(zip(DRIVEN, found[0, 0, toy.driven], strict=True))
    settings = SessionSettings(sequences=2, frames=10, excitation=excitation, seed=3)
    moves = plan(start, drawn_limits(toy), settings).moves
    planned = [move.positions[-1] for move in moves]  # the tenth of each sequence leads back
    np.testing.assert_allclose(found[0, 1:, toy.driven].T, planned[:9], atol=1e-9)
    np.testing.assert_allclose(found[1, 1:, toy.driven].T, planned[10:19], atol=1e-9)


def test_one_joint_moves_each_alone_and_every_pair(toy):
    found = paths(Anywhere(toy), "one_joint")
    steps = np.diff(found, axis=1)[..., toy.driven].reshape(-1, len(DRIVEN))
    groups = [tuple(np.flatnonzero(step)) for step in steps[:15]]
    assert sorted(groups[:5]) == [(joint,) for joint in range(5)]
    assert sorted(groups[5:]) == list(combinations(range(5), 2))


@pytest.mark.parametrize("excitation", ["random", "one_joint"])
def test_nothing_passes_through_what_is_in_the_way(workspace, excitation):
    for sequence in paths(workspace, excitation, frames=20):
        for here, there in pairwise(sequence):
            assert all(workspace.is_free(here + share * (there - here)) for share in (0.5, 1))
        np.testing.assert_allclose(sequence[:, 5], -0.5 * sequence[:, 4] + 0.04)


def test_a_robot_that_cannot_move_is_said_to(toy):
    start = start_configuration(Workspace(toy), np.random.default_rng(4))

    class Stuck(Workspace):
        """Free at the start alone."""

        def obstacle(self, values):
            return None if np.array_equal(values, start) else "stuck"

    with pytest.raises(InputError, match="found in 100 attempts; in 100 of them stuck"):
        captured_paths(Stuck(toy), start, 1, 3, excitation="random", seed=0)
