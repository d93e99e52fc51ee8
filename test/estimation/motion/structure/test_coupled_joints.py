"""Which joints one motor may move."""

import numpy as np
import pytest

from autourdf_ros.estimation.motion.fitting.articulation import Articulation
from autourdf_ros.estimation.motion.structure.coupled_joints import coupled_joints

ALONG_X = np.array([0, 0, 0, 1.0, 0, 0])
VALUES = np.linspace(0, 0.04, 5)


def two_slides(second: np.ndarray, *, parents: tuple[int, ...] = (0, 0)) -> Articulation:
    """A slide along x and another one."""
    slides = np.zeros(2, dtype=bool)
    return Articulation(np.array(parents), np.stack([ALONG_X, second]), slides, np.zeros((2, 3)))


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_fingers_that_close_along_one_line_are_coupled_whichever_way_their_axes_point(sign):
    """A finger's value is its way along its axis: against an axis turned round it is negative."""
    values = np.stack([VALUES, -sign * VALUES], axis=1)
    coupled = coupled_joints(two_slides(sign * ALONG_X), values)
    assert coupled.tolist() == [[False, True], [True, False]]


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_pieces_that_slide_together_are_not(sign):
    values = np.stack([VALUES, sign * VALUES], axis=1)
    assert not coupled_joints(two_slides(sign * ALONG_X), values).any()


def test_a_finger_that_turns_is_coupled_with_one_that_slides():
    turning = np.array([0, 0, 1.0, 0, 1.0, 0])
    slides = two_slides(turning)
    model = Articulation(slides.parents, slides.twists, np.array([False, True]), slides.anchors)
    assert coupled_joints(model, np.stack([VALUES, VALUES], axis=1))[0, 1]


def test_joints_in_a_row_are_not():
    values = np.stack([VALUES, -VALUES], axis=1)
    assert not coupled_joints(two_slides(-ALONG_X, parents=(0, 1)), values).any()
