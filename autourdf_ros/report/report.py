"""report.html and its figures: what a person needs to judge a reconstruction."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import jinja2
import numpy as np

from autourdf_ros.model.joint_grading import Judgement, judge_joints
from autourdf_ros.model.palette import link_color
from autourdf_ros.model.result_files import FIGURES, REPORT, URDF
from autourdf_ros.model.self_model import SelfModel
from autourdf_ros.progress import Progress, silent
from autourdf_ros.report.account import Account, Draw, Shown
from autourdf_ros.report.figures.drawing import GRADE_SIGNS
from autourdf_ros.report.figures.mesh_figure import draw_meshes
from autourdf_ros.report.figures.tree_figure import draw_tree
from autourdf_ros.report.layer_tables import doubted_layers, layer_rows, measured_masses
from autourdf_ros.report.reproduction import command_line
from autourdf_ros.shape.collision.collision_pairs import HARMLESS, HIDING

_ORDER = ("doubtful", "fair", "good")


def write_report(
    model: SelfModel,
    account: Account,
    document: dict[str, Any],
    folder: Path,
    progress: Progress = silent,
) -> Path:
    """Write `folder`/report.html, self-contained, and `folder`/figures; returns the page's path.

    The URDF is read back from the folder.

    Args:
        model: Under the names of the document.
        account: Of the estimate, with its figures.
        document: The content of reconstruction.json.
        folder: Where.
        progress: Is called with stage and fraction.
    """
    shown = Shown(model, judge_joints(document))
    figures = folder / FIGURES
    figures.mkdir()
    pictures = {}
    steps = {**_common_figures(document, folder), **account.figures}
    for number, (name, draw) in enumerate(steps.items()):
        progress(f"figure: {name}", number / len(steps))
        path = figures / f"{name}.svg"
        draw(shown, path)
        pictures[name] = base64.b64encode(path.read_bytes()).decode()
    page = folder / REPORT
    page.write_text(render(document, shown.judgements, pictures), encoding="utf-8")
    return page


def _common_figures(document: Mapping[str, Any], folder: Path) -> dict[str, Draw]:
    """Those of every result."""
    reference, joints = document["reference_configuration"], document["joints"]
    sure = {one["name"]: one["confidence"] for one in joints if one.get("confidence") is not None}
    return {
        "meshes": lambda _, path: draw_meshes(folder / URDF, reference, path),
        "tree": lambda shown, path: draw_tree(
            shown.model, shown.judgements, _remarks(document), path, sure
        ),
    }


def _remarks(document: Mapping[str, Any]) -> dict[str, str]:
    """What the tree says beside links: the root, patches unexplained, joints that it lacks."""
    remarks: dict[str, list[str]] = {}
    base = document["base"]
    remarks.setdefault(base["link"], []).append(f"root; base: {base['kind']}")
    for patch in document["unexplained_patches"]:
        remarks.setdefault(patch["link"], []).append(f"⚠ {patch['points']} points move otherwise")
    for loop in document["loops"]:
        one, other = loop["links"]
        remarks.setdefault(other, []).append(f"also joined to {one}")
    return {name: "; ".join(parts) for name, parts in remarks.items()}


@cache
def _environment() -> jinja2.Environment:
    """The templates, compiled once a process."""
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("autourdf_ros.report", "templates"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["degrees"] = lambda value, digits=3: _number(value, 180 / np.pi, digits)
    environment.filters["mm"] = lambda value, digits=3: _number(value, 1e3, digits)
    environment.filters["direction"] = _direction
    environment.filters["millimetres"] = lambda point: ", ".join(
        f"{1e3 * x + 0.0:.1f}" for x in point
    )
    environment.filters["plainly"] = _plainly
    return environment


def render(
    document: Mapping[str, Any], judgements: Mapping[str, Judgement], pictures: Mapping[str, str]
) -> str:
    """Render the page. pictures: SVG in base64 by name; without "model_order", it says why."""
    return (
        _environment()
        .get_template("report.html.jinja")
        .render(
            document=document,
            pictures=pictures,
            judgements=judgements,
            judged_as={
                grade: [name for name, judged in judgements.items() if judged.grade == grade]
                for grade in _ORDER
            },
            signs=GRADE_SIGNS,
            joints=sorted(
                document["joints"], key=lambda joint: _ORDER.index(judgements[joint["name"]].grade)
            ),
            unchecked=_unchecked(document),
            hiding=HIDING,
            harmless=HARMLESS,
            command=command_line(document),
            layers=layer_rows(document),
            doubted=doubted_layers(document),
            masses=measured_masses(document),
            used=sum(map(sum, (sequence["used"] for sequence in document["sequences"]))),
            colors={
                link["name"]: "#" + bytes((255 * link_color(i)).astype(np.uint8)).hex()
                for i, link in enumerate(document["links"])
            },
        )
    )


def _unchecked(document: Mapping[str, Any]) -> dict[str, list[str]]:
    """Pairs of links that are not checked for collisions, by the reason; what hides some first."""
    named: dict[str, list[str]] = {reason: [] for reason in (*HIDING, *HARMLESS)}
    for pair in document["disabled_pairs"]:
        named[pair["reason"]].append(f"{pair['link1']} and {pair['link2']}")
    return {reason: pairs for reason, pairs in named.items() if pairs}


def _number(value: float | None, scale: float, digits: int | None) -> str:
    """With so many digits that count, or one after the point; never with an exponent."""
    if value is None:
        return "-"
    if digits is None:
        return f"{round(scale * value, 1) + 0.0:.1f}"
    text = f"{scale * value + 0.0:.{digits}g}"
    return text if "e" not in text else f"{round(scale * value) + 0.0:.0f}"


def _direction(axis: list[float]) -> str:
    return ", ".join(f"{round(number, 3) + 0.0:.3f}" for number in axis)


def _plainly(choice: object) -> str:
    """An option's value in words; that of a group of options, in parentheses."""
    if isinstance(choice, Mapping):
        named = (f"{name.replace('_', ' ')} {_plainly(value)}" for name, value in choice.items())
        return f"({', '.join(named)})"
    if isinstance(choice, list | tuple):
        return " and ".join(map(_plainly, choice))
    return {"None": "not given", "True": "yes", "False": "no"}.get(str(choice), str(choice))
