"""The joint between two parts: ranked candidates, and how good the best is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from autourdf_ros.estimation.parts.assembly_trace import JointCandidate
from autourdf_ros.estimation.parts.contact.contact_region import ContactRegion
from autourdf_ros.estimation.parts.contact.prepared_part import PreparedPart
from autourdf_ros.estimation.parts.symmetry.symmetry_options import SymmetryOptions
from autourdf_ros.progress import Progress, silent


@dataclass(frozen=True)
class PairJoint:
    """What is found about the joint between two parts.

    Attributes:
        first: Number of the part.
        second: Number of the part.
        contact: Where they are near each other.
        candidates: Ranked, the best first; empty where there is none.
        quality: Q of the best candidate, 0 to about 3.5, higher for a better joint; -inf without
            one. The distance between the parts is not in it.
        ambiguous: Whether the geometry does not decide between the first and another candidate.
        reason: A sentence that says why it is ambiguous; empty otherwise.
    """

    first: int
    second: int
    contact: ContactRegion
    candidates: tuple[JointCandidate, ...]
    quality: float
    ambiguous: bool = False
    reason: str = ""


def pair_joint(
    first: PreparedPart,
    second: PreparedPart,
    contact: ContactRegion,
    size: float,
    options: SymmetryOptions = SymmetryOptions(),  # noqa: B008  (frozen)
) -> PairJoint:
    """Find the joint between two parts.

    Args:
        first: A part.
        second: A part.
        contact: Of these parts in this order.
        size: Of the assembly (m).
        options: Of the method.
    """
    raise NotImplementedError


def pair_joints(
    parts: Sequence[PreparedPart],
    contacts: Sequence[tuple[int, int, ContactRegion]],
    size: float,
    options: SymmetryOptions = SymmetryOptions(),  # noqa: B008  (frozen)
    progress: Progress = silent,
) -> dict[tuple[int, int], PairJoint]:
    """Find the joints of many pairs (first < second), on all cores."""
    raise NotImplementedError
