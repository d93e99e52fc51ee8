"""What a reconstruction says of the cameras that it aligned."""

from dataclasses import replace

import numpy as np
import pytest

from autourdf_ros.data.frame import Frame, Recording, Sequence
from autourdf_ros.estimation.motion.registration.camera_alignment import CameraAlignment
from autourdf_ros.estimation.motion.registration.preparation import Prepared
from autourdf_ros.estimation.motion.result.corrected_cameras import common_error, corrected_cameras
from autourdf_ros.geometry.rigid_motion import exp_se3

POSES = exp_se3(np.random.default_rng(0).normal(0, 1, (4, 6)))
FRAME = Frame(np.zeros((4, 3), np.float32), cameras=np.arange(4), camera_poses=POSES)
CENTRE, SCALE = np.array([1.0, 2.0, 0.5]), 2.0


def recorded(*frames):
    return Recording((Sequence(frames, "0"),))


def aligned(twists, stds=(1e-3, 2e-3)):
    covariances = np.tile(np.diag(np.repeat(stds, 3) ** 2), (len(twists), 1, 1))
    alignment = CameraAlignment(exp_se3(np.asarray(twists)), covariances)
    return Prepared((), (), (), CENTRE, SCALE, alignment)


def test_a_correction_is_a_turn_and_a_shift_at_the_robots_middle():
    twists = np.zeros((4, 6))
    twists[2] = [0, 0, 0.01, 0.002, 0, 0]  # in robot sizes
    found = corrected_cameras(recorded(FRAME, FRAME), aligned(twists))
    np.testing.assert_allclose(found[0].pose, POSES[0], atol=1e-12)
    assert found[2].turn == pytest.approx(0.01) and found[2].shift == pytest.approx(0.004, rel=1e-3)
    assert found[2].turn_std == pytest.approx(1e-3) and found[2].shift_std == pytest.approx(4e-3)
    moved = found[2].pose @ np.linalg.inv(POSES[2])
    np.testing.assert_allclose(
        moved[:3, :3] @ CENTRE + moved[:3, 3] - CENTRE, [0.004, 0, 0], atol=1e-4
    )


def test_cameras_that_move_or_are_not_known_have_no_pose():
    moved = replace(FRAME, camera_poses=exp_se3(np.array([0, 0, 0, 0.01, 0, 0])) @ POSES)
    unknown = replace(FRAME, camera_poses=None)
    prepared = aligned(np.zeros((4, 6)))
    for other in (moved, unknown):
        assert corrected_cameras(recorded(FRAME, other), prepared) == ()
    alone = replace(prepared, cameras=None)
    assert corrected_cameras(recorded(FRAME), alone) == () and common_error(alone) is None


def test_errors_of_cameras_say_how_large_their_mean_is():
    rng = np.random.default_rng(1)
    means, stated = [], []
    for _ in range(300):
        errors = rng.normal(0, 1, (4, 6)) * np.repeat([1e-3, 2e-3], 3)
        means.append(errors.mean(axis=0))
        found = common_error(aligned(errors - means[-1]))
        stated.append([found.turn_std, found.shift_std / SCALE])
    true = np.sqrt(np.mean(np.square(means).reshape(-1, 2, 3), axis=(0, 2)))
    np.testing.assert_allclose(np.sqrt(np.mean(np.square(stated), axis=0)), true, rtol=0.1)
