"""Residuals of links show which link of the model stands wrongly, and by how much."""

from dataclasses import replace

import numpy as np
import pytest
from synthetic_robot import arm_model, posed

from autourdf_ros.data.frame import Frame, Recording, Sequence
from autourdf_ros.estimation.motion.reconstruction import SequenceMotion
from autourdf_ros.model.layers.shape import Surface
from autourdf_ros.report.motion.link_residuals import link_residuals

MODEL = arm_model(count=1200)
NOISE = 0.0005
REFERENCE = np.array([joint.reference for joint in MODEL.joints])
VALUES = REFERENCE + np.outer([0.0, 0.5, 1.0], [0.3, -0.2, 0.02, 0.4])


def moved(values=VALUES):
    frames = len(values)
    return SequenceMotion(
        values,
        np.zeros_like(values),
        np.tile(np.eye(4), (frames, 1, 1)),
        np.full(frames, NOISE),
        np.ones(frames, bool),
        np.zeros(frames, bool),
    )


@pytest.fixture(scope="module")
def recording():
    rng = np.random.default_rng(0)
    clouds = [np.vstack(posed(MODEL, values)) for values in VALUES]
    noisy = [cloud + rng.normal(0, NOISE, cloud.shape) for cloud in clouds]
    frames = tuple(Frame(cloud.astype(np.float32)) for cloud in noisy)
    return Recording((Sequence(frames[:2]), Sequence(frames[2:])))


def in_two(motion):
    return tuple(
        SequenceMotion(*(getattr(motion, name)[part] for name in motion.__dataclass_fields__))
        for part in (slice(0, 2), slice(2, 3))
    )


def test_a_right_model_leaves_less_than_the_noise(recording):
    residuals = link_residuals(MODEL, in_two(moved()), recording)
    assert residuals.shape == (5, 3)
    assert np.isnan(residuals[4]).all()  # three points only
    assert (residuals[:4] < NOISE).all()


def test_a_link_that_stands_wrongly_in_one_frame_shows(recording):
    values = VALUES.copy()
    values[1, 2] += 0.008  # the slide, and what it moves
    before = link_residuals(MODEL, in_two(moved()), recording)
    after = link_residuals(MODEL, in_two(moved(values)), recording)
    assert after[3, 1] > 3 * before[3, 1] and after[3, 1] < 0.009
    np.testing.assert_array_equal(after[:, [0, 2]], before[:, [0, 2]])
    assert np.nanargmax(after - before) == 3 * 3 + 1


def test_a_base_that_moves_is_followed(recording):
    shift = np.eye(4)
    shift[:3, 3] = [0.1, -0.2, 0.3]
    frames = [
        [Frame((frame.points + shift[:3, 3]).astype(np.float32)) for frame in sequence.frames]
        for sequence in recording.sequences
    ]
    shifted = Recording(tuple(Sequence(tuple(own)) for own in frames))
    poses = np.tile(shift, (3, 1, 1))
    residuals = link_residuals(MODEL, in_two(replace(moved(), base_poses=poses)), shifted)
    still = link_residuals(MODEL, in_two(moved()), recording)
    np.testing.assert_allclose(residuals, still, atol=1e-6)


def test_frames_that_are_no_inliers_and_links_without_points_are_unknown(recording):
    motion = replace(moved(), used=np.array([True, False, True]))
    nothing = Surface(np.zeros((0, 3)), np.zeros((0, 3)))
    links = (*MODEL.links[:2], replace(MODEL.links[2], surface=nothing), *MODEL.links[3:])
    residuals = link_residuals(MODEL.with_parts(links), in_two(motion), recording)
    assert np.isnan(residuals[:, 1]).all() and np.isnan(residuals[2]).all()
    assert np.isfinite(residuals[[0, 1, 3]][:, [0, 2]]).all()
