"""Held-out observations judge everything that a repair changes, also of other links."""

from types import SimpleNamespace

import numpy as np
import pytest
import trimesh

from autourdf_ros.estimation.motion.fitting.articulation import Articulation
from autourdf_ros.geometry.rigid_motion import revolute_twist
from autourdf_ros.monitoring.observing.held_out_check import PosedModel, held_out_check
from autourdf_ros.monitoring.observing.watched_model import Transmission, watched

END, FACE = 0.26, 0.12  # m: where the arm ends, and where it begins
COUNT = 3


def block(low, high):
    middle = ((low + high) / 2, 0.0, 0.0)
    return trimesh.creation.box((high - low, 0.1, 0.1)).apply_translation(middle)


@pytest.fixture(scope="module")
def model():
    """A base, and 2 cm beside it an arm."""
    hinge = np.array([[0.11, 0.0, 0.0]])
    articulation = Articulation(
        np.array([0]), revolute_twist(np.array([[0.0, 0.0, 1.0]]), hinge), np.array([True]), hinge
    )
    return watched(
        articulation,
        [block(0.0, 0.1), block(FACE, END)],
        links=("base", "arm"),
        joints=("hinge",),
        transmission=Transmission(("hinge",), np.eye(1), np.zeros(1), np.zeros(1)),
        line_std=np.full((1, 2), 1e-3),
    )


def observation(*places):
    """Some points on squares across the arm, at these places along it."""
    sides = np.linspace(-0.04, 0.04, 5)
    rows = [(place, y, z) for place in places for y in sides for z in sides]
    nothing = np.empty((0, 3), np.float32)
    return SimpleNamespace(
        poses=np.tile(np.eye(4), (2, 1, 1)), close=np.array(rows, np.float32), about=nothing
    )


def check(model, shift, places):
    """Of the arm moved by `shift` along itself, before points that stand at `places`."""
    twists = np.zeros((len(model.segments), 6))
    arm = model.segment_body == 1
    twists[arm, 3] = shift
    there = PosedModel(model, np.zeros_like(twists))
    pair = (there, PosedModel(model, twists))
    return held_out_check(
        [observation(*places)] * COUNT,
        [pair] * COUNT,
        [observation(FACE, END)],
        there,
        [arm] * COUNT,
    )


def test_what_has_moved_is_explained_better(model):
    found = check(model, 0.01, (FACE + 0.01, END + 0.01))
    assert found.passed and found.new == pytest.approx(0.0, abs=1e-5)


def test_points_handed_to_a_neighbour_are_judged(model):
    # The end has moved by 3 cm, its begin has not: that is nearer to the base than to the new arm.
    found = check(model, 0.03, (FACE, END + 0.03))
    assert not found.passed, found
    assert (found.old, found.new) == pytest.approx((0.015, 0.01), abs=1e-4)
