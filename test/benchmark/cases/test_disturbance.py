import numpy as np
import pytest

from autourdf_ros.benchmark.cases.disturbance import Disturbance, disturbed
from autourdf_ros.data.frame import Frame, Recording, Sequence
from autourdf_ros.geometry.rigid_motion import transform


@pytest.fixture
def recording():
    rng = np.random.default_rng(0)
    frames = [
        Frame(rng.normal(size=(40, 3)).astype(np.float32), joint_positions={"a": 1.0, "b": 2.0})
        for _ in range(12)
    ]
    return Recording((Sequence(tuple(frames[:6]), "0"), Sequence(tuple(frames[6:]), "1")))


def test_nothing_is_changed_without_a_disturbance(recording):
    same, moves = disturbed(recording, Disturbance())
    np.testing.assert_allclose(moves, np.tile(np.eye(4), (12, 1, 1)))
    assert same.frames[3].joint_positions == {"a": 1.0, "b": 2.0}


@pytest.mark.parametrize("drift", [False, True])
def test_every_frame_but_the_first_is_moved_as_a_whole(recording, drift):
    moved, moves = disturbed(recording, Disturbance(0.05, 0.01, drift))
    for before, after, move in zip(recording.frames, moved.frames, moves, strict=True):
        np.testing.assert_allclose(after.points, transform(move, before.points), atol=1e-5)
    np.testing.assert_array_equal(moves[0], np.eye(4))
    assert all(np.abs(move - np.eye(4)).max() > 1e-4 for move in moves[1:])


def test_a_walk_leads_away(recording):
    def distance(drift):
        _, moves = disturbed(recording, Disturbance(shift=0.1, drift=drift))
        return np.linalg.norm(np.diff(moves[:6, :3, 3], axis=0), axis=1).mean()

    assert distance(False) > 1.2 * distance(True)


def test_readings_are_lost(recording):
    lost, _ = disturbed(recording, Disturbance(lost_readings=0.5))
    counts = [len(frame.joint_positions) for frame in lost.frames]
    assert 0 < sum(counts) < 24
    everything, _ = disturbed(recording, Disturbance(lost_readings=1.0))
    assert all(not frame.joint_positions for frame in everything.frames)


def test_lost_points_are_lost_by_chance_and_the_others_stay(recording):
    first, second = (
        disturbed(recording, Disturbance(lost_points=0.2, seed=seed))[0] for seed in (0, 1)
    )
    for before, after in zip(recording.frames, first.frames, strict=True):
        assert {tuple(point) for point in after.points} < {tuple(point) for point in before.points}
    kept = sum(len(frame.points) for frame in first.frames) / (40 * 12)
    assert 0.7 < kept < 0.9
    assert any(
        len(a.points) != len(b.points) for a, b in zip(first.frames, second.frames, strict=True)
    )
