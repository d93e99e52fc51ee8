"""A part model behind HTTP."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

from autourdf_ros.data.parts.formats.mesh_bounds import BOUNDS
from autourdf_ros.data.parts.part_model import FORMATS, MeshFormat, PartMesh, PartModel, PartRequest
from autourdf_ros.errors import InputError
from autourdf_ros.plugins.http_service import HttpService
from autourdf_ros.plugins.plugin_kind import PluginKind
from autourdf_ros.plugins.protocol_document import (
    bytes_field,
    check_head,
    headed,
    image_document,
    text_field,
)
from autourdf_ros.progress import Progress

PROTOCOL = "part_model"


class HttpPartModel:
    """Asks a service for part meshes.

    Args:
        service: That is asked.
    """

    def __init__(self, service: HttpService) -> None:
        self._service = service

    def part_meshes(self, request: PartRequest, progress: Progress) -> Sequence[PartMesh]:
        """Return the answered parts, whose meshes are not read yet.

        Raises:
            InputError: The service fails, or its answer has another form.
        """
        question = headed(
            PROTOCOL,
            {
                "text": request.text or None,
                "images": [image_document(image) for image in request.images],
                "formats": list(FORMATS),
            },
        )
        answer = self._service.ask(question, progress)
        where = f"plug-in {self._service.address.shown}"
        check_head(answer, PROTOCOL, where)
        parts = answer.get("parts")
        if not isinstance(parts, list) or len(parts) > BOUNDS.parts:
            raise InputError(
                f"{where}: 'parts' is missing or no list of up to {BOUNDS.parts} parts"
            )
        return [_part(one, f"{where}: part {number}") for number, one in enumerate(parts)]


def _part(document: Any, where: str) -> PartMesh:
    if not isinstance(document, dict):
        raise InputError(f"{where}: is no JSON object")
    form = text_field(document, "format", where)
    if form not in FORMATS:
        raise InputError(f"{where}: 'format' is not read; accepted are {', '.join(FORMATS)}")
    name = text_field(document, "name", where)
    return PartMesh(name, cast(MeshFormat, form), bytes_field(document, "data", where))


PART_MODEL: PluginKind[PartModel] = PluginKind("part model", PartModel, HttpPartModel)
