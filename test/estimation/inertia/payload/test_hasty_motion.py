"""Deviations hold the errors, however fast the motion is."""

import numpy as np
import pytest
from weighed_tools import data_of, hasty_recording, true_parameters

from autourdf_ros.estimation.inertia.payload.payload_pipeline import (
    IdentifyOptions,
    identify_payload,
)


def deviations(move, uneven, draws=2):
    """Errors of mass, first moment and inertia in deviations (draws, 10)."""
    found = []
    for seed in range(draws):
        recording = hasty_recording(move, seed, uneven)
        found.append(identify_payload(data_of(recording), IdentifyOptions()).estimate)
    errors = np.array([one.parameters for one in found]) - true_parameters()
    std = np.sqrt([np.diag(one.covariance) for one in found])
    return np.abs(errors) / std


@pytest.mark.slow
@pytest.mark.parametrize("uneven", [False, True])
@pytest.mark.parametrize("move", [3.0, 0.45])
def test_deviations_hold_the_errors_of_slow_and_fast_motions(move, uneven):
    off = deviations(move, uneven)
    assert off.max() < 4.0
    assert (off < 2.0).mean() > 0.85
