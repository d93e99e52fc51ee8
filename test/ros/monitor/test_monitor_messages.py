"""The monitor's statuses: one a link, without values that are no numbers."""

import math

from diagnostic_msgs.msg import DiagnosticStatus

from autourdf_ros.monitoring.observation_report import LinkState
from autourdf_ros.ros.monitor.monitor_messages import link_diagnostics


def seen(statistic: float) -> LinkState:
    return LinkState(residual=0.001, points=50, coverage=0.5, statistic=statistic)


def test_a_link_has_one_status_whose_level_no_single_camera_lifts() -> None:
    states = {
        ("/left/points", "arm"): seen(1.0),
        ("/right/points", "arm"): seen(9.0),
        ("/top/points", "arm"): seen(1.2),
        ("/left/points", "hand"): seen(6.0),
        ("/left/points", "foot"): seen(math.nan),
    }
    found = {status.name: status for status in link_diagnostics("monitor", states)}
    assert list(found) == ["monitor: arm", "monitor: foot", "monitor: hand"]
    levels = {name: status.level for name, status in found.items()}
    assert levels["monitor: hand"] == DiagnosticStatus.WARN
    assert levels["monitor: arm"] == levels["monitor: foot"] == DiagnosticStatus.OK
    values = {pair.key: pair.value for pair in found["monitor: foot"].values}
    assert values["/left/points: statistic"] == "unknown"
    assert all(status.hardware_id for status in found.values())
