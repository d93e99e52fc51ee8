"""Errors of a tree and joints that were estimated from parts, against the truth."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.assessment.metrics.parts.contact_place import contact_place
from autourdf_ros.assessment.metrics.parts.part_truth import PartTruth, TruePartJoint
from autourdf_ros.assessment.metrics.tree_distance import rooted_tree, unlabelled_distance
from autourdf_ros.estimation.parts.assembly_trace import (
    AssemblyTrace,
    EdgeJoint,
    JointCandidate,
)
from autourdf_ros.geometry.lines import axis_angle, perpendicular_distance

PERCENT = 100.0
RIGHT_ANGLE = 5.0
"""Degrees up to which an axis is right: the acceptance level of the suite."""
RIGHT_DISTANCE = 2.0
"""Percent of the size up to which an axis' place is right: likewise."""


@dataclass(frozen=True)
class PartJointError:
    """The errors of a true joint whose two parts the estimate connects.

    The joint's place is the point of the true axis that is nearest to the contact of its parts.

    Attributes:
        name: In the truth.
        type: True type.
        estimated: Estimated type.
        angle: Between the axes, without their sign (degrees).
        perpendicular: Of the joint's place from the estimated axis (% of the size); None for a
            prismatic joint, which has no place.
        from_origin: Of the truth's own point from it, likewise.
        position: Kinematify's axis position error: between the two points (m); None likewise.
        rank: Of the first alternative that is the true joint, from 1; None without one.
        alternatives: How many there are.
        ambiguous: Whether the estimate says that geometry does not decide.
        probability: Of the first alternative; None where the method says none.
        edge_probability: Of the edge; None likewise.
        right: Whether the first alternative is the true joint.
        features: What speaks for the first alternative, by name.
    """

    name: str
    type: str
    estimated: str
    angle: float
    perpendicular: float | None
    from_origin: float | None
    position: float | None
    rank: int | None
    alternatives: int
    ambiguous: bool
    probability: float | None
    edge_probability: float | None
    right: bool
    features: Mapping[str, float]


@dataclass(frozen=True)
class EdgeGuess:
    """An edge of the estimate, right or wrong.

    Attributes:
        probability: That it is true; None where the method says none.
        right: Whether it is.
        joint_probability: Of the first alternative, given the edge; None likewise.
        joint_right: Whether edge and first alternative are true.
    """

    probability: float | None
    right: bool
    joint_probability: float | None
    joint_right: bool


@dataclass(frozen=True)
class PartErrors:
    """All errors of one estimate.

    Attributes:
        parts: How many the truth has.
        ted: Unlabelled tree edit distance at unit cost; of the trees rooted alike where the truth
            has no root.
        edges: How many true edges there are.
        wrong_edges: True edges, without direction, that the estimate lacks.
        root_right: None where the truth has no root.
        joints: The true joints whose edges are right, in the order of the truth.
        guesses: All edges of the estimate.
        arena: ArticulateArena's distance of the trees; None without that package.
        arena_axes: The same with every joint unlimited: of the axes alone.
    """

    parts: int
    ted: int
    edges: int
    wrong_edges: int
    root_right: bool | None
    joints: tuple[PartJointError, ...]
    guesses: tuple[EdgeGuess, ...]
    arena: float | None = None
    arena_axes: float | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return numbers, strings, lists and dictionaries, ready for JSON."""
        return asdict(self)


def part_errors(trace: AssemblyTrace, truth: PartTruth) -> PartErrors:
    """Compare an estimate with the truth.

    Joints are compared on edges that are right, taken without their direction; the number of
    these joints belongs beside every figure of joints.

    Args:
        trace: Of parts that are named part_NN, by their number in the truth.
        truth: Of the same case.
    """
    numbers = part_numbers(trace)
    edges = {
        frozenset((numbers[joint.parent], numbers[joint.child])): joint for joint in trace.joints
    }
    true = {joint.edge for joint in truth.joints}
    root = numbers[trace.tree.root]
    place = {number: index for index, number in enumerate(numbers)}
    joints = {
        joint.edge: _joint_error(joint, edges[joint.edge], truth.size, _place(trace, joint, place))
        for joint in truth.joints
        if joint.edge in edges
    }
    return PartErrors(
        parts=truth.parts,
        ted=_ted([tuple(edge) for edge in edges], root, truth),
        edges=len(true),
        wrong_edges=len(true - set(edges)),
        root_right=None if truth.root is None else root == truth.root,
        joints=tuple(joints.values()),
        guesses=tuple(
            EdgeGuess(
                _known(guess.edge_probability),
                edge in joints,
                _known(guess.best.probability),
                edge in joints and joints[edge].right,
            )
            for edge, guess in edges.items()
        ),
    )


def part_numbers(trace: AssemblyTrace) -> list[int]:
    """Return the numbers that the names of an assembly's parts end in; its order without any."""
    found = [re.search(r"(\d+)$", part.name) for part in trace.assembly.parts]
    if any(one is None for one in found):
        return list(range(len(found)))
    return [int(one.group()) for one in found if one is not None]


def is_true_joint(
    candidate: JointCandidate,
    joint: TruePartJoint,
    size: float,
    place: NDArray[np.float64],
) -> bool:
    """Return whether a candidate has the type of a joint and, within the levels, its axis."""
    if candidate.type != joint.type or axis_angle(candidate.axis, joint.axis) > RIGHT_ANGLE:
        return False
    if joint.type == "prismatic":
        return True
    distance = perpendicular_distance(place, candidate.point, candidate.axis)
    return PERCENT * distance / size <= RIGHT_DISTANCE


def _place(
    trace: AssemblyTrace, joint: TruePartJoint, place: dict[int, int]
) -> NDArray[np.float64]:
    """(3,) point of the true axis that is nearest to the contact of its parts."""
    first, second = (trace.assembly.parts[place[one]] for one in (joint.parent, joint.child))
    along = (contact_place(first, second) - joint.point) @ joint.axis
    return joint.point + along * joint.axis


def _joint_error(
    joint: TruePartJoint, guess: EdgeJoint, size: float, place: NDArray[np.float64]
) -> PartJointError:
    best, turns = guess.best, joint.type == "revolute"

    def percent(point: NDArray[np.float64]) -> float:
        return PERCENT * perpendicular_distance(point, best.point, best.axis) / size

    fits = [is_true_joint(one, joint, size, place) for one in guess.alternatives]
    return PartJointError(
        name=joint.name,
        type=joint.type,
        estimated=best.type,
        angle=axis_angle(best.axis, joint.axis),
        perpendicular=percent(place) if turns else None,
        from_origin=percent(joint.point) if turns else None,
        position=float(np.linalg.norm(best.point - joint.point)) if turns else None,
        rank=fits.index(True) + 1 if any(fits) else None,
        alternatives=len(fits),
        ambiguous=guess.ambiguous,
        probability=_known(best.probability),
        edge_probability=_known(guess.edge_probability),
        right=fits[0],
        features={name: float(value) for name, value in best.features.items()},
    )


def _ted(edges: Sequence[tuple[int, ...]], root: int, truth: PartTruth) -> int:
    true_root = root if truth.root is None else truth.root
    return unlabelled_distance(rooted_tree(edges, root), rooted_tree(truth.edges, true_root))


def _known(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None
