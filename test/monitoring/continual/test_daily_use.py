"""What is gathered of daily work: only of a robot of which nothing is suspected, and bounded."""

from dataclasses import replace

import numpy as np
import pytest
from repaired_arm import CAMERAS, compared, observations, slipped, written_arm

from autourdf_ros.monitoring.continual import daily_use
from autourdf_ros.monitoring.continual.daily_use import (
    HELD_BACK,
    MOST,
    MOST_OF_BIN,
    PERIOD,
    DailyOptions,
    DailyUse,
)
from autourdf_ros.monitoring.continual.drift import MOST_BINS
from autourdf_ros.monitoring.continual.drift_file import DRIFT
from autourdf_ros.monitoring.continual.spread_observations import SpreadObservations
from autourdf_ros.monitoring.observing.watched_model import load_watched_model

pytestmark = pytest.mark.slow

HOUR = 3600.0


@pytest.fixture(scope="module")
def result(tmp_path_factory):
    return written_arm(tmp_path_factory.mktemp("models") / "0001")


@pytest.fixture(scope="module")
def model(result):
    return load_watched_model(result)


@pytest.fixture
def folder(result, tmp_path):
    """The same model in a history of its own."""
    (tmp_path / "0001").symlink_to(result)
    return tmp_path / "0001"


@pytest.fixture(scope="module")
def comparisons(model):
    return compared(model, observations(model, 20, 0))


def later(comparisons, first, step=PERIOD):
    """Return the comparisons again, one of each camera every `step` seconds."""
    return [
        replace(one, observation=replace(one.observation, stamp=first + step * (number // 2)))
        for number, one in enumerate(comparisons)
    ]


def used(daily, comparisons):
    for comparison in comparisons:
        if daily.wants(comparison.observation.camera, comparison.observation.stamp):
            daily.add(comparison)


def test_what_was_seen_just_before_a_doubt_does_not_count(model, folder, comparisons):
    daily = DailyUse(model, tuple(CAMERAS), folder)
    used(daily, later(comparisons[:8], 0.0))
    assert HELD_BACK == 10.0
    assert [one.observation.stamp for one in daily.comparisons] == [0.0, 0.0, 5.0, 5.0]
    daily.discard_pending()
    used(daily, later(comparisons[:6], 100.0))
    assert {one.observation.stamp for one in daily.comparisons} == {0.0, 5.0, 100.0}


def test_observations_are_gathered_now_and_then(model, folder, comparisons):
    daily = DailyUse(model, tuple(CAMERAS), folder)
    used(daily, later(comparisons, 0.0, step=1.0))
    assert [
        one.observation.stamp for one in daily.comparisons if one.observation.camera == "left"
    ] == [0.0, 5.0]
    # A clock that is set back begins anew.
    assert daily.wants("left", -100.0) and not daily.wants("left", 19.9)


def test_memory_and_file_are_bounded(model, folder, comparisons, monkeypatch):
    monkeypatch.setattr(daily_use, "MOST", 7)
    monkeypatch.setattr(daily_use, "MOST_OF_BIN", 4)
    monkeypatch.setattr(daily_use, "POINTS", 50)
    daily = DailyUse(model, tuple(CAMERAS), folder, DailyOptions(bin=60.0))
    for round_ in range(15):
        used(daily, later(comparisons, 50.0 * round_))
        assert daily.gathered <= 14 and daily._bin.spread.count <= 8
        for one in daily._bin.spread.comparisons:
            assert len(one.observation.close) <= 50 and not len(one.observation.about) + len(
                one.unexplained
            )
    assert daily.gathered == len(daily.comparisons) == 14 and 10 < len(daily.bins) <= MOST_BINS
    assert max(len(one.observation.close) for one in daily.comparisons) == 50
    assert not any(len(one.observation.about) + len(one.unexplained) for one in daily.comparisons)
    assert MOST_OF_BIN < MOST


def test_observations_are_spread_over_configurations(comparisons):
    spread = SpreadObservations(tuple(CAMERAS), 3)
    still = [one for number in range(5) for one in later(comparisons[:2], 10.0 * number)]
    for comparison in (*still, *later(comparisons[2:6], 100.0), *later(comparisons[:2], 200.0)):
        spread.add(comparison)
    assert spread.count == 6 and spread.fewest == 3
    # Of those that are alike the newest stays.
    assert {one.observation.stamp for one in spread.comparisons} == {100.0, 105.0, 200.0}


def test_a_drift_over_hours_is_reported_and_read_back(model, folder):
    daily = DailyUse(model, tuple(CAMERAS), folder)
    for hour in range(3):
        robot = slipped(model, np.radians(0.5) * hour)
        used(daily, later(compared(model, observations(robot, 12, hour)), hour * HOUR))
        daily.discard_pending()  # the latest observations would count in the next hour
        daily.finish()
    (drift,) = daily.drifts
    assert drift.key == ("joint_zero", "arm/lift", "offset")
    assert abs(np.degrees(drift.change.value) - 1.0) < 3 * np.degrees(drift.change.std)
    # Points are matched where the robot has come to stand.
    assert np.degrees(drift.change.value) == pytest.approx(1.0, abs=0.1)
    assert "joint_zero arm/lift drifted" in drift.summary and not daily.problem
    again = DailyUse(model, tuple(CAMERAS), folder)
    assert [one.start for one in again.bins] == [0.0, HOUR, 2 * HOUR]
    assert [one.key for one in again.drifts] == [drift.key]
    # Observations of a robot that changed refine nothing.
    used(again, later(compared(model, observations(model, 20, 5)), 5 * HOUR))
    assert not again.too_few and not again._is_ready()


def test_it_is_ready_when_the_model_would_get_so_much_surer(model, folder, comparisons):
    # By nothing that is known already.
    for line_std, reduction, ready in (
        (1e-6, 0.2, False),
        (0.01, 0.2, True),
        (0.01, 1.0, False),
    ):
        hardly = replace(model, line_std=np.full_like(model.line_std, line_std))
        options = DailyOptions(bin=40.0, least_reduction=reduction)
        daily = DailyUse(hardly, tuple(CAMERAS), folder, options)
        used(daily, later(comparisons[:20], 0.0))
        assert not daily.ready and "at least 12" in daily.too_few
        used(daily, later(comparisons, 50.0))
        assert daily.ready == ready and not daily.too_few


def test_a_file_that_cannot_be_used_ends_nothing(model, folder, comparisons):
    path = folder.parent / DRIFT
    path.write_text("{")
    daily = DailyUse(model, tuple(CAMERAS), folder)
    assert "drift.json: is damaged" in daily.problem and not daily.bins
    path.mkdir()
    used(daily, later(comparisons, 0.0))
    daily.finish()
    assert "drift.json: cannot be written" in daily.problem and len(daily.bins) == 1
