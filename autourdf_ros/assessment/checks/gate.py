"""All checks of a robot description, in order."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from autourdf_ros.assessment.checks.finding import Finding, skipped
from autourdf_ros.assessment.checks.inertias import INERTIAS, check_inertias
from autourdf_ros.assessment.checks.joint_ranges import LIMITS, check_limits
from autourdf_ros.assessment.checks.legal_names import NAMES, check_names
from autourdf_ros.assessment.checks.meshes import (
    CLOSED,
    EXIST,
    SIZE,
    check_collision_closed,
    check_mesh_sizes,
    check_meshes_exist,
    check_visual_closed,
)
from autourdf_ros.assessment.checks.no_self_collision import SELF_COLLISION, check_self_collision
from autourdf_ros.assessment.checks.one_tree import ONE_ROOT, PARSES, check_one_root, check_parses
from autourdf_ros.assessment.checks.simulators.holding import HOLDS, check_holding
from autourdf_ros.assessment.checks.simulators.in_mujoco import MUJOCO, check_mujoco
from autourdf_ros.assessment.checks.simulators.in_pinocchio import PINOCCHIO, check_pinocchio
from autourdf_ros.assessment.checks.simulators.in_pybullet import PYBULLET, check_pybullet
from autourdf_ros.assessment.checks.subject import Subject, subject_of
from autourdf_ros.model.result_files import URDF
from autourdf_ros.progress import Progress, silent

Findings = tuple[Finding, ...]
Check = Callable[[Subject], Findings]

STRUCTURE: dict[str, Check] = {PARSES: check_parses, ONE_ROOT: check_one_root}
CONTENT: dict[str, Check] = {
    NAMES: check_names,
    EXIST: check_meshes_exist,
    CLOSED["visual"]: check_visual_closed,
    CLOSED["collision"]: check_collision_closed,
    SIZE: check_mesh_sizes,
    INERTIAS: check_inertias,
    LIMITS: check_limits,
    SELF_COLLISION: check_self_collision,
    PINOCCHIO: check_pinocchio,
    MUJOCO: check_mujoco,
    PYBULLET: check_pybullet,
    HOLDS: check_holding,
}


BEARING_ON_TRUST = frozenset({SELF_COLLISION})
"""Checks that compare the model with the recording; the others examine the files only."""


def check_result(
    folder: Path, document: Mapping[str, Any], progress: Progress = silent
) -> Findings:
    """Check a result folder that is being written.

    Args:
        folder: It holds the URDF and the meshes.
        document: The content of its future reconstruction.json.
        progress: Receives the name of each check.

    Returns:
        The findings of all checks. No message names the folder, which may be renamed.
    """
    findings = run_checks(subject_of(folder / URDF, document), progress)
    return tuple(
        replace(finding, message=finding.message.replace(f"{folder}/", "")) for finding in findings
    )


def run_checks(subject: Subject, progress: Progress = silent) -> Findings:
    """Run all checks in order.

    The checks of the content are skipped where a check of the structure fails.
    """
    findings: list[Finding] = []
    checks = STRUCTURE | CONTENT
    for number, (name, check) in enumerate(checks.items()):
        progress(f"check: {name}", number / len(checks))
        if name in CONTENT and any(
            finding.outcome == "failed" for finding in findings if finding.check in STRUCTURE
        ):
            findings += skipped(name, "needs a URDF that parses and has one root")
        else:
            findings += _found(name, check, subject)
    progress("checked", 1.0)
    return tuple(findings)


def _found(name: str, check: Check, subject: Subject) -> Findings:
    """Run a check; an exception of a library is a finding, too."""
    try:
        return check(subject)
    except Exception as error:
        reason = " ".join(str(error).split())
        return (Finding(name, "failed", f"cannot be checked: {type(error).__name__}: {reason}"),)


def failed(findings: Findings) -> Findings:
    """Return the findings of failed checks."""
    return tuple(finding for finding in findings if finding.outcome == "failed")


def doubts(findings: Findings) -> list[str]:
    """Return the failed checks that make a model doubtful.

    Args:
        findings: Of all checks.

    Returns:
        A sentence for each, as in the warnings of the document.
    """
    return [
        as_warning(finding) for finding in failed(findings) if finding.check in BEARING_ON_TRUST
    ]


def as_warning(finding: Finding) -> str:
    """Return a finding as a warning of the document."""
    return f"{finding.check}: {finding.message}"
