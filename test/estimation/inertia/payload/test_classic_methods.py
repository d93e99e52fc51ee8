"""Tests of the literature's estimators."""

from dataclasses import replace

import numpy as np
import pytest
from weighed_tools import STEEL, WOOD, data_of, mallet, true_parameters, weighed

from autourdf_ros.errors import InputError
from autourdf_ros.estimation.inertia.payload.classic_methods import HpsOptions
from autourdf_ros.estimation.inertia.payload.payload_estimation import (
    PayloadOptions,
    estimate_payload,
)
from autourdf_ros.model.inertial.inertial_parameters import geodesic_distance, is_consistent

TRUTH = true_parameters()
PARTS = (mallet()[1] == STEEL).astype(np.int64)


def test_least_squares_is_exact_without_noise():
    estimate = estimate_payload(data_of(weighed(0.0, 0.0)), PayloadOptions("ols"))
    np.testing.assert_allclose(estimate.parameters, TRUTH, atol=1e-9)


def test_least_squares_with_noise_is_often_no_body():
    found = [
        estimate_payload(data_of(weighed(0.5, 0.02, seed)), PayloadOptions("ols"))
        for seed in range(5)
    ]
    assert not all(is_consistent(one.parameters) for one in found)


def test_hps_finds_the_masses_of_parts_at_rest():
    data = data_of(weighed(0.01, 0.0005), parts=PARTS)
    estimate = estimate_payload(data, PayloadOptions("hps"))
    volumes = np.bincount(PARTS, mallet()[0].volumes)
    np.testing.assert_allclose(estimate.part_masses, volumes * [WOOD, STEEL], rtol=0.05)
    assert 0 < estimate.used.sum() <= len(estimate.used)


def test_hps_takes_more_parts_where_the_motion_counts():
    parts = np.arange(len(PARTS)) * 6 // len(PARTS)
    data = data_of(weighed(0.01, 0.0005), parts=parts)
    with pytest.raises(InputError, match="6 parts; accepted are up to 4"):
        estimate_payload(data, PayloadOptions("hps"))
    moving = PayloadOptions("hps", hps=HpsOptions(dynamic=True))
    assert len(estimate_payload(data, moving).part_masses) == 6


def test_hps_needs_parts_and_records_at_rest():
    with pytest.raises(InputError, match="needs parts"):
        estimate_payload(data_of(weighed()), PayloadOptions("hps"))
    fast = weighed()
    fast = replace(fast, accelerations=fast.accelerations + 5.0)
    with pytest.raises(InputError, match="no record at rest"):
        estimate_payload(data_of(fast, parts=PARTS), PayloadOptions("hps"))


@pytest.mark.slow
def test_geo_stays_a_body_between_prior_and_data():
    pytest.importorskip("cvxpy")
    noisy = data_of(weighed(0.2, 0.01))
    estimate = estimate_payload(noisy, PayloadOptions("geo"))
    assert is_consistent(estimate.parameters)
    assert abs(estimate.parameters[0] / TRUTH[0] - 1) < 0.05
    exact = estimate_payload(data_of(weighed(0.0, 0.0), prior=TRUTH), PayloadOptions("geo"))
    assert geodesic_distance(exact.parameters, TRUTH) < 1e-3


@pytest.mark.parametrize("method", ["ols", "hps", pytest.param("geo", marks=pytest.mark.slow)])
def test_a_bias_is_found_by_every_method(method):
    if method == "geo":
        pytest.importorskip("cvxpy")
    bias = np.array([1.0, -1.0, 2.0, 0.05, 0.02, -0.03])
    data = data_of(weighed(0.01, 0.0005, bias=bias), parts=PARTS)
    found = estimate_payload(data, PayloadOptions(method, tare=True))
    centre = found.parameters[1:4] / found.parameters[0]
    np.testing.assert_allclose(found.parameters[0], TRUTH[0], rtol=5e-3)
    np.testing.assert_allclose(centre, TRUTH[1:4] / TRUTH[0], atol=1.5e-3)
    np.testing.assert_allclose(found.bias, bias, atol=0.1)


def test_wrenches_that_a_method_leaves_over_are_a_doubt():
    data = data_of(weighed(0.01, 0.0005, bias=np.array([1.0, -1.0, 2.0, 0.05, 0.02, -0.03])))
    ignored = estimate_payload(data, PayloadOptions("ols"))
    assert any("leaves more of the wrenches over" in one for one in ignored.warnings)


def test_every_method_refuses_a_load_that_is_not_of_this_shape():
    recording = weighed(0.01, 0.0005)
    wrong = data_of(replace(recording, wrenches=1e3 * recording.wrenches), parts=PARTS)
    with pytest.raises(InputError, match="is a density of"):
        estimate_payload(wrong, PayloadOptions("hps"))
