"""Tests of motions whose poses were interpolated between slower transforms."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation, Slerp
from weighed_tools import slow_motion

from autourdf_ros.data.wrenches.pose_motion import motion_of_poses, pose_step

RATE, SECONDS = 500, 6.0
TIMES, POSES = slow_motion(round(SECONDS * RATE), SECONDS)


def interpolated(rate):
    """Return the poses at the records' times, on lines between those of transforms at a rate."""
    knots = np.unique(np.searchsorted(TIMES, np.arange(0, SECONDS, 1 / rate)).clip(0, len(TIMES)))
    knots = np.append(knots[knots < len(TIMES) - 1], len(TIMES) - 1)
    poses = np.tile(np.eye(4), (len(TIMES), 1, 1))
    poses[:, :3, 3] = np.column_stack(
        [np.interp(TIMES, TIMES[knots], one) for one in POSES[knots, :3, 3].T]
    )
    turns = Slerp(TIMES[knots], Rotation.from_matrix(POSES[knots, :3, :3]))
    poses[:, :3, :3] = turns(TIMES).as_matrix()
    return poses


@pytest.mark.parametrize("rate", [50, 125])
def test_accelerations_are_those_of_the_transforms(rate):
    poses = interpolated(rate)
    assert pose_step(TIMES, poses[:, :3, 3]) == pytest.approx(1 / rate, rel=0.15)
    exact = motion_of_poses(TIMES, POSES).accelerations
    found = motion_of_poses(TIMES, poses).accelerations
    off = (found - exact)[100:-100].std(0)
    assert (off < 0.1 * exact.std(0).reshape(2, 3).max(1).repeat(3)).all()


def test_poses_of_each_record_keep_their_step():
    step = float(np.median(np.diff(TIMES)))
    assert pose_step(TIMES, POSES[:, :3, 3]) == step
    noisy = POSES[:, :3, 3] + 1e-5 * np.random.default_rng(0).standard_normal((len(TIMES), 3))
    assert pose_step(TIMES, noisy) == step
