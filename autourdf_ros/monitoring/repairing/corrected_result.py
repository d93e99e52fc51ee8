"""A copy of a result folder with a few numbers replaced, written whole or not at all."""

from __future__ import annotations

import base64
import copy
import shutil
from collections.abc import Callable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from autourdf_ros.assessment.checks.gate import check_result, failed
from autourdf_ros.export.document import to_text
from autourdf_ros.export.formats.semantics import semantics
from autourdf_ros.export.result_folder import write_formats
from autourdf_ros.files.atomic_folder import replacing
from autourdf_ros.model.joint_grading import judge_joints
from autourdf_ros.model.result_files import (
    DOCUMENT,
    FIGURES,
    MJCF,
    REPORT,
    SRDF,
    URDF,
    USD,
    check_output,
    description_package,
    moveit_package,
    result_document,
)
from autourdf_ros.monitoring.repairing.corrected_document import (
    described_drives,
    described_model,
    recorded_values,
)
from autourdf_ros.progress import silent
from autourdf_ros.report.figures.drift_figure import draw_drift
from autourdf_ros.report.figures.mesh_figure import draw_meshes
from autourdf_ros.report.report import render
from autourdf_ros.shape.collision.collision_pairs import DisabledPair, notes_on_pairs

Edit = Callable[[Path, dict[str, Any]], dict[str, Any]]


def write_corrected(source: Path, out: Path, edit: Edit, record: Mapping[str, Any]) -> Path:
    """Write the result `source`, changed by `edit`, at `out`; return its absolute path.

    Everything made from the URDF and the document is made anew, except the figures of the
    recording.

    Args:
        source: Result folder.
        out: Folder to write.
        edit: Gets the new folder, a copy with the old URDF and meshes, and the document; changes
            the folder and returns the new document.
        record: Entry of the document's `repairs`, with a sentence `told`.

    Raises:
        InputError: `source` is no result folder, or `out` cannot be written.
    """
    old = result_document(source)
    out = check_output(out)
    with replacing(out) as folder:
        shutil.copytree(source, folder, dirs_exist_ok=True)
        for name in (SRDF, MJCF, REPORT):
            (folder / name).unlink(missing_ok=True)
        for name in (description_package(old["name"]), moveit_package(old["name"]), USD):
            shutil.rmtree(folder / name, ignore_errors=True)
        document = edit(folder, copy.deepcopy(old))
        document["repairs"] = [*old.get("repairs", []), dict(record)]
        _write_formats(folder, document)
        document["notes"].append(str(record["told"]))
        (folder / DOCUMENT).write_text(to_text(document))
        _write_report(folder, document)
    return out


def _write_formats(folder: Path, document: dict[str, Any]) -> None:
    """Write what is made from the URDF, and add the findings of `autourdf check`."""
    model, names = described_model(document)
    floating = document["base"]["kind"]
    meaning = semantics(model, names, described_drives(document), floating)
    stood = recorded_values(document)
    about_pairs = set(notes_on_pairs(_pairs(document)))
    pairs = write_formats(meaning, stood, folder, document["options"]["usd"], silent)
    document["disabled_pairs"] = [asdict(pair) for pair in pairs]
    notes = [note for note in document["notes"] if note not in about_pairs]
    document["notes"] = [*notes, *notes_on_pairs(pairs)]
    before = {f"{one['check']}: {one['message']}" for one in document["checks"]}
    findings = check_result(folder, document)
    document["checks"] = [asdict(finding) for finding in findings]
    document["warnings"] = [
        *(text for text in document["warnings"] if text not in before),
        *(f"{bad.check}: {bad.message}" for bad in failed(findings)),
    ]


def _pairs(document: Mapping[str, Any]) -> list[DisabledPair]:
    return [DisabledPair(**pair) for pair in document["disabled_pairs"]]


def _write_report(folder: Path, document: Mapping[str, Any]) -> None:
    """Write the page; its figures of the recording and of the structure search stay."""
    figures = folder / FIGURES
    draw_meshes(folder / URDF, document["reference_configuration"], figures / "meshes.svg")
    if "drift" in document:
        draw_drift(document["drift"], figures / "drift.svg")
    pictures = {
        path.stem: base64.b64encode(path.read_bytes()).decode() for path in figures.glob("*.svg")
    }
    page = render(document, judge_joints(document), pictures)
    (folder / REPORT).write_text(page, encoding="utf-8")
