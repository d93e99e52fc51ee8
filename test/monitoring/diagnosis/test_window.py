"""The window of a monitor: which part of it shows a change."""

import numpy as np
import pytest
from repaired_arm import CAMERAS, COARSE_LENS, depth_points, slipped, work, written_arm

from autourdf_ros.monitoring.diagnosis.window import Window
from autourdf_ros.monitoring.monitor import Monitor
from autourdf_ros.monitoring.monitor_options import MonitorOptions
from autourdf_ros.monitoring.observing.observation import Observation
from autourdf_ros.monitoring.observing.watched_model import load_watched_model
from autourdf_ros.simulation.cameras.pinhole_camera import Camera

pytestmark = pytest.mark.slow

PERIOD, LEARNING, HEALTHY, HURT = 0.2, 5.0, 4.0, 3.0  # s
START = 636.96  # s; a half-seen motion of the joints then resembles another change


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    return load_watched_model(written_arm(tmp_path_factory.mktemp("results") / "arm"))


@pytest.fixture(scope="module")
def watched(model):
    """Return a monitor in whose window a zero slipped, and all changes reported since then."""
    rng = np.random.default_rng(0)
    monitor = Monitor(model, tuple(CAMERAS), MonitorOptions(learning=LEARNING))
    hurt = slipped(model, np.radians(3.0))
    times = START + PERIOD * np.arange(1, round((LEARNING + HEALTHY + HURT) / PERIOD))
    change = START + LEARNING + HEALTHY
    reported = []
    for stamp in times:
        readings = work(stamp)
        robot = hurt if stamp > change else model
        for name, pose in CAMERAS.items():
            points = depth_points(robot, readings, Camera(COARSE_LENS, pose), rng)
            report = monitor.update(Observation(name, stamp, points, pose, readings, {}))
        assert stamp > change or not report.changes
        reported += [(one.kind, one.subject) for one in report.changes]
    return monitor, reported, change


def test_observations_before_a_change_are_not_taken_for_part_of_it(watched):
    """The start of a zero's slip resembles a wrong axis, whose effect increases with the motion."""
    _, reported, _ = watched
    assert set(reported) == {("joint_zero", "arm/lift")}


def test_only_newer_observations_are_explained(watched):
    monitor, _, change = watched
    window, causes, baseline = monitor._window, monitor._causes, monitor._baseline
    newer = Window(window.length)
    for seen in window._seen:
        if seen.comparison.observation.stamp > change:
            newer.add(seen)
    found = window.explained(causes, baseline, change)[0]
    assert found.log_odds == newer.explained(causes, baseline)[0].log_odds
    assert found.cause.named != window.explained(causes, baseline)[0].cause.named
    newest = window.comparisons[-1].observation.stamp
    assert window.explained(causes, baseline, newest - 2 * PERIOD) is None
