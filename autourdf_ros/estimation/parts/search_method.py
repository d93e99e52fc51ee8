"""Kinematics as Kinematify finds them, in the terms of the estimator."""

from __future__ import annotations

from collections.abc import Sequence

from autourdf_ros.data.parts.part_assembly import PartAssembly
from autourdf_ros.estimation.parts.assembly_options import AssemblyOptions
from autourdf_ros.estimation.parts.assembly_trace import EdgeJoint
from autourdf_ros.estimation.parts.contact.prepared_part import PreparedPart
from autourdf_ros.estimation.parts.mcts.kinematify import SearchedKinematics, infer_by_search
from autourdf_ros.estimation.parts.result.found_kinematics import FoundKinematics
from autourdf_ros.progress import Progress, silent
from autourdf_ros.stopwatch import Stopwatch

NO_CONTACT = "the parts are not in contact: the nearest parts of two groups are connected"
NO_PROBABILITY = "Kinematify's method states no probabilities: nothing says which joints are sure"


def find_by_search(
    assembly: PartAssembly,
    parts: Sequence[PreparedPart],
    options: AssemblyOptions,
    watch: Stopwatch,
    progress: Progress = silent,
) -> FoundKinematics:
    """Find tree and joints by the paper's Algorithm 1; it gives no probabilities.

    Args:
        assembly: The parts.
        parts: The same, prepared.
        options: Choices of the user.
        watch: Takes the seconds of the search with its joints.
        progress: Is called with stage and fraction, and may raise to cancel.

    Raises:
        InputError: A part is too far from the others.
    """
    with watch.stage("search"):
        found = infer_by_search(assembly, options, progress, parts)
    return FoundKinematics(
        contacts=found.contacts,
        clusters=found.clusters,
        tree=found.tree,
        runner_up=found.runner_up,
        joints=tuple(_joint(found, number) for number in range(len(found.joints))),
        warnings=(NO_PROBABILITY,),
    )


def _joint(found: SearchedKinematics, number: int) -> EdgeJoint:
    parent, child = found.tree.edges[number]
    apart = (min(parent, child), max(parent, child)) in found.virtual
    warnings = (NO_CONTACT,) if apart else ()
    return EdgeJoint(parent, child, found.joints[number], warnings=warnings)
