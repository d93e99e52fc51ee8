"""Ask a type model about every joint; its failures end no assembly."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from autourdf_ros.data.parts.part_assembly import PartAssembly
from autourdf_ros.errors import CancelledError, InputError
from autourdf_ros.estimation.parts.assembly_trace import EdgeJoint
from autourdf_ros.estimation.parts.joint_types.joint_views import assembly_views, joint_views
from autourdf_ros.estimation.parts.joint_types.type_model import (
    TYPES,
    TypeAnswer,
    TypeModel,
    TypeQuestion,
)
from autourdf_ros.estimation.parts.joint_types.type_options import TypeOptions
from autourdf_ros.progress import Progress, part, silent

QUESTION = (
    "The joint views show the part {child!r} in orange beside the part {parent!r} in grey, both in "
    "the pose they stand in. Numbered lines are axes of joints that their geometry allows; r marks "
    "a revolute and p a prismatic one. How can the orange part move relative to the grey one: "
    "revolute (it turns about an axis), prismatic (it slides along an axis) or fixed (it cannot "
    "move)? Answer with the type, the number of the right axis if you see it, and your confidence "
    "from 0 to 1; abstain if you cannot say. The assembly views show all parts."
)


@dataclass(frozen=True)
class AskedTypes:
    """What a type model answered.

    Attributes:
        answers: Of every joint, in order; None where the model abstains or fails.
        failures: Sentences about what failed.
    """

    answers: tuple[TypeAnswer | None, ...]
    failures: tuple[str, ...] = ()


def ask_types(
    assembly: PartAssembly,
    joints: Sequence[EdgeJoint],
    model: TypeModel,
    progress: Progress = silent,
    options: TypeOptions = TypeOptions(),  # noqa: B008  (frozen)
) -> AskedTypes:
    """Ask about every joint.

    After some failures in a row the model is not asked further, so that a service that hangs does
    not hold the assembly up at every joint.

    Args:
        assembly: The parts.
        joints: Of the tree.
        model: Is asked once for each joint.
        progress: Is called with stage and fraction, and may raise to cancel.
        options: Of views and questions.
    """
    progress("rendering views", 0.0)
    whole = assembly_views(assembly, options)
    answers: list[TypeAnswer | None] = []
    failures: list[str] = []
    in_a_row = 0
    for number, joint in enumerate(joints):
        names = assembly.parts[joint.parent].name, assembly.parts[joint.child].name
        if in_a_row >= options.failures:
            failures.append(f"the type model is not asked about {len(joints) - number} more joints")
            break
        shown = joint.alternatives[: options.shown]
        text = QUESTION.format(parent=names[0], child=names[1])
        views = joint_views(assembly, joint, options)
        question = TypeQuestion(text, *names, whole, views, shown)
        report = part(progress, number / len(joints), (number + 1) / len(joints))
        report("asking the type model", 0.0)
        try:
            answers.append(checked(model.joint_type(question, report), question))
            in_a_row = 0
        except CancelledError:
            raise
        except Exception as error:  # of code that is not ours, or of a service
            reason = _line(error) if isinstance(error, InputError) else type(error).__name__
            failures.append(
                f"the type model fails at the joint between {names[0]} and {names[1]}: {reason}"
            )
            answers.append(None)
            in_a_row += 1
    return AskedTypes((*answers, *[None] * (len(joints) - len(answers))), tuple(failures))


def _line(error: InputError) -> str:
    return " ".join(str(error).split())


def checked(answer: Any, question: TypeQuestion) -> TypeAnswer | None:
    """Return an answer that agrees with its question, of a model that may return anything.

    Raises:
        InputError: It is malformed, or its alternative is none, or of another type.
    """
    if answer is None:
        return None
    if not isinstance(answer, TypeAnswer) or answer.type not in TYPES:
        raise InputError(f"its answer is no type; accepted are {', '.join(TYPES)}")
    sure = answer.confidence
    if not isinstance(sure, int | float) or not (math.isfinite(sure) and 0 <= sure <= 1):
        raise InputError("its confidence is out of range; accepted is 0 to 1")
    chosen, known = answer.alternative, question.alternatives
    if chosen is None:
        return answer
    if not isinstance(chosen, int) or not 1 <= chosen <= len(known):
        raise InputError(f"its alternative is out of range; accepted are 1 to {len(known)}")
    if known[chosen - 1].type != answer.type:
        raise InputError(
            f"it answers {answer.type} with alternative {chosen}, which is {known[chosen - 1].type}"
        )
    return answer
