"""What speaks against an assembly's model, in a sentence each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from autourdf_ros.data.parts.part_assembly import PartAssembly
from autourdf_ros.estimation.parts.assembly_trace import EdgeJoint
from autourdf_ros.estimation.parts.contact.prepared_part import PreparedPart
from autourdf_ros.estimation.parts.result.found_kinematics import FoundKinematics
from autourdf_ros.estimation.parts.result.result_options import ResultOptions
from autourdf_ros.model.joint_grading import LEAST_PROBABILITY
from autourdf_ros.model.layers.layer import Trust


def judge(
    assembly: PartAssembly,
    found: FoundKinematics,
    parts: Sequence[PreparedPart],
    options: ResultOptions,
) -> tuple[tuple[str, ...], Trust]:
    """Return the warnings about an assembly, and the verdict that sums them up.

    The verdict is failed where most joints are guesses, doubtful where anything speaks against the
    model, and trusted otherwise.
    """
    warnings = (
        *(text for joint in found.joints for text in joint.warnings),
        *_shape_doubts(parts, options),
        *_tree_doubts(assembly, found, options),
        *(text for joint in found.joints for text in _joint_doubts(assembly, joint, options)),
    )
    guesses = sum(joint.best.type == "fixed" for joint in found.joints)
    if 2 * guesses > len(found.joints):
        return warnings, "failed"
    return warnings, "doubtful" if warnings else "trusted"


def _shape_doubts(parts: Sequence[PreparedPart], options: ResultOptions) -> Iterator[str]:
    """Parts on top of each other, or inside each other."""
    for i, first in enumerate(parts):
        for second in parts[i + 1 :]:
            if _same(first, second, options):
                yield (
                    f"parts {first.part.name} and {second.part.name} are the same surface at the "
                    "same place: remove one of them"
                )
            elif inner := _nested(first, second, options):
                outer = second if inner is first else first
                yield (
                    f"part {inner.part.name} is inside of part {outer.part.name}: a closed shell "
                    "around a part hides their joint"
                )


def _same(first: PreparedPart, second: PreparedPart, options: ResultOptions) -> bool:
    limit = options.same * first.diagonal
    if np.abs(first.part.bounds - second.part.bounds).max() > limit:
        return False
    there, back = first.field(second.samples.points), second.field(first.samples.points)
    return bool(max(there.max(), back.max()) <= limit)


def _nested(
    first: PreparedPart, second: PreparedPart, options: ResultOptions
) -> PreparedPart | None:
    """The part that is inside the other one, if one is."""
    for inner, outer in ((first, second), (second, first)):
        lower, upper = outer.part.bounds
        if (inner.part.bounds[0] < lower).any() or (inner.part.bounds[1] > upper).any():
            continue
        if outer.field.inside(inner.samples.points).mean() >= options.nested:
            return inner
    return None


def _tree_doubts(
    assembly: PartAssembly, found: FoundKinematics, options: ResultOptions
) -> Iterator[str]:
    """Those of the method, closed chains, and an uncertain base."""
    yield from found.warnings
    names = [part.name for part in assembly.parts]
    for ring in found.rings:
        yield (
            f"parts {', '.join(names[part] for part in ring)} are a closed chain: each two "
            "neighbours have a joint, and a tree leaves one of these joints out"
        )
    if found.base_probability < options.unsure:
        yield (
            f"the base is uncertain: {names[found.tree.root]} has probability "
            f"{found.base_probability:.2f}; --root names it"
        )


def _joint_doubts(
    assembly: PartAssembly, joint: EdgeJoint, options: ResultOptions
) -> Iterator[str]:
    """What speaks against one joint."""
    names = f"{assembly.parts[joint.parent].name} and {assembly.parts[joint.child].name}"
    if joint.ambiguous:
        yield f"the joint between {names} is ambiguous: {joint.reason}"
    if joint.best.type == "fixed":
        return
    if not joint.ambiguous and joint.best.probability < LEAST_PROBABILITY:
        yield (
            f"the joint between {names} is the stated one with probability "
            f"{joint.best.probability:.2f} only"
        )
    if joint.edge_probability < LEAST_PROBABILITY:
        yield (
            f"it is uncertain whether {names} are joined: probability {joint.edge_probability:.2f}"
        )
    unit = 1.0 if joint.best.type == "revolute" else assembly.size
    if joint.best.upper - joint.best.lower < options.stuck * unit:
        yield f"the joint between {names} cannot move without a collision"
