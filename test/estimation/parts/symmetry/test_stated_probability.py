"""A stated probability rises with what was estimated, and further candidates share the rest."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from autourdf_ros.estimation.parts.assembly_trace import JointCandidate
from autourdf_ros.estimation.parts.symmetry.stated_probability import Calibration, calibrated
from autourdf_ros.estimation.parts.symmetry.symmetry_options import SymmetryOptions


def _candidates(*probabilities):
    return tuple(
        JointCandidate("revolute", np.eye(3)[k % 3], np.zeros(3), -float(k), probability)
        for k, probability in enumerate(probabilities)
    )


@pytest.mark.parametrize("kind", ["revolute", "prismatic"])
@pytest.mark.parametrize("source", ["edge", "slippage"])
def test_the_curve_rises_with_the_estimate(kind, source):
    curve = SymmetryOptions().calibration
    one = _candidates(0.5)[0]
    stated = [
        curve.stated(replace(one, type=kind, source=source, probability=probability))
        for probability in np.linspace(0, 1, 101)
    ]
    assert (np.diff(stated) >= 0).all()
    assert stated[50] < stated[90]
    assert 0 <= stated[0] < stated[-1] <= 1


def test_the_offset_is_that_of_the_first_candidates_kind():
    curve = Calibration(1.0, 0.0, 1.0, -1.0)
    turning = _candidates(0.5)[0]
    edge, slide = replace(turning, source="edge"), replace(turning, type="prismatic")
    assert curve.stated(turning) == pytest.approx(0.5)
    assert curve.stated(edge) == pytest.approx(1 - curve.stated(slide))
    assert curve.stated(edge) > 0.7


def test_slope_one_and_no_offset_change_nothing():
    given_ones = (0.5, 0.3, 0.1)
    found = calibrated(_candidates(*given_ones), Calibration(1.0, 0.0))
    assert [one.probability for one in found] == pytest.approx(given_ones)


@given(
    st.lists(st.floats(1e-6, 1.0), min_size=2, max_size=6),
    st.floats(0.2, 2.0),
    st.floats(-2.0, 2.0),
)
def test_probabilities_fall_and_sum_to_one_at_most(weights, slope, offset):
    shares = sorted(np.array(weights) / sum(weights), reverse=True)
    found = calibrated(_candidates(*shares), Calibration(slope, offset))
    stated = [one.probability for one in found]
    assert stated == sorted(stated, reverse=True)
    assert sum(stated) <= 1 + 1e-6


def test_a_method_that_states_no_probability_still_states_none():
    assert np.isnan(calibrated(_candidates(float("nan")), Calibration())[0].probability)
