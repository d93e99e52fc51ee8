"""Tests of the records that no rigid load explains."""

from dataclasses import replace

import numpy as np
import pytest
from weighed_tools import data_of, hasty_recording, true_parameters, weighed

from autourdf_ros.errors import InputError
from autourdf_ros.estimation.inertia.payload.moment_equations import KnownLoad, regression_of
from autourdf_ros.estimation.inertia.payload.motion_smoothing import RecordFilter, record_filter
from autourdf_ros.estimation.inertia.payload.payload_pipeline import (
    IdentifyOptions,
    identify_payload,
)
from autourdf_ros.estimation.inertia.payload.rigid_records import (
    of_records,
    rigid_records,
    rigid_warning,
)

BLOW = slice(200, 210)


def kept_of(recording, known=None):
    smoothing = record_filter(recording)
    regression = regression_of(recording, smoothing, known or KnownLoad())
    return rigid_records(regression, smoothing, tare=True).kept


def struck(force):
    recording = weighed()
    blow = np.zeros_like(recording.wrenches)
    blow[BLOW, 0] = force
    return replace(recording, wrenches=recording.wrenches + blow)


@pytest.mark.parametrize("seed", range(8))
def test_a_rigid_load_loses_no_record(seed):
    kept = kept_of(weighed(seed=seed, bias=(1, 2, 3, 0.1, 0.2, 0.3)))
    assert kept.all()
    assert rigid_warning(kept) is None


def test_a_blow_is_left_out_with_what_the_filter_mixes_with_it():
    kept = kept_of(struck(3.0))
    window = record_filter(weighed()).window
    assert not kept[BLOW].any()
    assert not kept[BLOW.start - window // 2 : BLOW.stop + window // 2].any()
    assert kept.mean() > 0.8
    assert rigid_warning(kept) is None  # so few cost no accuracy


def test_a_result_of_the_smaller_part_of_the_records_is_doubtful():
    kept = np.arange(600) < 300
    assert "300 of 600 records were left out" in rigid_warning(kept)


def test_what_a_rigid_load_leaves_over_everywhere_widens_the_deviations():
    recording = weighed()
    regression = regression_of(recording, record_filter(recording))
    understated = replace(
        regression,
        wrench_variance=regression.wrench_variance / 9,
        acceleration_variance=regression.acceleration_variance / 9,
    )
    assert rigid_records(regression, record_filter(recording), True).excess < 1.2
    found = rigid_records(understated, record_filter(recording), True)
    assert found.kept.mean() > 0.9
    assert found.excess == pytest.approx(9.0, rel=0.25)
    kept = np.ones(600, bool)
    one, nine = (of_records(regression, kept, excess) for excess in (1.0, 9.0))
    matrices = [each.equations(true_parameters()).whitened()[0] for each in (one, nine)]
    np.testing.assert_allclose(np.abs(matrices[1]), np.abs(matrices[0]) / 3, rtol=1e-6)


def test_a_gripper_is_no_reason_to_leave_records_out():
    gripper = np.array([0.8, 0.01, 0, 0.03, 2e-3, 0, 2e-3, 0, 0, 1e-3])
    recording = weighed(parameters=true_parameters() + gripper)
    assert kept_of(recording, KnownLoad(gripper)).all()


def test_wrenches_of_no_rigid_load_are_refused():
    recording = weighed()
    blows = np.where(np.arange(600) % 46 == 20, 60.0, 0.0)
    wrenches = recording.wrenches + blows[:, None] * np.array([1, 0, 0, 0, 0.1, 0])
    with pytest.raises(InputError, match="no rigid load explains"):
        kept_of(replace(recording, wrenches=wrenches))


def test_ends_of_a_recording_are_noisier():
    smoothing = RecordFilter(21)
    noise = np.random.default_rng(0).standard_normal((60, 4000))
    gains = smoothing.noise_gains(60)
    np.testing.assert_allclose(smoothing.smooth(noise).var(1), gains, rtol=0.15)
    assert gains[0] > 3 * gains[30]
    np.testing.assert_array_equal(RecordFilter(1).noise_gains(4), np.ones(4))


@pytest.mark.slow
@pytest.mark.parametrize("uneven", [False, True])
def test_jolts_beyond_the_poses_band_are_left_out_and_reported(uneven):
    recording = hasty_recording(0.3, 1, uneven, jolts=True)
    found = identify_payload(data_of(recording), IdentifyOptions()).estimate
    off = np.abs(found.parameters - true_parameters()) / np.sqrt(np.diag(found.covariance))
    assert off.max() < 4.0
    assert 0.2 < found.used.mean() < 0.6
    assert any("records were left out" in warning for warning in found.warnings)
