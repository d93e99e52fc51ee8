"""An assembly of three boxes in a row, its truth, and estimates of it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import trimesh

from autourdf_ros.assessment.metrics.parts.part_truth import PartTruth, TruePartJoint
from autourdf_ros.data.parts.part_assembly import Part, PartAssembly
from autourdf_ros.estimation.parts.assembly_options import AssemblyOptions
from autourdf_ros.estimation.parts.assembly_trace import (
    AssemblyTrace,
    EdgeJoint,
    JointCandidate,
    RankedTree,
)

EDGES = ((0, 1), (1, 2), (2, 3))


def box_assembly() -> PartAssembly:
    """Four unit boxes along x."""
    box = trimesh.creation.box((1, 1, 1))
    return PartAssembly(
        "boxes",
        tuple(
            Part(f"part_{n:02d}", box.vertices + np.array([n, 0, 0]), np.asarray(box.faces))
            for n in range(4)
        ),
    )


def box_truth(root: int | None = 0) -> PartTruth:
    """A chain of joints about z between neighbours; the last one slides along x."""
    joints = tuple(
        TruePartJoint(
            f"joint_{parent}",
            "prismatic" if child == 3 else "revolute",
            np.array([1.0, 0, 0]) if child == 3 else np.array([0, 0, 1.0]),
            np.array([parent + 0.5, 0, 40.0]),
            parent,
            child,
        )
        for parent, child in EDGES
    )
    return PartTruth(root, 4, box_assembly().size, joints)


def perfect_trace(root: int = 0) -> AssemblyTrace:
    """The estimate that is the truth, but for a point elsewhere on the axis."""
    joints = tuple(
        EdgeJoint(
            joint.parent,
            joint.child,
            (
                JointCandidate(
                    joint.type, -joint.axis, joint.point * [1, 1, 0], 1.0, probability=0.9
                ),
            ),
            edge_probability=0.8,
        )
        for joint in box_truth().joints
    )
    tree = RankedTree(root, EDGES, 1.0)
    return AssemblyTrace(box_assembly(), AssemblyOptions(), (), (), tree, None, joints)


def with_candidates(trace: AssemblyTrace, edge: int, *candidates: JointCandidate) -> AssemblyTrace:
    """The estimate with other alternatives on an edge."""
    joints = list(trace.joints)
    joints[edge] = replace(joints[edge], alternatives=candidates)
    return replace(trace, joints=tuple(joints))


def with_edges(trace: AssemblyTrace, edges: tuple[tuple[int, int], ...]) -> AssemblyTrace:
    """The estimate with other edges, in the same order."""
    joints = tuple(
        replace(joint, parent=parent, child=child)
        for joint, (parent, child) in zip(trace.joints, edges, strict=True)
    )
    return replace(trace, joints=joints, tree=replace(trace.tree, edges=edges))
