"""Documents of earlier versions, as this version has them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

VERSION = 2
"""Of reconstruction.json; it rises when a reader of the old one would misunderstand the new."""

READ = (1, VERSION)
"""Versions that are read."""


def migrated(document: Mapping[str, Any]) -> dict[str, Any]:
    """Return a document of any version in `READ` as one of `VERSION`; what it says stays.

    Version 1 has no `layers`: other keys hold its kinematics. Its shapes and masses are in
    the URDF alone, where `read_self_model` finds them. What is damaged stays as it is.
    """
    if document.get("version") != 1:
        return dict(document)
    options, source = document.get("options"), document.get("input")
    method = options.get("method", "engine") if isinstance(options, Mapping) else "engine"
    digest = source.get("sha256") if isinstance(source, Mapping) else None
    kinematics: dict[str, Any] = {
        "method": f"motion/{method}",
        "data_digest": digest or "",
        "created": "",
        "verdict": document.get("verdict"),
        "reasons": document.get("warnings"),
        "rests_on": {},
    }
    return {**document, "version": VERSION, "layers": {"kinematics": kinematics}}
