"""Records whose motion a gap hides: left out and counted, whatever made the gap."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation, Slerp
from weighed_tools import data_of, slow_motion, true_parameters, weighed

from autourdf_ros.data.wrenches.wrench_recording import WrenchRecording
from autourdf_ros.data.wrenches.wrench_table import recording_of_poses
from autourdf_ros.errors import InputError
from autourdf_ros.estimation.inertia.payload.payload_pipeline import (
    IdentifyOptions,
    identify_payload,
)

LOST = [slice(40, 100), slice(150, 215), slice(285, 330), slice(400, 450)]
"""Records at whose times the transforms were lost, while the sensor turned."""


def interpolated(times, poses):
    """Poses between the transforms that were not lost, as tf2 gives them, and how far apart."""
    heard = np.ones(len(times), bool)
    for one in LOST:
        heard[one] = False
    turns = Slerp(times[heard], Rotation.from_matrix(poses[heard, :3, :3]))(times)
    found = poses.copy()
    found[:, :3, :3] = turns.as_matrix()
    places = poses[heard, :3, 3].T
    found[:, :3, 3] = np.column_stack([np.interp(times, times[heard], one) for one in places])
    after = np.searchsorted(times[heard], times)
    apart = np.where(heard, 0.0, times[heard][after] - times[heard][after - 1])
    return found, apart, heard


def read_live(shown: bool) -> WrenchRecording:
    """The mallet's wrenches with the poses that are left, and whether they show how far apart."""
    times, poses = slow_motion()
    found, apart, _ = interpolated(times, poses)
    noise = np.random.default_rng(0).normal(0, 2e-5, (len(times), 3))
    found[:, :3, 3] += noise
    return recording_of_poses(times, found, weighed().wrenches, "live", apart if shown else None)


@pytest.mark.slow
def test_lost_transforms_cost_records_and_no_estimate():
    with pytest.raises(InputError, match=r"slips in the grasp|no density of this shape"):
        identify_payload(data_of(read_live(shown=False)), IdentifyOptions())
    found = identify_payload(data_of(read_live(shown=True)), IdentifyOptions()).estimate
    error = found.parameters - true_parameters()
    assert (np.abs(error[:4]) < 4 * np.sqrt(np.diag(found.covariance)[:4])).all()
    assert found.parameters[0] == pytest.approx(true_parameters()[0], rel=0.01)


def test_poses_between_transforms_that_are_far_apart_are_left_out_and_counted():
    times, poses = slow_motion()
    found, apart, heard = interpolated(times, poses)
    read = recording_of_poses(times, found, np.zeros((len(times), 6)), "live", apart)
    assert np.isin(read.times, times[heard]).all()
    assert read.left_out == len(times) - len(read.times)
    assert (~heard).sum() <= read.left_out < 1.3 * (~heard).sum()
    clean = recording_of_poses(times, poses, np.zeros((len(times), 6)), "whole")
    same = np.isin(times, read.times)
    assert np.abs(clean.accelerations[same] - read.accelerations).max() < 0.3
    assert clean.left_out == 0


def test_records_next_to_a_gap_in_the_stamps_are_left_out():
    times, poses = slow_motion()
    kept = np.ones(len(times), bool)
    kept[60:100] = False
    read = recording_of_poses(times[kept], poses[kept], np.zeros((kept.sum(), 6)), "busy")
    missing = np.setdiff1d(times[kept], read.times)
    assert 0 < len(missing) == read.left_out < 10
    assert (np.abs(missing - times[80]) < 0.3).all()


def test_even_records_and_those_at_uneven_times_are_all_kept():
    times, poses = slow_motion()
    wrenches = np.zeros((len(times), 6))
    shaken = np.sort(times + np.random.default_rng(1).uniform(-0.004, 0.004, len(times)))
    for stamps in (times, shaken, 10 * times):
        assert recording_of_poses(stamps, poses, wrenches, "even").left_out == 0


def test_transforms_that_come_seldom_all_the_time_hide_nothing():
    times, poses = slow_motion()
    apart = np.full(len(times), 0.1)
    read = recording_of_poses(times, poses, np.zeros((len(times), 6)), "slow", apart)
    assert read.left_out == 0


def test_records_without_any_known_motion_are_refused():
    times, poses = slow_motion()
    apart = np.full(len(times), np.inf)
    apart[0] = 0.0
    with pytest.raises(InputError, match="gaps between the records"):
        recording_of_poses(
            times, poses, np.zeros((len(times), 6)), "lost", np.where(apart > 0, np.nan, 0)
        )
