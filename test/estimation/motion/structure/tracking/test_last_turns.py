"""A flange that was tracked into a wrong turn is found by what is not round of it."""

import numpy as np
import trimesh
from sampled_shapes import box, cylinder
from turning_bar import turning_bar

from autourdf_ros.estimation.motion.fitting.articulation import body_poses
from autourdf_ros.estimation.motion.fitting.frame_fit import States
from autourdf_ros.estimation.motion.fitting.tracking import Motion
from autourdf_ros.estimation.motion.structure.candidates.link_fitting import frame_costs
from autourdf_ros.estimation.motion.structure.tracking.last_turns import with_last_links_turned

DISC = cylinder(0.1, 0.02)
PLUGGED = trimesh.util.concatenate([DISC, box((0.04, 0.04, 0.03), (0.07, 0, 0.025))])
TURNS = np.array([0.0, 0.4, 1.5, -2.0, 2.9])
WRONG = TURNS + np.array([0.0, 0.0, 1.0, -2.0, 0.0])


def turned(shape):
    """What is known of a shape, and its values (F,) when frames 2 and 3 were tracked wrongly."""
    problem, candidate = turning_bar(shape, TURNS, None)
    base, used = np.tile(np.eye(4), (len(TURNS), 1, 1)), np.ones(len(TURNS), dtype=bool)
    motion = Motion(States(WRONG[:, None], base), np.full(len(TURNS), 2.0), used, used)
    found = with_last_links_turned(problem, candidate, motion).states.values[:, 0]
    return problem, candidate, found


def test_a_wrong_turn_of_a_flange_with_a_plug_is_mended():
    found = turned(PLUGGED)[2]
    off = (found - TURNS + np.pi) % (2 * np.pi) - np.pi
    np.testing.assert_allclose(off, 0.0, atol=0.05)
    np.testing.assert_array_equal(found[[0, 1, 4]], TURNS[[0, 1, 4]])


def test_no_turn_of_a_round_disc_fits_its_points_worse():
    problem, candidate, found = turned(DISC)
    frames = problem.frame_set(np.arange(1, len(TURNS)))
    own = np.flatnonzero(candidate.labels == 1)
    before, after = (
        frame_costs(
            frames,
            body_poses(candidate.model, values[1:, None], np.tile(np.eye(4), (4, 1, 1)))[:, 1],
            own,
        ).sum(axis=1)
        for values in (WRONG, found)
    )
    assert (after <= before).all()
