"""Check that the URDF's text can be parsed and describes one tree."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from autourdf_ros.assessment.checks.finding import Finding, concluded
from autourdf_ros.assessment.checks.subject import Subject

PARSES, ONE_ROOT = "parses", "one root"


def check_parses(subject: Subject) -> tuple[Finding, ...]:
    """Check that every element can be parsed and that every name occurs once."""
    robot = subject.robot
    failures = list(robot.problems)
    names = {"link": [x.name for x in robot.links], "joint": [x.name for x in robot.joints]}
    for kind, given in names.items():
        failures += [f"{kind} '{name}' is there twice" for name in _repeated(given)]
    if not robot.links:
        failures.append("there is no link; accepted is at least one")
    return concluded(PARSES, failures, f"{len(robot.links)} links, {len(robot.joints)} joints")


def check_one_root(subject: Subject) -> tuple[Finding, ...]:
    """Check that links and joints form one tree."""
    robot = subject.robot
    links = {link.name for link in robot.links}
    failures = [
        f"joint '{joint.name}' names link '{end}', which does not exist"
        for joint in robot.joints
        for end in (joint.parent, joint.child)
        if end not in links
    ]
    failures += [
        f"link '{name}' is the child of several joints; accepted is one"
        for name in _repeated(joint.child for joint in robot.joints)
    ]
    roots = [name for name in dict.fromkeys(x.name for x in robot.links) if _is_root(name, subject)]
    if len(roots) != 1:
        failures.append(f"has {len(roots)} root links ({_some(roots)}); accepted is one")
    elif unreached := sorted(links - _below(roots[0], subject)):
        failures.append(f"{_some(unreached)}: not connected with root '{roots[0]}'")
    return concluded(ONE_ROOT, failures, f"'{roots[0]}'" if roots else "")


def _is_root(name: str, subject: Subject) -> bool:
    return all(joint.child != name for joint in subject.robot.joints)


def _below(root: str, subject: Subject) -> set[str]:
    reached, new = {root}, {root}
    while new:
        children = {joint.child for joint in subject.robot.joints if joint.parent in new}
        new = children - reached
        reached |= new
    return reached


def _repeated(names: Iterable[str]) -> list[str]:
    return [name for name, count in Counter(names).items() if count > 1]


def _some(names: list[str]) -> str:
    shown = ", ".join(f"'{name}'" for name in names[:5])
    return shown + (f" and {len(names) - 5} more" if len(names) > 5 else "") or "none"
