"""Choose the joints of a tree so that congruent parts have congruent joints."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from autourdf_ros.estimation.parts.assembly_trace import EdgeJoint
from autourdf_ros.estimation.parts.contact.congruence import CongruentGroup
from autourdf_ros.estimation.parts.contact.prepared_part import PreparedPart
from autourdf_ros.estimation.parts.symmetry.pair_joint import PairJoint
from autourdf_ros.estimation.parts.symmetry.symmetry_options import SymmetryOptions


def agree(
    edges: Sequence[tuple[int, int]],
    pair_joints: Mapping[tuple[int, int], PairJoint],
    groups: Sequence[CongruentGroup],
    parts: Sequence[PreparedPart],
    options: SymmetryOptions = SymmetryOptions(),  # noqa: B008  (frozen)
) -> tuple[EdgeJoint, ...]:
    """Choose the joint of every edge of a tree.

    Args:
        edges: (parent, child) numbers.
        pair_joints: By (first, second) with first < second; every edge is in it.
        groups: Congruent parts.
        parts: All parts.
        options: Of the method.

    Returns:
        In the order of `edges`.
    """
    raise NotImplementedError
