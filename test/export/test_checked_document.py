"""The verdict with and without what the checks found."""

import pytest

from autourdf_ros.assessment.checks.finding import Finding
from autourdf_ros.assessment.checks.no_self_collision import SELF_COLLISION
from autourdf_ros.export.checked_document import with_checks, without_checks

COLLIDES = Finding(SELF_COLLISION, "failed", "link_1 and link_2 where the robot was recorded")
OTHER = Finding("names", "failed", "a name is odd")


def document(verdict="trusted", reasons=()):
    kinematics = {"verdict": verdict, "reasons": list(reasons)}
    return {
        "verdict": verdict,
        "warnings": list(reasons),
        "checks": [],
        "layers": {"kinematics": kinematics},
    }


@pytest.mark.parametrize("findings", [(), (COLLIDES,), (OTHER,), (COLLIDES, OTHER)])
@pytest.mark.parametrize(
    "before", [document(), document("doubtful", ["an axis is unknown"]), document("failed", ["x"])]
)
def test_a_document_without_its_checks_is_that_before_them(before, findings):
    checked = with_checks(before, findings)
    assert without_checks(checked) == before
    assert with_checks(without_checks(checked), findings) == checked


def test_a_contradiction_is_a_doubt_of_model_and_kinematics():
    checked = with_checks(document(), (COLLIDES, OTHER))
    kinematics = checked["layers"]["kinematics"]
    assert checked["verdict"] == kinematics["verdict"] == "doubtful"
    assert len(checked["warnings"]) == 2 and len(kinematics["reasons"]) == 1
