"""Errors of dynamic parameters."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from autourdf_ros.assessment.metrics.mechanisms.parameter_error import (
    ParameterEstimate,
    parameter_errors,
)

VALUES = st.lists(st.floats(0.1, 10.0), min_size=1, max_size=6)


def _estimates(true, found, std=0.1):
    return [
        ParameterEstimate(f"p{number}", value, other, std, value / 2, value * 2)
        for number, (value, other) in enumerate(zip(true, found, strict=True))
    ]


def test_errors_are_shares_of_the_limits():
    errors = parameter_errors(_estimates([2.0, 4.0], [2.3, 4.0]))
    assert errors.nmae == pytest.approx(0.3 / 3.0 / 2)
    assert errors.inside == (True, True)


def test_an_estimate_is_inside_within_two_standard_deviations_of_its_logarithm():
    true = [1.0, 1.0, 1.0]
    found = [np.exp(0.19), np.exp(-0.21), 1.0]
    assert parameter_errors(_estimates(true, found)).inside == (True, False, True)


@given(VALUES, st.floats(0.2, 5.0))
def test_a_common_factor_is_no_error_up_to_scale(true, factor):
    errors = parameter_errors(_estimates(true, [factor * value for value in true]))
    assert errors.nmae == pytest.approx(abs(factor - 1) / 1.5)
    assert errors.nmae_up_to_scale == pytest.approx(0.0, abs=1e-12)


@given(VALUES, st.data())
def test_no_common_factor_does_better(true, data):
    size = len(true)
    found = data.draw(st.lists(st.floats(0.1, 10.0), min_size=size, max_size=size))
    least = parameter_errors(_estimates(true, found)).nmae_up_to_scale
    for factor in np.geomspace(0.01, 100, 200):
        tried = parameter_errors(_estimates(true, [factor * value for value in found]))
        assert least <= tried.nmae + 1e-12


def test_nothing_that_was_found_has_no_error():
    errors = parameter_errors([])
    assert np.isnan(errors.nmae) and errors.inside == ()
