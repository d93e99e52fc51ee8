"""What a watch's status says first."""

import pytest
from diagnostic_msgs.msg import DiagnosticStatus

from autourdf_ros.monitoring.change import Change
from autourdf_ros.monitoring.observation_report import Report
from autourdf_ros.ros.monitor.watch_status import most_urgent

SLIPPED = Change("joint_zero", "lift", (), 50.0, "its zero slipped")
BESIDE = "something changed near link two as well"


@pytest.mark.parametrize(
    ("changes", "suspicion", "together", "text"),
    [
        ((SLIPPED,), "", "", "its zero slipped"),
        ((SLIPPED,), BESIDE, "", f"its zero slipped; {BESIDE}"),
        ((SLIPPED,), BESIDE, "images agree", f"its zero slipped; {BESIDE}; images agree"),
        ((), BESIDE, "images agree", BESIDE),
    ],
)
def test_a_change_comes_with_what_is_not_decided_beside_it(changes, suspicion, together, text):
    report = Report(1.0, True, {}, changes, suspicion)
    expected = (DiagnosticStatus.WARN, text)
    assert most_urgent(report, None, together, "", ["a camera is silent"]) == expected


@pytest.mark.parametrize(
    ("watching", "problems", "doing", "level", "text"),
    [
        (True, [], "", DiagnosticStatus.OK, "watching"),
        (True, ["a camera is silent"], "", DiagnosticStatus.ERROR, "a camera is silent"),
        (True, ["a camera is silent"], "a repair", DiagnosticStatus.OK, "a repair"),
        (False, [], "", DiagnosticStatus.OK, "learning the baseline: nothing may be wrong"),
    ],
)
def test_without_a_change_problems_come_first(watching, problems, doing, level, text):
    report = Report(1.0, watching, {}, ())
    assert most_urgent(report, None, "", doing, problems) == (level, text)
