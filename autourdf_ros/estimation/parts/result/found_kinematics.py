"""What a method finds of an assembly, before ranges, warnings and the model."""

from __future__ import annotations

from dataclasses import dataclass

from autourdf_ros.data.parts.part_assembly import PartAssembly
from autourdf_ros.estimation.parts.assembly_trace import (
    Contact,
    EdgeJoint,
    JointCandidate,
    RankedTree,
)

GUESS = "guess"
"""Source of a joint of which nothing is known."""


@dataclass(frozen=True)
class FoundKinematics:
    """What a method finds of an assembly.

    Attributes:
        contacts: The contact graph.
        clusters: Groups of congruent parts, by number.
        tree: The chosen one.
        runner_up: The best other one; None where there is none.
        joints: In the order of `tree.edges`.
        base_probability: That the base is the right one; NaN where the method does not say.
        rings: Parts around each closed chain of joints.
        warnings: Sentences about the whole, each a reason for doubt.
        notes: Sentences for the user that are no doubt.
    """

    contacts: tuple[Contact, ...]
    clusters: tuple[tuple[int, ...], ...]
    tree: RankedTree
    runner_up: RankedTree | None
    joints: tuple[EdgeJoint, ...]
    base_probability: float = float("nan")
    rings: tuple[tuple[int, ...], ...] = ()
    warnings: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


def guessed_joint(assembly: PartAssembly, parent: int, child: int, reason: str) -> EdgeJoint:
    """Return a fixed joint between two parts of which nothing says how they are joined."""
    axis, point = assembly.parts[child].bounds.mean(axis=0) * 0.0, assembly.parts[child].bounds
    axis[2] = 1.0
    joint = JointCandidate("fixed", axis, point.mean(axis=0), 0.0, source=GUESS)
    return EdgeJoint(parent, child, (joint,), edge_probability=0.0, warnings=(reason,))
