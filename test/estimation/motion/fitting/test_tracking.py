import numpy as np
import pytest
from sampled_shapes import box, merged_cloud

from autourdf_ros.estimation.motion.fitting import tracking
from autourdf_ros.estimation.motion.fitting.articulation import Articulation, body_poses
from autourdf_ros.estimation.motion.fitting.frame_fit import ArticulatedSurface, BasePrior, States
from autourdf_ros.estimation.motion.fitting.surface import surface_of
from autourdf_ros.estimation.motion.fitting.tracking import Motion, recovered, track_states
from autourdf_ros.geometry.point_cloud import size_of
from autourdf_ros.geometry.rigid_motion import revolute_twist

SHAPES = [
    box((0.3, 0.3, 0.1)),
    box((0.1, 0.12, 0.3), (0, 0, 0.21)),
    box((0.4, 0.08, 0.1), (0.2, 0, 0.42)),
]
ACROSS, UP = np.eye(3)[1:]
MODEL = Articulation(
    np.array([0, 1]),
    np.stack([revolute_twist(UP, np.zeros(3)), revolute_twist(ACROSS, 0.4 * UP)]),
    np.array([True, True]),
    np.array([[0, 0, 0.05], [0, 0, 0.4]]),
)
LEAPS = np.array([[0.0, 0.0], [2.4, -1.0], [-1.9, 1.3]])  # further than one fit can follow


@pytest.fixture(scope="module")
def scene():
    """The arm's surface, and its frames at LEAPS."""
    still = np.tile(np.eye(4), (len(LEAPS), 1, 1))
    clouds = [
        merged_cloud(SHAPES, poses, 500, f)
        for f, poses in enumerate(body_poses(MODEL, LEAPS, still))
    ]
    return surface_of(*clouds[0]), [cloud for cloud, _ in clouds]


def tracked(scene, predicted, typical=None):
    surface, frames = scene
    return track_states(
        ArticulatedSurface(MODEL, surface, BasePrior(0.0, 0.0), 5e-4),
        frames,
        known=States(np.zeros((1, 2)), np.eye(4)[None]),
        predicted=predicted,
        typical=typical,
        size=size_of(frames[0].points),
        report=lambda: None,
    )


@pytest.mark.parametrize("predicted", [LEAPS + 0.05, np.full(LEAPS.shape, np.nan)])
def test_a_leap_is_followed_whether_it_is_predicted_or_not(scene, predicted):
    found = tracked(scene, predicted)
    # A leap of more than half a turn may as well go the other way.
    off = (found.states.values - LEAPS + np.pi) % (2 * np.pi) - np.pi
    np.testing.assert_allclose(off, 0.0, atol=0.01)


def test_on_how_many_cores_does_not_matter(scene, monkeypatch):
    found = []
    for cores in (1, 3):
        monkeypatch.setattr(tracking, "thread_count", lambda cores=cores: cores)
        found.append(tracked(scene, np.full(LEAPS.shape, np.nan), typical=0.8))
    np.testing.assert_array_equal(found[0].states.values, found[1].states.values)
    np.testing.assert_array_equal(found[0].scores, found[1].scores)


def test_what_is_not_predicted_starts_from_where_it_was(scene):
    slow = LEAPS * [1, 0.1]
    surface, _ = scene
    still = np.tile(np.eye(4), (len(slow), 1, 1))
    frames = [
        merged_cloud(SHAPES, poses, 500, f)[0]
        for f, poses in enumerate(body_poses(MODEL, slow, still))
    ]
    found = tracked((surface, frames), slow * [1, np.nan])
    np.testing.assert_allclose(found.states.values, slow, atol=0.02)


def test_a_wrong_prediction_does_not_lead_astray(scene):
    surface, frames = scene
    standing = [frames[0], frames[0]]
    found = tracked((surface, standing), np.array([[0.0, 0.0], [2.0, 1.0]]), typical=1.0)
    np.testing.assert_allclose(found.states.values, 0, atol=0.01)


def test_a_lost_frame_is_recovered_from_the_nearest_inlier(scene):
    surface, frames = scene
    near = LEAPS + np.array([[0, 0], [0.1, -0.1], [-0.1, 0.1]])
    owners = np.array([0, 0, 0, 0, 1])
    clouds = [frames[0], frames[1], frames[1], frames[2], frames[2]]
    values = np.stack([LEAPS[0], near[1], [0.0, 0.0], near[2], [0.0, 0.0]])
    used = np.array([True, True, False, True, False])
    scores = np.array([0.0, 1.0, 9.0, 1.0, 9.0])
    base = np.tile(np.eye(4), (5, 1, 1))
    motion = Motion(States(values, base), scores, used, used)
    found = recovered(
        ArticulatedSurface(MODEL, surface, BasePrior(0.0, 0.0), 5e-4),
        clouds,
        owners,
        motion,
        size=size_of(frames[0].points),
    )
    np.testing.assert_allclose(found.states.values[2], LEAPS[1], atol=0.02)
    assert found.used.tolist() == [True, True, True, True, False]
    # Inliers stay, and a sequence without any inlier cannot be helped.
    np.testing.assert_array_equal(found.states.values[[0, 1, 3, 4]], values[[0, 1, 3, 4]])
    assert found.scores[4] == 9.0
