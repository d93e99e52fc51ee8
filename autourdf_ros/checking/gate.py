"""All checks of a robot description, in order."""

from __future__ import annotations

from collections.abc import Callable

from autourdf_ros.checking.finding import Finding, skipped
from autourdf_ros.checking.holding import HOLDS, check_holding
from autourdf_ros.checking.in_mujoco import MUJOCO, check_mujoco
from autourdf_ros.checking.in_pinocchio import PINOCCHIO, check_pinocchio
from autourdf_ros.checking.in_pybullet import PYBULLET, check_pybullet
from autourdf_ros.checking.inertias import INERTIAS, check_inertias
from autourdf_ros.checking.limits import LIMITS, check_limits
from autourdf_ros.checking.meshes import (
    CLOSED,
    EXIST,
    SIZE,
    check_collision_closed,
    check_mesh_sizes,
    check_meshes_exist,
    check_visual_closed,
)
from autourdf_ros.checking.names import NAMES, check_names
from autourdf_ros.checking.self_collision import SELF_COLLISION, check_self_collision
from autourdf_ros.checking.structure import ONE_ROOT, PARSES, check_one_root, check_parses
from autourdf_ros.checking.subject import Subject
from autourdf_ros.progress import Progress, silent

Check = Callable[[Subject], tuple[Finding, ...]]

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


def run_checks(subject: Subject, progress: Progress = silent) -> tuple[Finding, ...]:
    """What all checks found, in order. What is no tree is not looked at any further."""
    findings: list[Finding] = []
    checks = STRUCTURE | CONTENT
    for number, (name, check) in enumerate(checks.items()):
        progress(f"check: {name}", number / len(checks))
        if name in CONTENT and any(
            finding.outcome == "failed" for finding in findings if finding.check in STRUCTURE
        ):
            findings += skipped(name, "needs a URDF that parses and has one root")
        else:
            findings += check(subject)
    progress("checked", 1.0)
    return tuple(findings)


def failed(findings: tuple[Finding, ...]) -> tuple[Finding, ...]:
    """Those that failed."""
    return tuple(finding for finding in findings if finding.outcome == "failed")
