"""ArticulateArena's distance of two kinematic trees, where that package is installed."""

from __future__ import annotations

import math
from collections.abc import Iterable
from importlib.util import find_spec
from typing import Any

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.assessment.metrics.parts.part_truth import PartTruth
from autourdf_ros.errors import InputError
from autourdf_ros.estimation.parts.assembly_trace import AssemblyTrace

_KAPPA = math.pi
"""Scale of the compactification: the paper's benchmark setting."""
Joint = tuple[str, NDArray[np.float64], NDArray[np.float64], float, float]


def arena_installed() -> bool:
    """Return whether `articulatearena` can be imported."""
    return find_spec("articulatearena") is not None


def arena_distance(trace: AssemblyTrace, truth: PartTruth, limits: bool = True) -> float:
    """Return the assignment relaxation of the tree distance E_tree, compactified.

    Twists are taken about the centre of the box around all parts, in units of the size, so that
    neither the frame nor the units matter. A joint without finite limits counts as continuous.

    Args:
        trace: The estimate.
        truth: Of the same case.
        limits: Whether the joints' ranges count; without, every joint is continuous.

    Raises:
        InputError: The package is not installed.

    He et al., ArticulateArena (arXiv 2609.33931), section 4.3.
    """
    if not arena_installed():
        raise InputError(
            "articulatearena is not installed; 'pip install articulatearena' adds its distance"
        )
    from articulatearena import assignment_tree_distance, make_split_norm

    norm = make_split_norm(alpha=1.0)
    centre = trace.assembly.bounds.mean(axis=0)
    estimated: list[Joint] = [
        (joint.best.type, joint.best.axis, joint.best.point, joint.best.lower, joint.best.upper)
        for joint in trace.joints
        if joint.best.type != "fixed"
    ]
    true: list[Joint] = [
        (joint.type, joint.axis, joint.point, joint.lower, joint.upper) for joint in truth.joints
    ]
    pairs = [
        _endpoint_pairs(joints, centre, truth.size, norm, limits) for joints in (estimated, true)
    ]
    return float(assignment_tree_distance(*pairs, norm))


def _endpoint_pairs(
    joints: Iterable[Joint], centre: NDArray[np.float64], size: float, norm: Any, limits: bool
) -> list[tuple[NDArray[np.float64], NDArray[np.float64]]]:
    """The two endpoint twists of every joint, in the unit ball."""
    from articulatearena import continuous_joint_repr, radial_compactify, screw_twist

    pairs = []
    for kind, axis, point, lower, upper in joints:
        twist = screw_twist(axis, (point - centre) / size, kind).data
        if limits and math.isfinite(lower) and math.isfinite(upper):
            unit = 1.0 if kind == "revolute" else size
            ends = [radial_compactify(end / unit * twist, _KAPPA, norm) for end in (lower, upper)]
            pairs.append((ends[0], ends[1]))
        else:
            pairs.append(continuous_joint_repr(twist, norm))
    return pairs
