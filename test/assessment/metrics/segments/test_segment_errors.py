import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from autourdf_ros.assessment.metrics.segments.segment_errors import segment_errors

LABELS = st.lists(st.integers(0, 4), min_size=2, max_size=40)


@given(LABELS)
def test_the_true_segmentation_by_other_names_has_no_error(labels):
    true = np.array(labels)
    errors = segment_errors(7 - true, true)
    assert errors.undersegmentation == 0
    assert errors.leakage == 0
    assert errors.global_consistency == 0
    assert errors.adjusted_rand == pytest.approx(1)


@given(LABELS)
def test_a_refinement_has_no_error_but_a_lower_rand_index(labels):
    true = np.array(labels)
    errors = segment_errors(np.arange(len(true)), true)
    assert (errors.undersegmentation, errors.leakage, errors.global_consistency) == (0, 0, 0)
    assert errors.adjusted_rand <= 1


def test_two_halves_as_one_segment():
    errors = segment_errors(np.zeros(10, int), np.repeat([0, 1], 5))
    assert errors.undersegmentation == pytest.approx(1)  # (10 - 5) / 5 for either
    assert errors.leakage == pytest.approx(1)
    assert errors.global_consistency == 0  # the truth refines it
    assert errors.adjusted_rand == pytest.approx(0)


def test_one_point_on_the_wrong_side():
    true = np.repeat([0, 1], 5)
    found = true.copy()
    found[5] = 0
    errors = segment_errors(found, true)
    assert errors.undersegmentation == pytest.approx(((6 - 5) / 5 + (10 - 5) / 5) / 2)
    assert errors.leakage == pytest.approx((1 + 1) / 10)
    assert errors.global_consistency == pytest.approx((4 / 5 + 4 * 1 / 5) / 10)  # less than 5/3/10
