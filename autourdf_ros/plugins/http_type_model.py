"""A type model behind HTTP."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

from autourdf_ros.errors import InputError
from autourdf_ros.estimation.parts.assembly_trace import JointCandidate, PairJointType
from autourdf_ros.estimation.parts.joint_types.type_model import (
    TYPES,
    TypeAnswer,
    TypeModel,
    TypeQuestion,
    View,
)
from autourdf_ros.plugins.http_service import HttpService
from autourdf_ros.plugins.plugin_kind import PluginKind
from autourdf_ros.plugins.protocol_document import (
    check_head,
    headed,
    image_document,
    number_field,
    share_field,
    text_field,
)
from autourdf_ros.progress import Progress

PROTOCOL = "type_model"


class HttpTypeModel:
    """Asks a service, such as a vision-language model, for a joint's type.

    Args:
        service: That is asked.
    """

    def __init__(self, service: HttpService) -> None:
        self._service = service

    def joint_type(self, question: TypeQuestion, progress: Progress) -> TypeAnswer | None:
        """Return the answered type; None where the service abstains.

        Raises:
            InputError: The service fails, or its answer has another form.
        """
        answer = self._service.ask(headed(PROTOCOL, _question(question)), progress)
        where = f"plug-in {self._service.address.shown}"
        check_head(answer, PROTOCOL, where)
        if answer.get("abstain") is True:
            return None
        kind = text_field(answer, "type", where)
        if kind not in TYPES:
            raise InputError(f"{where}: 'type' is unknown; accepted are {', '.join(TYPES)}")
        return TypeAnswer(
            cast(PairJointType, kind),
            share_field(answer, "confidence", where),
            number_field(answer, "alternative", where),
        )


def _question(question: TypeQuestion) -> dict[str, Any]:
    return {
        "question": question.text,
        "types": list(TYPES),
        "parent": question.parent,
        "child": question.child,
        "assembly_views": _views(question.assembly_views),
        "joint_views": _views(question.joint_views),
        "alternatives": [
            _alternative(number, one) for number, one in enumerate(question.alternatives, 1)
        ],
    }


def _views(views: Sequence[View]) -> list[dict[str, str]]:
    return [{"name": view.name, **image_document(view.image)} for view in views]


def _alternative(number: int, one: JointCandidate) -> dict[str, Any]:
    return {
        "number": number,
        "type": one.type,
        "axis": one.axis.tolist(),
        "point": one.point.tolist(),
    }


TYPE_MODEL: PluginKind[TypeModel] = PluginKind("type model", TypeModel, HttpTypeModel)
