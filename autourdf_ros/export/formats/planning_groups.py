"""Groups of joints that are planned for together: chains, grippers and the whole robot."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from autourdf_ros.model.self_model import Joint, SelfModel

FINGER = 2  # joints that a gripper's finger has at most


@dataclass(frozen=True)
class PlanningGroup:
    """Links that move together, and the group that they hang on.

    Attributes:
        base: The link that the first joints start from.
        links, joints: That the group moves, parents before children; joints that do not move are
            none.
        is_chain: Each link hangs on the one before.
        subgroups: Groups that make it up, where it is the whole robot.
        parent: The group that ends at `base`, where this is a gripper at its end.
    """

    name: str
    base: str
    links: tuple[str, ...]
    joints: tuple[str, ...]
    is_chain: bool = True
    subgroups: tuple[str, ...] = ()
    parent: str | None = None


def planning_groups(model: SelfModel) -> tuple[PlanningGroup, ...]:
    """Return the groups of a robot, by the model's names of links and joints.

    A chain runs from the root, or a link that branches, to the next link that branches or to the
    end. Short branches at the end of a chain that slide, or follow one another, are one gripper.
    The last group is the whole robot where there are several. Chains that only follow other joints
    have no group of their own. Empty where nothing moves.
    """
    branches = _branches(model)
    gripping = [base for base in branches if _grips(base, branches, model.links[0].name)]
    chains = [
        chain
        for base in branches
        if base not in gripping
        for chain in branches[base]
        if any(joint.mimic is None for joint in _moving(chain))
    ]
    groups = [
        _group(name, chain, is_chain=True)
        for name, chain in zip(_names("manipulator", "chain", len(chains)), chains, strict=True)
    ]
    ends = {group.links[-1]: group.name for group in groups}
    for name, base in zip(_names("gripper", "gripper", len(gripping)), gripping, strict=True):
        fingers = [joint for finger in branches[base] for joint in finger]
        groups.append(replace(_group(name, fingers, is_chain=False), parent=ends.get(base)))
    if len(groups) > 1:
        whole = _group("whole_robot", list(model.joints), is_chain=False)
        groups.append(replace(whole, subgroups=tuple(group.name for group in groups)))
    return tuple(groups)


def _group(name: str, joints: list[Joint], is_chain: bool) -> PlanningGroup:
    moving = tuple(joint.name for joint in _moving(joints))
    links = tuple(joint.child for joint in joints)
    return PlanningGroup(name, joints[0].parent, links, moving, is_chain)


def _names(single: str, stem: str, count: int) -> list[str]:
    return [single] if count == 1 else [f"{stem}_{number}" for number in range(1, count + 1)]


def _moving(joints: Iterable[Joint]) -> list[Joint]:
    return [joint for joint in joints if joint.type != "fixed"]


def _branches(model: SelfModel) -> dict[str, list[list[Joint]]]:
    """Chains of joints by the link that they start from; nearest to the root first."""
    below: dict[str, list[Joint]] = {link.name: [] for link in model.links}
    for joint in model.joints:
        below[joint.parent].append(joint)

    def moves(joint: Joint) -> bool:
        return joint.type != "fixed" or any(map(moves, below[joint.child]))

    branches: dict[str, list[list[Joint]]] = {}
    waiting = [model.links[0].name]
    for base in waiting:
        for joint in filter(moves, below[base]):
            chain = [joint]
            while len(following := list(filter(moves, below[chain[-1].child]))) == 1:
                chain += following
            branches.setdefault(base, []).append(chain)
            waiting.append(chain[-1].child)
    return branches


def _grips(base: str, branches: Mapping[str, list[list[Joint]]], root: str) -> bool:
    """Whether the chains from one link are the fingers of a gripper.

    At the root, slides alone may be anything (drawers, axes): there all must follow one another.
    """
    fingers = branches[base]
    if len(fingers) < 2 or any(finger[-1].child in branches for finger in fingers):
        return False
    joints = [joint for finger in fingers for joint in _moving(finger)]
    leaders = {joint.mimic.joint for joint in joints if joint.mimic is not None}
    tied = [joint.mimic is not None or joint.name in leaders for joint in joints]
    slides = [joint.type == "prismatic" and base != root for joint in joints]
    short = all(len(_moving(finger)) <= FINGER for finger in fingers)
    return short and all(map(max, tied, slides))
