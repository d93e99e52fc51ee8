"""A result folder with a few numbers of another one replaced, and a record of why."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from autourdf_ros.errors import InputError
from autourdf_ros.estimation.common.estimator import provenance
from autourdf_ros.export.revision import Edit, revise
from autourdf_ros.model.document.self_model_reading import described_model
from autourdf_ros.model.result_files import ASSEMBLY, result_document


def refuse_parts(folder: Path) -> None:
    """Raise InputError for a result from parts: its evidence would contradict a corrected model."""
    if result_document(folder).get(ASSEMBLY) is not None:
        raise InputError(
            f"{folder}: comes from parts that stand still, and is not repaired; accepted is what "
            "autourdf reconstruct wrote (autourdf confirm corrects it by a recording)"
        )


def write_corrected(source: Path, out: Path, edit: Edit, record: Mapping[str, Any]) -> Path:
    """Write the result `source`, as `edit` changes it, at `out`; return its absolute path.

    Args:
        source: A result folder.
        out: Where.
        edit: Changes URDF and meshes in a copy, and returns the new document.
        record: One entry of the document's `repairs`, with a sentence `told`.

    Raises:
        InputError: `source` is no result folder or comes from parts, or `out` cannot be written.
    """
    refuse_parts(source)

    def recorded(folder: Path, document: dict[str, Any]) -> dict[str, Any]:
        before = described_model(document).digests.get("kinematics")
        new = edit(folder, document)
        if described_model(new).digests.get("kinematics") != before:
            origin = provenance(f"repair/{record.get('kind', 'correction')}", "")
            new["layers"]["kinematics"] |= {"method": origin.method, "created": origin.created}
        new["repairs"] = [*document.get("repairs", []), dict(record)]
        return new

    return revise(source, out, recorded, note=str(record["told"]))
