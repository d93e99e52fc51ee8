"""Scores add the features of the kind of an axis, and become probabilities."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from autourdf_ros.estimation.parts.symmetry.weights.candidate_weights import (
    CandidateWeights,
    probabilities,
    shaped_features,
)


def test_scores_are_by_kind():
    weights = CandidateWeights({"sym_min": 2.0}, {"blocked": 3.0}, slides=-1.0, temperature=2.0)
    features = {"sym_min": np.array([0.5, 0.5]), "blocked": np.array([1.0, 1.0])}
    np.testing.assert_allclose(weights.scores(features, np.array([False, True])), [0.5, 1.0])


def test_lengths_count_by_logarithm_and_shares_by_what_is_missing():
    shaped = shaped_features({"offset": np.array([0.0]), "gap_max": np.array([1.0])})
    assert shaped["offset"][0] == 0
    assert shaped["log_gap_max"][0] == pytest.approx(-np.log(0.03))


@given(st.lists(st.floats(-500, 500), min_size=1, max_size=9))
def test_probabilities_sum_to_one(scores):
    assert probabilities(np.array(scores)).sum() == pytest.approx(1)
