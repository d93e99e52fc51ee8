"""Tests of the reliability of probabilities."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from autourdf_ros.assessment.metrics.parts.reliability import expected_error, reliability


def test_bins_have_equal_count_and_rising_probability():
    bins = reliability(np.linspace(0, 1, 50), np.ones(50))
    assert [one.count for one in bins] == [10] * 5
    assert [one.probability for one in bins] == sorted(one.probability for one in bins)


def test_probabilities_that_are_right_have_a_small_error():
    random = np.random.default_rng(0)
    said = random.random(20000)
    hit = random.random(20000) < said
    assert expected_error(reliability(said, hit)) < 0.02
    assert expected_error(reliability(said, ~hit)) > 0.4


def test_no_estimate_has_no_error():
    assert reliability([], []) == ()
    assert np.isnan(expected_error(()))


@given(st.lists(st.tuples(st.floats(0, 1), st.booleans()), min_size=1, max_size=40))
def test_the_error_is_at_least_the_difference_of_the_means(estimates):
    said, hit = (np.array(column, dtype=float) for column in zip(*estimates, strict=True))
    bins = reliability(said, hit)
    assert sum(one.count for one in bins) == len(estimates)
    assert expected_error(bins) >= abs(said.mean() - hit.mean()) - 1e-9
    assert expected_error(bins) == pytest.approx(expected_error(bins[::-1]))
