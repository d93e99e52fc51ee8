"""Cases of the monitor: what identifies them, and what counts as right."""

import json

import numpy as np
import pytest

from autourdf_ros.benchmark.monitoring.measure_monitoring import UNDECIDED, outcome
from autourdf_ros.benchmark.monitoring.monitoring_case import (
    REPORTED,
    TUNED,
    MonitoringCase,
    monitoring_cases,
    seeds_of,
)
from autourdf_ros.benchmark.monitoring.monitoring_faults import FAULTS, Fault
from autourdf_ros.benchmark.monitoring.monitoring_table import alarm_rate, monitoring_table
from autourdf_ros.errors import InputError

SAG = ("sag", "hand")
ZERO, CAMERA = ("joint_zero", "lift"), ("camera_pose", "left")


def run(fault, outcome_, alarms=0, seconds=5.0):
    return {
        "fault": fault,
        "truths": [] if fault == "none" else [ZERO],
        "outcome": outcome_,
        "alarms": alarms,
        "first_s": 1.5,
        "seconds": seconds,
        "cpu_ms": 50.0,
    }


def test_no_robot_is_in_both_halves_and_there_are_ten():
    assert not set(TUNED) & set(REPORTED)
    assert len(TUNED) + len(REPORTED) >= 10


def test_a_case_is_known_by_its_robot_seed_and_code(tmp_path):
    robot = tmp_path / "arm.urdf"
    robot.write_text("<robot name='arm'/>")
    cases = monitoring_cases([str(robot)], ["bent", "none"], [3, 4], 30.0)
    assert [case.seed for case in cases] == [3, 4]
    assert cases[0].faults == ("none", "bent") and cases[0].half == "reported"
    keys = [json.dumps(case.key()) for case in cases]
    robot.write_text("<robot name='other'/>")
    assert len({*keys, json.dumps(cases[0].key())}) == 3
    assert MonitoringCase("panda").half == "tuned"


@pytest.mark.parametrize(("robots", "faults"), [(["no_such_arm"], []), (["panda"], ["melted"])])
def test_unknown_robots_and_faults_are_refused(robots, faults):
    with pytest.raises(InputError, match=r"no_such_arm|melted"):
        monitoring_cases(robots, faults, [0], 30.0)


def test_seeds_are_those_asked_for_or_drawn_for_the_version():
    assert seeds_of(3, 7) == [7, 8, 9]
    drawn = seeds_of(4)
    assert drawn == seeds_of(4) and len(set(drawn)) == 4 and seeds_of(2) == drawn[:2]


@pytest.mark.parametrize(
    ("fault", "last", "expected"),
    [
        (Fault(None, (ZERO,)), [ZERO], "right"),
        (Fault(None, (CAMERA, ZERO)), [ZERO], "right"),
        (Fault(None, (ZERO,)), [("joint_axis", "lift"), ZERO], "wrong"),
        (Fault(None, (ZERO,)), [UNDECIDED], "undecided"),
        (Fault(None, (ZERO,)), [], "nothing"),
        (Fault(None, unnamed=True), [UNDECIDED], "right"),
        (Fault(None, unnamed=True), [ZERO], "wrong"),
        (Fault(None, (SAG,), unnamed=True), [SAG], "right"),
        (Fault(None, (SAG,), unnamed=True), [UNDECIDED], "right"),
        (Fault(None), [], "right"),
    ],
)
def test_what_is_reported_first_at_the_end_counts(fault, last, expected):
    assert outcome(fault, [[("object", "")] if fault.changes else [], last]) == expected


def test_a_report_at_any_time_of_a_healthy_run_is_wrong():
    assert outcome(Fault(None), [[], [UNDECIDED], []]) == "wrong"


def test_the_rate_of_alarms_has_poissons_bound():
    assert alarm_rate(0, 10.0) == (0.0, pytest.approx(-np.log(0.05) / 10))
    assert alarm_rate(2, 1.0)[1] == pytest.approx(6.296, abs=1e-3)


def test_the_table_has_both_halves_and_failures():
    rows = [
        {
            "name": name,
            "seed": 0,
            "half": half,
            "verdict": "good",
            "runs": [run("none", "right", seconds=3600.0), run("joint_zero", found)],
            "whole": 100.0,
            "memory": 600.0,
        }
        for name, half, found in [("panda", "tuned", "right"), ("z1", "reported", "wrong")]
    ]
    text = monitoring_table([*rows, {"name": "arm", "seed": 1, "error": "it broke"}])
    lines = {line.split("  ")[0]: line for line in text.splitlines()}
    assert "1/0/1" in lines["all tuned"] and "0/1/1" in lines["all reported"]
    assert "0.0 (< 3.0)" in lines["z1"]
    assert "FAILED arm, seed 1: it broke" in text
    assert {"none", "joint_zero"} <= set(FAULTS)
