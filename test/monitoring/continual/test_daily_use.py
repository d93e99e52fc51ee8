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
def looks(model):
    return compared(model, observations(model, 20, 0))


def later(looks, first, step=PERIOD):
    """The looks again, one of each camera every `step` seconds."""
    return [
        replace(one, look=replace(one.look, stamp=first + step * (number // 2)))
        for number, one in enumerate(looks)
    ]


def used(daily, looks):
    for look in looks:
        if daily.wants(look.look.camera, look.look.stamp):
            daily.add(look)


def test_what_was_seen_just_before_a_doubt_does_not_count(model, folder, looks):
    daily = DailyUse(model, tuple(CAMERAS), folder)
    used(daily, later(looks[:8], 0.0))
    assert HELD_BACK == 10.0
    assert [one.look.stamp for one in daily.looks] == [0.0, 0.0, 5.0, 5.0]
    daily.doubt()
    used(daily, later(looks[:6], 100.0))
    assert {one.look.stamp for one in daily.looks} == {0.0, 5.0, 100.0}


def test_looks_are_gathered_now_and_then(model, folder, looks):
    daily = DailyUse(model, tuple(CAMERAS), folder)
    used(daily, later(looks, 0.0, step=1.0))
    assert [one.look.stamp for one in daily.looks if one.look.camera == "left"] == [0.0, 5.0]
    # A clock that is set back begins anew.
    assert daily.wants("left", -100.0) and not daily.wants("left", 19.9)


def test_memory_and_file_are_bounded(model, folder, looks, monkeypatch):
    monkeypatch.setattr(daily_use, "MOST", 7)
    monkeypatch.setattr(daily_use, "MOST_OF_BIN", 4)
    monkeypatch.setattr(daily_use, "POINTS", 50)
    daily = DailyUse(model, tuple(CAMERAS), folder, DailyOptions(bin=60.0))
    for round_ in range(15):
        used(daily, later(looks, 50.0 * round_))
        assert daily.gathered <= 14 and daily._bin.spread.count <= 8
        for one in daily._bin.spread.looks:
            assert len(one.look.close) <= 50 and not len(one.look.about) + len(one.unexplained)
    assert daily.gathered == len(daily.looks) == 14 and 10 < len(daily.bins) <= MOST_BINS
    assert max(len(one.look.close) for one in daily.looks) == 50
    assert not any(len(one.look.about) + len(one.unexplained) for one in daily.looks)
    assert MOST_OF_BIN < MOST


def test_looks_are_spread_over_configurations(looks):
    spread = SpreadObservations(tuple(CAMERAS), 3)
    still = [one for number in range(5) for one in later(looks[:2], 10.0 * number)]
    for look in (*still, *later(looks[2:6], 100.0), *later(looks[:2], 200.0)):
        spread.add(look)
    assert spread.count == 6 and spread.fewest == 3
    # Of those that are alike the newest stays.
    assert {one.look.stamp for one in spread.looks} == {100.0, 105.0, 200.0}


def test_a_drift_over_hours_is_told_and_read_back(model, folder):
    daily = DailyUse(model, tuple(CAMERAS), folder)
    for hour in range(3):
        robot = slipped(model, np.radians(0.5) * hour)
        used(daily, later(compared(model, observations(robot, 12, hour)), hour * HOUR))
        daily.doubt()  # the latest looks would count in the next hour
        daily.finish()
    (drift,) = daily.drifts
    assert drift.of == ("joint_zero", "arm/lift", "offset")
    assert abs(np.degrees(drift.change.value) - 1.0) < 3 * np.degrees(drift.change.std)
    # Points are matched where the robot has come to stand.
    assert np.degrees(drift.change.value) == pytest.approx(1.0, abs=0.1)
    assert "joint_zero arm/lift drifted" in drift.told and not daily.problem
    again = DailyUse(model, tuple(CAMERAS), folder)
    assert [one.start for one in again.bins] == [0.0, HOUR, 2 * HOUR]
    assert [one.of for one in again.drifts] == [drift.of]
    # Nothing is refined by looks at a robot that changed.
    used(again, later(compared(model, observations(model, 20, 5)), 5 * HOUR))
    assert not again.too_few and not again._is_ready()


def test_it_is_ready_when_the_model_would_get_so_much_surer(model, folder, looks):
    # By nothing that is known already.
    for line_std, tighter, ready in ((1e-6, 0.2, False), (0.01, 0.2, True), (0.01, 1.0, False)):
        hardly = replace(model, line_std=np.full_like(model.line_std, line_std))
        options = DailyOptions(bin=40.0, tighter=tighter)
        daily = DailyUse(hardly, tuple(CAMERAS), folder, options)
        used(daily, later(looks[:20], 0.0))
        assert not daily.ready and "accepted are 12 at least" in daily.too_few
        used(daily, later(looks, 50.0))
        assert daily.ready == ready and not daily.too_few


def test_a_file_that_cannot_be_used_ends_nothing(model, folder, looks):
    path = folder.parent / DRIFT
    path.write_text("{")
    daily = DailyUse(model, tuple(CAMERAS), folder)
    assert "drift.json: is damaged" in daily.problem and not daily.bins
    path.mkdir()
    used(daily, later(looks, 0.0))
    daily.finish()
    assert "drift.json: cannot be written" in daily.problem and len(daily.bins) == 1
