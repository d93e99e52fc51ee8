"""Derivatives of measured positions, and the noise that they have."""

import numpy as np
import pytest

from autourdf_ros.data.efforts.effort_recording import EffortRecording
from autourdf_ros.errors import InputError
from autourdf_ros.estimation.inertia.links.motion_filter import FilterOptions, filtered_motion

RATE, NOISE = 200.0, 1e-4
TIMES = np.arange(4000) / RATE
WAVE = 2 * np.pi * 0.5


def recording(noise=NOISE, times=TIMES):
    rng = np.random.default_rng(0)
    clean = np.sin(WAVE * times)[:, None] * [1.0, 0.3]
    return EffortRecording(("a", "b"), times, clean + noise * rng.normal(size=clean.shape), clean)


@pytest.mark.parametrize("kind", ["butterworth", "savitzky-golay"])
def test_derivatives_are_those_of_the_motion_within_their_stated_noise(kind):
    found = filtered_motion(recording(), FilterOptions(kind))
    expected = -(WAVE**2) * np.sin(WAVE * found.times)
    error = found.accelerations[:, 0] - expected
    # What the filter takes from the motion comes on top.
    assert 0.5 * found.acceleration_std[0] < np.std(error) < 2e-3 * WAVE**2
    np.testing.assert_allclose(found.velocities[:, 0], WAVE * np.cos(WAVE * found.times), atol=2e-2)


def test_the_cutoff_passes_the_motion_and_stops_the_noise():
    found = filtered_motion(recording(), FilterOptions())
    assert 0.5 < found.cutoff < 10


def test_a_gap_parts_the_recording():
    times = np.where(TIMES > 10, TIMES + 3, TIMES)
    whole = recording(times=TIMES)
    parted = EffortRecording(whole.joints, times, whole.positions, whole.efforts)
    found = filtered_motion(parted, FilterOptions(cutoff=4.0))
    assert len(found.starts) == 2
    assert np.diff(found.times)[found.starts[1] - 1] > 3


def test_uneven_stamps_are_evened_out():
    rng = np.random.default_rng(1)
    times = TIMES + rng.uniform(-0.3, 0.3, len(TIMES)) / RATE
    found = filtered_motion(recording(times=times), FilterOptions(cutoff=4.0))
    np.testing.assert_allclose(found.velocities[:, 0], WAVE * np.cos(WAVE * found.times), atol=0.05)


def test_a_rate_that_the_motion_outruns_is_refused():
    slow = recording(times=TIMES[::130])
    with pytest.raises(InputError, match="too few for this motion"):
        filtered_motion(slow, FilterOptions())


def test_a_recording_shorter_than_its_filter_is_refused():
    short = recording(times=TIMES[:150])
    with pytest.raises(InputError, match="no unbroken piece is longer than"):
        filtered_motion(short, FilterOptions(cutoff=2.0))
