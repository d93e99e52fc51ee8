"""Unexplained points in the frame in which they stay."""

from dataclasses import replace

import numpy as np
import pytest
from moving_scene import camera_poses
from watched_arm import model, path

from autourdf_ros.geometry.rigid_motion import transform
from autourdf_ros.monitoring.diagnosis import unexplained_points
from autourdf_ros.monitoring.diagnosis.unexplained_points import (
    FilledCells,
    _keys,
    _last_common_body,
    baseline_cells,
    filled_cells,
    find_foreign_object,
)
from autourdf_ros.monitoring.observing.observation_comparison import Comparison, CroppedObservation
from autourdf_ros.monitoring.observing.surface_cells import CellSums

MODEL = model()
SIDE, LEAST = 0.025, np.full(4, 3.5)


def comparisons(body, points_on, count=20, seed=0):
    """Yield comparisons with unexplained points of an object (N, 3) on a body."""
    rng = np.random.default_rng(seed)
    none, empty = np.zeros(len(MODEL.segments)), np.zeros((0, 3), np.float32)
    for values in path(count, seed):
        poses = MODEL.poses(values)
        flying = rng.uniform(-0.5, 0.8, (60, 3))
        seen = points_on[rng.random(len(points_on)) < 0.7]
        points = np.concatenate([transform(poses[body], seen), flying]).astype(np.float32)
        pose = camera_poses(1)[0]
        observation = CroppedObservation(
            0.0, "left", values, 0 * values, poses, pose, empty, empty[:, 0], empty, none, none
        )
        yield Comparison(observation, none, none, none, none, none, points, CellSums(*[none] * 5))


def cells(body, points_on, seed=0):
    return [filled_cells(one, SIDE) for one in comparisons(body, points_on, seed=seed)]


NOTHING = np.zeros((0, 3))
BOX = np.random.default_rng(3).uniform((0.4, 0, 0.8), (0.48, 0.08, 0.88), (400, 3))


@pytest.mark.parametrize("body", range(4))
def test_frame_in_which_it_stays(body):
    found = find_foreign_object(
        cells(body, BOX), baseline_cells([cells(0, NOTHING, seed=1)]), MODEL, LEAST
    )
    assert found is not None
    assert found.body == body
    assert np.abs(found.cells.mean(axis=0) - BOX.mean(axis=0)).max() < 0.02
    assert found.log_odds > 50


def test_flying_pixels_and_the_baseline_are_no_object():
    baseline = baseline_cells([cells(2, BOX, seed=1)])
    assert find_foreign_object(cells(0, NOTHING), baseline, MODEL, LEAST) is None
    assert find_foreign_object(cells(2, BOX), baseline, MODEL, LEAST) is None


def test_what_stays_with_both_fingers_stays_with_the_hand():
    # An arm of two links, a hand, and two fingers on it.
    ancestors = np.array(
        [[0, 0, 0, 0], [1, 0, 0, 0], [1, 1, 0, 0], [1, 1, 1, 0], [1, 1, 0, 1]], bool
    )
    assert _last_common_body(ancestors, [1, 2, 3, 4]) == 2
    assert _last_common_body(ancestors, [3, 4]) == 2
    assert _last_common_body(ancestors, [2, 3]) == 3
    assert _last_common_body(ancestors, [1]) == 1


@pytest.mark.parametrize(
    ("distances", "holder", "others"),
    [
        (([0.03], [0.06]), 2, ()),
        (([0.03], [0.04]), 3, (2,)),
        (([0.04], [0.03]), 3, (2,)),
        (([0.2], [0.3]), 2, (3,)),
        (([0.2], [0.21]), 3, (2,)),
        # As measured on a Panda's hand and finger: it reaches to both, and lies beside the hand.
        (([0.03, 0.08, 0.12], [0.04, 0.11, 0.15]), 2, (3,)),
        (([0.03, 0.08, 0.12], [0.04, 0.10, 0.13]), 3, (2,)),
    ],
)
def test_of_links_that_move_alike_one_that_it_is_much_nearer_to_holds_it(
    monkeypatch, distances, holder, others
):
    """A tool on a hand lies near a finger that hardly moves, too."""
    rigid = {body: np.array(own) for body, own in zip((2, 3), distances, strict=True)}
    far = np.array([np.inf])
    monkeypatch.setattr(unexplained_points, "_distances", lambda _, body, __: rigid.get(body, far))
    seen = cells(2, BOX)
    alike = [replace(one, keys=(*one.keys[:3], one.keys[2])) for one in seen]
    known = baseline_cells([cells(0, NOTHING, seed=1)])
    found = find_foreign_object(alike, (*known[:3], known[2]), MODEL, LEAST)
    assert found is not None and (found.body, found.others) == (holder, others)


@pytest.mark.parametrize(("apart", "reported"), [(1, True), (3, False)])
def test_what_is_seen_now_and_then_is_an_object_if_it_is_in_one_piece(apart, reported):
    block = apart * np.stack(np.meshgrid(*[np.arange(4)] * 3), axis=-1).reshape(-1, 3)
    empty = np.zeros(0, np.int64)
    cells = [
        FilledCells(
            "left", 0.0, (np.sort(_keys(block)) if number % 5 == 0 else empty, *[empty] * 3)
        )
        for number in range(25)
    ]
    found = find_foreign_object(cells, [empty] * 4, MODEL, LEAST)
    assert (found is not None) == reported
    if found is not None:
        assert found.body == 0 and len(found.cells) == len(block)
