"""A result folder that is another one with parts of it replaced: corrected, enriched, upgraded."""

from __future__ import annotations

import base64
import copy
import shutil
from collections.abc import Callable, Mapping
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from autourdf_ros.assessment.checks.gate import check_result
from autourdf_ros.export.checked_document import with_checks, without_checks
from autourdf_ros.export.document import to_text
from autourdf_ros.export.formats.semantics import semantics
from autourdf_ros.export.formats.urdf import UrdfNames
from autourdf_ros.export.result_folder import write_formats
from autourdf_ros.files.atomic_folder import replacing
from autourdf_ros.model.document.layer_entries import layers_document
from autourdf_ros.model.document.self_model_reading import described_model
from autourdf_ros.model.document.urdf_layers import synchronised
from autourdf_ros.model.joint_grading import judge_joints
from autourdf_ros.model.limits.drive_limits import DriveLimits
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
from autourdf_ros.model.self_model import SelfModel
from autourdf_ros.model.urdf.urdf_reading import read_description
from autourdf_ros.progress import Progress, part, silent
from autourdf_ros.report.figures.drift_figure import draw_drift
from autourdf_ros.report.figures.mesh_figure import draw_meshes
from autourdf_ros.report.report import render
from autourdf_ros.shape.collision.collision_pairs import DisabledPair, notes_on_pairs

Edit = Callable[[Path, dict[str, Any]], dict[str, Any]]
"""Changes URDF and meshes in a new folder, and returns the changed document of it."""


def revise(
    source: Path,
    out: Path,
    edit: Edit,
    *,
    note: str = "",
    finish: Callable[[Path], None] = lambda folder: None,
    progress: Progress = silent,
) -> Path:
    """Write the result `source`, as `edit` changes it, at `out`; return its absolute path.

    All that follows from URDF and document is made anew: formats, packages, checks, layers and
    report, but the figures of the recording. `out` is replaced whole or not at all.

    Args:
        source: A result folder; may be `out`.
        out: Where.
        edit: Is given a copy of the folder, without what is made anew, and of the document.
        note: A sentence for the user about the change, if any.
        finish: Is given the folder when it is complete, before it takes its place.
        progress: Is called with stage and fraction.

    Raises:
        InputError: `source` is no result folder or is damaged, or `out` cannot be written.
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
        _complete(folder, document, note, progress)
        finish(folder)
    progress("written", 1.0)
    return out


def stated_model(folder: Path, document: Mapping[str, Any]) -> SelfModel:
    """Return the model of a folder that is being changed: of its document, and its URDF's files."""
    return synchronised(described_model(document), read_description(folder / URDF))


def _complete(folder: Path, document: dict[str, Any], note: str, progress: Progress) -> None:
    """Write all that follows from the folder's URDF and its document, and the document."""
    model = stated_model(folder, document)
    pairs = _formats(folder, document, model, part(progress, 0.0, 0.4))
    about_pairs = notes_on_pairs([DisabledPair(**pair) for pair in document["disabled_pairs"]])
    notes = [note for note in document["notes"] if note not in about_pairs]
    document["disabled_pairs"] = [asdict(pair) for pair in pairs]
    document["notes"] = [*notes, *notes_on_pairs(pairs), *([note] if note else [])]
    document["layers"] = layers_document(model)
    unchecked = without_checks(document)
    findings = check_result(folder, unchecked, part(progress, 0.4, 0.8))
    document = with_checks(unchecked, findings)
    (folder / DOCUMENT).write_text(to_text(document))
    progress("report", 0.8)
    _write_report(folder, document)


def _formats(
    folder: Path, document: Mapping[str, Any], model: SelfModel, progress: Progress
) -> tuple[DisabledPair, ...]:
    links, joints = ({name: name for name in names} for names in _names(model))
    drives = {
        joint["name"]: DriveLimits(**joint["drive"])
        for joint in document["joints"]
        if joint["drive"] is not None
    }
    meaning = semantics(
        model, UrdfNames(document["name"], links, joints), drives, document["base"]["kind"]
    )
    meaning = replace(meaning, cameras=tuple(document["input"].get("cameras", ())))
    usd = document["options"]["usd"]
    return write_formats(meaning, _recorded_values(document), folder, usd, progress)


def _names(model: SelfModel) -> tuple[tuple[str, ...], tuple[str, ...]]:
    return model.tree.links, model.tree.joint_names


def _recorded_values(document: Mapping[str, Any]) -> list[dict[str, float]]:
    """Joint values, by name, in the frames that the model explains."""
    moving = [(n, j["name"]) for n, j in enumerate(document["joints"]) if j["type"] != "fixed"]
    return [
        {name: float(values[number]) for number, name in moving}
        for sequence in document["sequences"]
        for values, used in zip(sequence["joint_values"], sequence["used"], strict=True)
        if used
    ]


def _write_report(folder: Path, document: Mapping[str, Any]) -> None:
    """The page; its figures of the recording and of how the model came about are the old ones."""
    figures = folder / FIGURES
    figures.mkdir(exist_ok=True)
    draw_meshes(folder / URDF, document["reference_configuration"], figures / "meshes.svg")
    if "drift" in document:
        draw_drift(document["drift"], figures / "drift.svg")
    pictures = {
        path.stem: base64.b64encode(path.read_bytes()).decode() for path in figures.glob("*.svg")
    }
    page = render(document, judge_joints(document), pictures)
    (folder / REPORT).write_text(page, encoding="utf-8")
