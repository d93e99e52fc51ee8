"""A result folder that is another one with a few numbers replaced, written whole or not at all."""

from __future__ import annotations

import base64
import copy
import shutil
from collections.abc import Callable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from autourdf_ros.checking.finding import Finding
from autourdf_ros.checking.gate import check_result, doubts, told
from autourdf_ros.description.atomic_folder import replacing
from autourdf_ros.description.collision_pairs import DisabledPair, notes_on_pairs
from autourdf_ros.description.document import to_text
from autourdf_ros.description.drift_figure import draw_drift
from autourdf_ros.description.joint_grading import judge_joints
from autourdf_ros.description.mesh_figure import draw_meshes
from autourdf_ros.description.report import render
from autourdf_ros.description.result_files import (
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
from autourdf_ros.description.result_folder import add_checks, write_formats
from autourdf_ros.description.semantics import semantics
from autourdf_ros.monitoring.corrected_document import (
    described_drives,
    described_model,
    recorded_values,
)
from autourdf_ros.progress import silent

Edit = Callable[[Path, dict[str, Any]], dict[str, Any]]


def write_corrected(source: Path, out: Path, edit: Edit, record: Mapping[str, Any]) -> Path:
    """Write the result `source`, as `edit` changes it, at `out`; returns its absolute path.

    edit: gets the new folder, a copy with the old URDF and meshes, and the document; changes the
    first, and returns the new document. All that is made of these is made anew, but the figures of
    the recording. record: one entry of the document's `repairs`, with a sentence `told`. Raises
    InputError where `source` is no result folder or `out` cannot be written.
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
    """All that is made of the URDF, and what the checks of `autourdf check` find in it."""
    model, names = described_model(document)
    floating = document["base"]["kind"]
    meaning = semantics(model, names, described_drives(document), floating)
    stood = recorded_values(document)
    about_pairs = set(notes_on_pairs(_pairs(document)))
    pairs = write_formats(meaning, stood, folder, document["options"]["usd"], silent)
    document["disabled_pairs"] = [asdict(pair) for pair in pairs]
    notes = [note for note in document["notes"] if note not in about_pairs]
    document["notes"] = [*notes, *notes_on_pairs(pairs)]
    _forget_checks(document)
    add_checks(document, check_result(folder, document))


def _forget_checks(document: dict[str, Any]) -> None:
    """Take back what checks added; a model that nothing else spoke against is trusted again."""
    before = tuple(Finding(**one) for one in document["checks"])
    of_checks = {told(finding) for finding in before}
    document["warnings"] = [text for text in document["warnings"] if text not in of_checks]
    if document["verdict"] == "doubtful" and doubts(before) and not document["warnings"]:
        document["verdict"] = "trusted"


def _pairs(document: Mapping[str, Any]) -> list[DisabledPair]:
    return [DisabledPair(**pair) for pair in document["disabled_pairs"]]


def _write_report(folder: Path, document: Mapping[str, Any]) -> None:
    """The page; its figures of the recording and of how the model came about are the old ones."""
    figures = folder / FIGURES
    draw_meshes(folder / URDF, document["reference_configuration"], figures / "meshes.svg")
    if "drift" in document:
        draw_drift(document["drift"], figures / "drift.svg")
    pictures = {
        path.stem: base64.b64encode(path.read_bytes()).decode() for path in figures.glob("*.svg")
    }
    page = render(document, judge_joints(document), pictures)
    (folder / REPORT).write_text(page, encoding="utf-8")
