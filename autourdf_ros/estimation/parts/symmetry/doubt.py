"""Whether the geometry decides between the candidates of a joint, and if not, why."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from autourdf_ros.estimation.parts.assembly_trace import JointCandidate
from autourdf_ros.estimation.parts.symmetry.symmetry_options import SymmetryOptions

PARALLEL = np.cos(np.radians(15.0))
"""Cosine above which two axes of an ambiguous joint are called parallel."""


def ambiguity(candidates: Sequence[JointCandidate], options: SymmetryOptions) -> tuple[bool, str]:
    """Return whether a joint is ambiguous, and a sentence that says why."""
    if not candidates or candidates[0].probability >= options.sure:
        return False, ""
    if len(candidates) == 1:
        return True, "The only candidate does not fit the surfaces well."
    first, second = candidates[:2]
    return True, f"{_reason(first, second)} ({first.probability:.0%} and {second.probability:.0%})."


def _reason(first: JointCandidate, second: JointCandidate) -> str:
    parallel = abs(float(first.axis @ second.axis)) > PARALLEL
    if first.type != second.type:
        turns = "turn about and slide along one axis" if parallel else "turn or slide"
        return f"The surfaces allow the part to {turns}"
    if first.type == "prismatic":
        return "The surfaces allow the part to slide in several directions"
    if "edge" in (first.source, second.source):
        what = "two parallel edges" if parallel else "two edges"
        return f"The geometry does not show at which of {what} the part is hinged"
    if parallel:
        return "The surfaces fit two parallel axes"
    return "The surfaces are symmetric about axes of several directions"
