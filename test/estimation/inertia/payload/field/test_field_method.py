"""Tests of the density field."""

from dataclasses import replace

import numpy as np
import pytest
from weighed_tools import data_of, mallet, true_parameters, weighed

from autourdf_ros.assessment.metrics.inertia.inertia_errors import within_two_sigma
from autourdf_ros.errors import InputError
from autourdf_ros.estimation.inertia.payload.field.field_method import FieldOptions
from autourdf_ros.estimation.inertia.payload.payload_estimation import (
    PayloadOptions,
    estimate_payload,
)
from autourdf_ros.model.inertial.inertial_parameters import geodesic_distance, is_consistent

TRUTH = true_parameters()


@pytest.mark.slow
def test_it_finds_two_materials_by_their_colours():
    estimate = estimate_payload(data_of(weighed()))
    assert abs(estimate.parameters[0] / TRUTH[0] - 1) < 0.005
    assert geodesic_distance(estimate.parameters, TRUTH) < 0.05
    assert estimate.part_masses.sum() == pytest.approx(estimate.parameters[0], rel=0.02)
    assert not estimate.warnings


@pytest.mark.slow
def test_without_colours_it_still_is_near_and_more_in_doubt():
    body = replace(mallet()[0], colours=None)
    plain = estimate_payload(replace(data_of(weighed()), body=body))
    coloured = estimate_payload(data_of(weighed()))
    assert geodesic_distance(plain.parameters, TRUTH) < 0.4
    assert np.trace(plain.covariance[4:, 4:]) > np.trace(coloured.covariance[4:, 4:])


@pytest.mark.slow
def test_the_truth_is_mostly_within_two_deviations():
    inside = []
    for seed in range(8):
        estimate = estimate_payload(data_of(weighed(0.2, 0.01, seed)))
        found = within_two_sigma(estimate.parameters, estimate.covariance, TRUTH)
        inside += [flag for flags in found.values() for flag in flags]
    assert np.mean(inside) > 0.85


@pytest.mark.slow
@pytest.mark.parametrize("materials", [False, True])
def test_it_is_consistent_however_noisy_the_sensor_is(materials):
    options = PayloadOptions(field=FieldOptions(materials=materials))
    estimate = estimate_payload(data_of(weighed(1.0, 0.05, seed=3)), options)
    assert is_consistent(estimate.parameters)
    assert (estimate.part_masses >= 0).all()
    assert np.linalg.eigvalsh(estimate.covariance).min() > -1e-12


@pytest.mark.slow
def test_known_materials_are_found():
    options = PayloadOptions(field=FieldOptions(materials=True))
    estimate = estimate_payload(data_of(weighed(0.2, 0.01)), options)
    assert geodesic_distance(estimate.parameters, TRUTH) < 0.06


def test_it_needs_a_shape():
    with pytest.raises(InputError, match="needs the object's shape"):
        estimate_payload(replace(data_of(weighed()), body=None))
