"""Extrinsics of cameras whose poses are known, from synthetic recordings."""

from dataclasses import replace

import numpy as np
import pytest
from moving_scene import (
    camera_poses,
    disturbed,
    errors_about,
    recording,
    seen_motions,
)

from autourdf_ros.data.frame import Recording, Sequence
from autourdf_ros.errors import InputError
from autourdf_ros.estimation.extrinsics import motion_start
from autourdf_ros.estimation.extrinsics.estimate import estimate_extrinsics
from autourdf_ros.geometry.rigid_motion import exp_se3, transform

TRUE = camera_poses()


def standardized(found):
    """Errors of all cameras but the first, about the scene's middle, over their deviations."""
    errors = errors_about(found.poses, TRUE, found.centre)[1:]
    return errors / np.sqrt(np.einsum("cii->ci", found.covariances[1:]))


@pytest.mark.slow
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_given_extrinsics_are_refined_within_three_sigma(seed):
    given = disturbed(TRUE, np.radians(2.0), 0.02, seed)
    found = estimate_extrinsics(recording(TRUE, given, seed=seed))
    before = np.abs(errors_about(given, TRUE, found.centre)[1:]).max(axis=0)
    after = np.abs(errors_about(found.poses, TRUE, found.centre)[1:]).max(axis=0)
    assert before[3:].max() > 0.01
    assert after[:3].max() < np.radians(0.2)
    assert after[3:].max() < 0.001
    assert np.abs(standardized(found)).max() < 3
    assert found.verdict == "trusted"
    assert found.after < 0.5 * found.before
    np.testing.assert_array_equal(found.poses[0], given[0])


@pytest.mark.slow
def test_right_extrinsics_stay():
    found = estimate_extrinsics(recording(TRUE))
    assert np.abs(standardized(found)).max() < 3
    assert found.after <= 1.05 * found.before


@pytest.mark.slow
def test_the_fixed_frame_does_not_matter():
    given = disturbed(TRUE, np.radians(2.0), 0.02, 3)
    world = exp_se3(np.array([0.7, -0.4, 1.0, 0.5, -0.3, 0.2]))
    one = estimate_extrinsics(recording(TRUE, given))
    other = estimate_extrinsics(recording(TRUE, given, world=world))
    np.testing.assert_allclose(other.relative, one.relative, atol=2e-4)
    np.testing.assert_allclose(other.turn_stds, one.turn_stds, rtol=0.1)


@pytest.mark.slow
def test_unknown_extrinsics_are_found_from_motion(monkeypatch):
    """Each camera's bodies are known with noise here: finding them is the engine's part."""

    def seen(_recording, camera, _pose, _progress):
        return seen_motions(TRUE[camera], camera, noise=np.radians(0.5))

    monkeypatch.setattr(motion_start, "body_motions", seen)
    given = np.tile(np.eye(4), (3, 1, 1))
    found = estimate_extrinsics(recording(TRUE, given), unknown=True)
    assert np.abs(standardized(found)).max() < 3
    assert (found.origin, found.verdict) == ("motion", "trusted")
    np.testing.assert_array_equal(found.poses[0], given[0])


@pytest.mark.slow
def test_motion_about_one_direction_is_doubtful(monkeypatch):
    """Parallel axes do not show where the other camera is along them."""
    parallel = np.tile([0.0, 0, 1], (3, 1))

    def seen(_recording, camera, _pose, _progress):
        return seen_motions(TRUE[camera], camera, parallel, noise=np.radians(0.1))

    monkeypatch.setattr(motion_start, "body_motions", seen)
    found = estimate_extrinsics(recording(TRUE), unknown=True)
    assert found.verdict == "doubtful"
    (doubt, *_) = [doubt for doubt in found.doubts if "whose axes point elsewhere" in doubt]
    assert "along (0.00, 0.00, 1.00)" in doubt.replace("-", "")


@pytest.mark.slow
def test_a_camera_that_was_moved_in_between_is_doubtful():
    still = recording(TRUE)
    late = exp_se3(np.array([0.0, 0.02, 0.0, 0.01, 0.0, 0.0]))

    def shifted(number, frame):
        if number % 5 < 4:
            return frame
        points = frame.points.copy()
        own = frame.cameras == 1
        points[own] = transform(late, points[own].astype(float))
        return replace(frame, points=points)

    frames = tuple(shifted(number, frame) for number, frame in enumerate(still.frames))
    found = estimate_extrinsics(Recording((Sequence(frames),)))
    known = estimate_extrinsics(still)
    assert found.noise > 1.02 * known.noise or found.doubts


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda frame: replace(frame, cameras=None), "which camera saw which point"),
        (lambda frame: replace(frame, camera_poses=None), "which pose every camera has"),
        (
            lambda frame: replace(
                frame, camera_poses=frame.camera_poses[:1], cameras=frame.cameras * 0
            ),
            r"has 1 camera\(s\) in a frame; accepted are two or more",
        ),
        (
            lambda frame: replace(
                frame,
                camera_poses=frame.camera_poses @ exp_se3(0.01 * frame.stamp * np.eye(3, 6, k=1)),
            ),
            "camera 1 moves between frames",
        ),
    ],
)
def test_unsuited_recordings_are_refused(change, message):
    whole = recording(TRUE, frames=5)
    frames = tuple(change(frame) for frame in whole.frames)
    with pytest.raises(InputError, match=message):
        estimate_extrinsics(Recording((Sequence(frames),)))


def test_too_few_frames_are_refused():
    with pytest.raises(InputError, match=r"has 3 frame.*accepted is at least 4"):
        estimate_extrinsics(recording(TRUE, frames=3))


def test_a_camera_that_sees_something_else_is_named():
    whole = recording(TRUE, frames=6)

    def apart(frame):
        points = frame.points.copy()
        points[frame.cameras == 2] += 3.0
        return replace(frame, points=points)

    frames = tuple(apart(frame) for frame in whole.frames)
    with pytest.raises(InputError, match=r"camera 3 sees no surface .*use --unknown"):
        estimate_extrinsics(Recording((Sequence(frames),)))
