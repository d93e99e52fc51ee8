"""The step of the pipeline that asks a type model."""

from __future__ import annotations

from dataclasses import replace

from autourdf_ros.data.parts.part_assembly import PartAssembly
from autourdf_ros.estimation.parts.joint_types.type_model import TypeModel
from autourdf_ros.estimation.parts.joint_types.type_options import TypeOptions
from autourdf_ros.estimation.parts.joint_types.type_questions import ask_types
from autourdf_ros.estimation.parts.joint_types.type_votes import decide_types
from autourdf_ros.estimation.parts.result.found_kinematics import FoundKinematics
from autourdf_ros.progress import Progress, silent


def with_types(
    assembly: PartAssembly,
    found: FoundKinematics,
    model: TypeModel,
    progress: Progress = silent,
    options: TypeOptions = TypeOptions(),  # noqa: B008  (frozen)
) -> FoundKinematics:
    """Return the kinematics with its joints weighed by a type model, and notes of what it said.

    Args:
        assembly: The parts.
        found: By any method.
        model: Is asked about every joint; its failures are notes.
        progress: Is called with stage and fraction, and may raise to cancel.
        options: Of questions and weights.
    """
    asked = ask_types(assembly, found.joints, model, progress, options)
    joints, notes = decide_types(assembly, found.joints, found.clusters, asked.answers, options)
    silent_ones = sum(answer is None for answer in asked.answers)
    counted = f"the type model answers for {len(joints) - silent_ones} of {len(joints)} joints"
    return replace(found, joints=joints, notes=(*found.notes, counted, *asked.failures, *notes))
