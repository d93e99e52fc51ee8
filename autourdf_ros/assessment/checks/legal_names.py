"""Check that MoveIt, SRDF, ROS parameters and TF accept the names."""

from __future__ import annotations

import re

from autourdf_ros.assessment.checks.finding import Finding, concluded
from autourdf_ros.assessment.checks.subject import Subject

NAMES = "names"
LEGAL = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*", re.ASCII)


def check_names(subject: Subject) -> tuple[Finding, ...]:
    """Check that names are ASCII letters, digits, '_' and '-' and begin with a letter or '_'.

    MoveIt makes ROS parameters of joint names (`joint_limits.NAME.max_velocity`), in which '.' is
    the separator and a number is no name; the separator of TF is '/'.
    """
    robot = subject.robot
    named = [("robot", robot.name), *(("link", link.name) for link in robot.links)]
    named += [("joint", joint.name) for joint in robot.joints]
    failures = [
        f"{kind} '{name}': accepted are ASCII letters, digits, '_' and '-', no digit first"
        for kind, name in named
        if not LEGAL.fullmatch(name)
    ]
    return concluded(NAMES, failures, f"{len(named)} names")
